"""The Verification pane: state, problems, chain, files, references."""

from __future__ import annotations

from array import array
from datetime import UTC
from pathlib import Path

import pytest

from asz_core.sessiondata.reader import Landed
from asz_core.storage import LandedFile
from asz_tui.lines.line import RowSource
from asz_tui.panes.verification_rows import VerificationRows
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, node, said
from tests.tui.panes.helpers import drawn, index_with, opened, rows_of


def test_a_gap_is_said_where_it_is() -> None:
    lines = drawn(rows_of("verification", opened("broken-gap")), 80)
    assert lines[0] == "◐ incomplete · 3 problems · 2 of 4 rounds verified · 7 landed files"
    assert lines[1] == "a round or a landed file is missing"
    assert lines[2:5] == [
        "! round 3 is missing; the chain stops at round 2",
        "! round 3 is missing before round 4",
        "! round 4 starts at seq 6, the round before ended at 4",
    ]
    assert "  3      missing" in lines
    assert "  4      10014fa1f59e ca2bca921ae1 6–6      00:00:06–00:00:12 ✗ after the gap" in lines
    assert "  5      c19ad28f37e7 10014fa1f59e 7–7      00:00:13–00:00:15 ✗ after the gap" in lines
    assert "settled references (1)  resolved since, or never to be" in lines


def test_a_round_that_does_not_read_says_why_in_full() -> None:
    rows = rows_of("verification", opened("broken-tampered"))
    lines = drawn(rows, 80)
    assert lines[0].startswith("✗ mismatch · 4 problems · 1 of 5 rounds verified")
    # Nothing of a problem is cut at 80 columns: it goes on in the next row.
    assert "  mismatch: computed 8d7e6981ef52, round claims 2de385d706ec" in lines
    assert any(line.startswith("  3 ") and line.endswith("✗ after the break") for line in lines)
    assert "         └ digest mismatch: computed 8d7e6981ef52, round claims 2de385d706ec" in lines
    assert "does not read: digest mismatch: computed 8d7e6981ef52" in rows.full(index_with(rows, "✗ does not read"))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("broken-landed-missing", "✗ seq 2 missing"),
        ("broken-previous", "✗ wrong previous"),
        ("broken-landed-changed", "✗ input digest differs"),
        ("broken-fork", "✗ a second round 5"),
        ("broken-policy", "✗ does not fold: round 3 was produced under policy"),
    ],
)
def test_why_a_round_is_not_verified(case: str, words: str) -> None:
    assert any(words in line for line in drawn(rows_of("verification", opened(case)), 160))


def test_missing_and_faulty_files() -> None:
    lines = drawn(rows_of("verification", opened("broken-landed-missing")), 120)
    missing = next(line for line in lines if line.endswith("✗ missing"))
    assert missing.split()[0] == "2"
    lines = drawn(rows_of("verification", opened("craft-files")), 80)
    assert "         └ there is no closing line; the file is truncated" in lines
    assert "         └ the header's schema is 'sd/9', not 'sd/1'" in lines
    assert sum("✓ faulty" in line for line in lines) == 4


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "root")
    maker.land(said("one", time="2026-01-01T00:00:00Z"))
    maker.land(said("two", time="2026-01-01T00:00:01Z"))
    maker.round(node("talk/1", "talk", (1, 1), stream="main"))
    conversation = maker.load()
    wire = conversation.data.files[1].file.wire
    conversation.data.files.pop()
    conversation.data._by_seq.pop(2)
    conversation.data.unreadable = {wire: "Permission denied"}
    conversation._report = None
    lines = drawn(VerificationRows(Opened(conversation), UTC), 80)
    assert sum("✗ unreadable" in line for line in lines) == 1
    assert not any("✗ missing" in line for line in lines), "it is listed once, with its reason"
    assert "         └ Permission denied" in lines


def test_references_lead_to_their_step() -> None:
    rows = rows_of("verification", opened("pilot"))
    assert rows.target(index_with(rows, "no result landed for this tool use")) == "tool/s12-tool"
    assert rows.target(index_with(rows, "a request that was never landed")) is None
    assert rows.target(index_with(rows, "5105fbfb551a 9b82a358dffd")) == "call/s13-synthetic-call"
    assert rows.target(index_with(rows, "agent_meta")) is None
    assert rows.target(0) is None and rows.target(10_000) is None


def test_a_reference_is_found_by_the_call_not_by_the_node_id(tmp_path: Path) -> None:
    from tests.core.helpers import part, record, unresolved

    maker = Maker(tmp_path / "root")
    maker.land(record(part("call", "", id="use-1", name="Bash"), time="2026-01-01T00:00:00Z"))
    maker.round(
        node("talk/1", "talk", (1, 1), stream="main"),
        node("other/1", "tool", (1, 1, 0), parent="talk/1", stream="main"),
        node("tool/elsewhere", "tool", (1, 1), parent="talk/1", stream="main"),
        unresolved("u1", ref="use-1"),
        unresolved("u2", ref="elsewhere"),
    )
    rows = VerificationRows(Opened(maker.load()), UTC)
    at = index_with(rows, "use-1")
    assert rows.target(at) in ("other/1", "tool/elsewhere")
    assert rows.target(index_with(rows, "elsewhere")) is None, "the record behind tool/elsewhere is another call"


def test_filter_and_sort() -> None:
    rows = rows_of("verification", opened("broken-gap"))
    assert rows.narrow("agent_meta") == ""
    lines = drawn(rows, 80)
    assert "files  11 files, landed and rounds" in lines and not any("chain" in line for line in lines)
    assert sum("agent_meta" in line for line in lines) == 1
    assert rows.narrow("re:[") .startswith("not a regular expression")
    assert drawn(rows, 80) == lines
    rows.narrow("")
    rows.sort_by("bytes")
    seqs = [line.split()[0] for line in drawn(rows, 80) if "transcript" in line]
    assert seqs == ["5", "2", "1", "7", "3", "6"]
    rows.sort_by("bytes")
    assert [line.split()[0] for line in drawn(rows, 80) if "transcript" in line] == seqs[::-1]
    rows.sort_by("nothing")


def test_keys_stay_when_a_round_lands(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "root")
    maker.land(said("one", time="2026-01-01T00:00:00Z"))
    maker.round(node("talk/1", "talk", (1, 1), stream="main"))
    source = Opened(maker.load())
    rows = VerificationRows(source, UTC)
    keys = [rows.key(index) for index in range(len(rows))]
    version = rows.version
    maker.land(said("two", time="2026-01-01T00:00:01Z"))
    maker.round(node("talk/2", "talk", (2, 1), stream="main"))
    source.take(source.conversation.read_new())
    rows.reload()
    assert rows.version != version
    assert all(rows.index_of(key) is not None for key in keys)
    assert len(rows) == len(keys) + 3


def test_ten_thousand_files_are_drawn_on_demand() -> None:
    source = opened("pilot")
    data = source.conversation.data
    names = [(seq, f"t-{seq:06}.sd") for seq in range(1, 10_001)]
    files = [LandedFile("", f"s/streams/main/{name}", name, seq, "main", None) for seq, name in names]
    data.files = [Landed(file, "transcript", times=array("q", [file.seq])) for file in files]
    calls = 0

    class Counting(VerificationRows):
        def draw(self, entry, width):  # type: ignore[no-untyped-def]
            nonlocal calls
            calls += 1
            return super().draw(entry, width)

    rows = Counting(source, UTC)
    assert isinstance(rows, RowSource)
    rows.narrow("t-00")
    rows.narrow("")
    assert calls == 0 and len(rows) > 10_000
    drawn_rows = [rows.line(index, 80) for index in range(5_000, 5_040)]
    assert calls == len(drawn_rows) == 40
    assert rows.index_of(("file", "s/streams/main/t-009999.sd")) is not None and calls == 40

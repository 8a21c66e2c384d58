"""Every list pane over the conformance cases: goldens at 80 and 120 columns, and what no data may break."""

from __future__ import annotations

from pathlib import Path

import pytest

from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, node, part, record, relation, said, unresolved
from tests.tui.panes.helpers import CASES, PANES, check_golden, check_rows, drawn, opened, rows_of

SHOWN = ("pilot", "fleet", "losses", "broken-gap", "broken-tampered", "broken-landed-missing", "craft", "hostile")
ALL = sorted(case.name for case in CASES.iterdir() if (case / "root").is_dir())


@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize("case", SHOWN)
def test_golden(case: str, pane: str) -> None:
    rows = rows_of(pane, opened(case))
    for width in (80, 120):
        check_golden(f"{case}-{pane}-{width}", drawn(rows, width))


@pytest.mark.parametrize("pane", PANES)
def test_ascii_golden(pane: str) -> None:
    lines = drawn(rows_of(pane, opened("pilot", ascii_only=True)), 80)
    assert all(line.isascii() for line in lines)
    check_golden(f"pilot-{pane}-ascii", lines)


@pytest.mark.parametrize("case", ALL)
def test_no_case_breaks_a_row(case: str) -> None:
    for ascii_only in (False, True):
        source = opened(case, ascii_only=ascii_only)
        for pane in PANES:
            rows = rows_of(pane, source)
            check_rows(rows, 40 if ascii_only else 100, ascii_only=ascii_only)
            for index in range(min(len(rows), 60)):
                target = rows.target(index)
                assert target is None or source.locate(target) is not None


EVIL = "\x1b]0;own\x07\x9b31m\u202e[bold]\r\n\t\u200bx\x00"


def test_hostile_words_everywhere(tmp_path: Path) -> None:
    """Every text that a root can bring into these panes acts on no terminal."""
    maker = Maker(tmp_path / "root")
    evil = EVIL.replace("\x00", "\x7f")
    call = part("call", "", id=evil, name=evil, server=evil, server_tool=evil, data={"command": evil})
    maker.land(
        said(evil, time="2026-01-01T00:00:00Z"),
        record(call, time="2026-01-01T00:00:05Z"),
        kind=evil.replace("\r\n", ""),
        name="x-000001.sd",
        stream="main",
    )
    maker.round(
        node("stream/e", "stream", stream="e\x1b", attrs={"role": evil, "label": evil, "named_by": evil}),
        node("segment/\x1b", "segment", attrs={"state": evil, "gates_unmet": [evil]}),
        node("talk/1", "talk", (1, 1), stream="main"),
        node("in/1", "message.external", (1, 1), parent="talk/1", stream="main"),
        node("tool/1", "tool", (1, 2, 0), parent="talk/1", stream="main", attrs={"name": evil}),
        node("odd\x1b", "kind\x1b[1m", parent="talk/1", stream="\x9b"),
        relation("starts", "tool/1", "stream/e", quality=evil, via=evil),
        relation("t\x1b", "nobody\x1b", "talk/1", id="rel\x1b", quality="q\x1b"),
        relation("in_segment", "talk/1", "segment/none\x1b", id="rel/s"),
        unresolved("u\x1b", kind=evil, ref=evil, reason=evil),
    )
    (maker.rounds_dir / "r000002-000000000000.sf").write_bytes(b'{"t":"header","schema":"\\u001b[1m"}\n')
    for ascii_only in (False, True):
        source = Opened(maker.load(), ascii_only=ascii_only)
        for pane in PANES:
            rows = rows_of(pane, source)
            check_rows(rows, 120, ascii_only=ascii_only)
            assert not any(c in "".join(drawn(rows, 120)) for c in "\x1b\x9b\x07\u202e\x7f\r\n")
            # The filter's errors are shown, too.
            assert visible_error(rows.narrow("re:(\x1b"))


def visible_error(words: str) -> bool:
    """Whether a filter was refused, in a sentence that is safe."""
    return "not a regular expression" in words and "\x1b" not in words


def test_nothing_folded_is_no_error() -> None:
    source = opened("broken-first-missing")
    for pane in PANES:
        check_rows(rows_of(pane, source), 80, ascii_only=False)
    lines = drawn(rows_of("verification", source), 80)
    assert lines[0].startswith("◐ incomplete · 3 problems · 0 of 4 rounds verified")
    assert "nothing of this conversation could be folded; the problems below say why" in lines

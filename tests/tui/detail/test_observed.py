"""Workspace changes and executions beside a call; what no conformance case holds is landed into a copy of one."""

from __future__ import annotations

from typing import Any

from asz_core.sessiondata.writer import landed_bytes
from asz_tui.lines.text_rows import Block
from asz_tui.panes.detail import plain


def landed(kind: str, data: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    return kind, [{"ord": 1, "parts": [{"k": "data", "data": data, "state": "available"}]}]


def change(**more: Any) -> tuple[str, list[dict[str, Any]]]:
    base = {
        "schema": "changes/1", "id": "x1", "captured_by": "asz-plugin", "session": "s", "stream": "main", "tool": "s8-tool",
        "time": "2026-01-01T00:01:11Z", "basis": "tool_window",
    }  # fmt: skip
    return landed("changes", {**base, **more})


def test_files_and_diffs(detail) -> None:
    text = plain(detail("extras").node("tool/tool-bump"), 100)
    assert "files           2 files · +3 −1" in text
    assert "modify relay/version.py  +1 −1  16 bytes → 16 bytes  only_this_window" in text
    assert "create relay/new.py  +2 −0  ∅ → 26 bytes" in text
    assert '  @@ -1,1 +1,1 @@\n  -VERSION = "0.2"\n  +VERSION = "0.3"\n' in text
    assert "outcome         returned · exit code 0" in text
    assert "read from       seq 2 · row 1 · block 0" in text
    assert "change record  seq 2 · row 1 · block 0" in text


def test_long_diffs_are_cut_and_can_be_shown_whole(altered) -> None:
    lines = [f"+line {number}" for number in range(500)]
    file = {
        "path": "a.txt", "operation": "create", "before": {"present": False}, "diff": "available", "additions": 500, "deletions": 0,
        "after": {"present": True, "bytes": 9, "no_newline_at_end": True},
        "hunks": [{"old_start": 0, "old_lines": 0, "new_start": 1, "new_lines": 500, "lines": lines}],
    }  # fmt: skip
    builder = altered("pilot", add=[change(coverage="complete", changed_files=1, changes=[file])])
    items = builder.node("tool/s8-tool")
    text = plain(items, 90)
    assert "+line 198" in text and "+line 199" not in text
    assert "302 more lines" in text
    assert any(isinstance(item, Block) and item.key == ("more", "a.txt") for item in items)
    whole = plain(builder.node("tool/s8-tool", whole=True), 90)
    assert "+line 499" in whole and "more lines" not in whole
    assert "no line break at the end after" in whole


def test_the_three_wordings_of_nothing(altered) -> None:
    builder = altered(
        "pilot",
        add=[
            change(id="a", coverage="read_only"),
            change(id="b"),
            change(id="c", coverage="complete", changed_files=0),
            change(id="d", coverage="partial", changed_files=0, gaps=["too many files"]),
        ],
    )
    text = plain(builder.node("tool/s8-tool"), 120)
    assert "workspace changes · 4 records" in text
    assert "not observed: the tool counts as read-only" in text
    assert "unknown: how many files changed is unavailable" in text
    assert "none: a whole observation found no changed file" in text
    assert "none seen" in text and "too many files" in text


def test_a_file_without_a_diff(altered) -> None:
    file = {
        "path": "b.bin", "operation": "modify", "diff": "binary",
        "before": {"present": True, "bytes": 3, "sha256": "a" * 64}, "after": {"present": True, "sha256": "b" * 64},
    }  # fmt: skip
    text = plain(altered("pilot", add=[change(changes=[file])]).node("tool/s8-tool"), 120)
    assert "binary · sha256 aaaaaaaaaaaa → bbbbbbbbbbbb" in text
    assert "lines unknown  3 bytes → ?" in text


def test_executions(altered) -> None:
    record = {
        "schema": "execution/1", "id": "e1", "observed_by": "asz-plugin", "boundary": "client", "session": "s", "stream": "main",
        "tool": "s8-tool", "protocol": "mcp", "server": {"name": "disk", "source": "project"}, "time": "2026-01-01T00:01:10Z",
        "duration_ms": 380, "outcome": "returned", "arguments": {"state": "hash_only", "bytes": 85, "sha256": "c" * 64},
    }  # fmt: skip
    failed = {**record, "id": "e2", "outcome": "timed_out"}
    del failed["duration_ms"]
    builder = altered("pilot", add=[landed("execution", record), landed("execution", failed)])
    text = plain(builder.node("tool/s8-tool"), 120)
    assert "execution · 2 observations" in text
    assert "observed by    asz-plugin · client" in text
    assert "server         disk" in text and "configured in  project" in text
    assert "outcome        returned" in text and "outcome        timed_out" in text
    assert "measured time  380 ms  waiting for the server included" in text and "measured time  not reported" in text
    assert "sent           hash_only · 85 bytes  sha256 cccccccccccc" in text
    assert text.count("execution record") == 2
    assert '"schema": "execution/1"' in plain(builder.records("tool/s8-tool"), 120)


def test_what_lands_later_is_shown(altered, tmp_path) -> None:
    builder = altered("pilot")
    assert "workspace changes" not in plain(builder.node("tool/s8-tool"), 100)
    folder = next((tmp_path / "root").glob("*/streams/main"))
    kind, records = change(changed_files=0)
    header = {"seq": 950, "kind": kind, "session": "s", "src": "s", "dialect": "d"}
    (folder / "changes-20260101T000000.000000000Z-000950.sd").write_bytes(landed_bytes(header, records))
    builder.opened.take(builder.opened.conversation.read_new())
    assert "workspace changes · 1 record" in plain(builder.node("tool/s8-tool"), 100)

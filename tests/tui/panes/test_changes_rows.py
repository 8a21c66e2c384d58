"""The Changes pane: workspace changes with their files, executions, captured bodies; never merged, never blank."""

from __future__ import annotations

from datetime import UTC

from asz_tui.panes.changes_rows import ChangesRows
from tests.tui.panes.helpers import check_golden, check_rows, drawn, index_with, opened


def test_golden() -> None:
    rows = ChangesRows(opened("extras"), UTC)
    for width in (80, 120):
        check_golden(f"extras-changes-{width}", drawn(rows, width))
    check_rows(rows, 100, ascii_only=False)
    plain = ChangesRows(opened("extras", ascii_only=True), UTC)
    check_golden("extras-changes-ascii", drawn(plain, 80))
    check_rows(plain, 80, ascii_only=True)


def test_rows_lead_to_their_step_and_bodies_to_their_call() -> None:
    rows = ChangesRows(opened("extras"), UTC)
    assert rows.target(index_with(rows, "sed -i")) == "tool/tool-bump"
    assert rows.target(index_with(rows, "relay/new.py")) == "tool/tool-bump"
    assert rows.target(index_with(rows, "seq 6 · 3")) == "call/s3-call-ce98f80c9744"


def test_files_fold_under_their_record_and_narrow() -> None:
    rows = ChangesRows(opened("extras"), UTC)
    everything = len(rows)
    rows.toggle(index_with(rows, "sed -i"))
    assert len(rows) == everything - 2
    rows.set_all(False)
    assert len(rows) == everything - 3
    rows.set_all(True)
    assert rows.narrow("a.py") == ""
    words = "\n".join(drawn(rows, 120))
    assert "relay/a.py" in words and "relay/new.py" not in words


def test_a_conversation_without_any_says_so() -> None:
    rows = ChangesRows(opened("pilot"), UTC)
    assert len(rows) == 1 and "was observed" in drawn(rows, 120)[0]
    assert rows.target(0) is None

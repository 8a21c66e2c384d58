"""A search of a whole root finds in each conversation what a search in it finds; in a process, in a thread, and stopped."""

from __future__ import annotations

import shutil
import threading
from datetime import UTC
from pathlib import Path

import pytest

from asz_core import Root
from asz_tui.lines.line import RowSource
from asz_tui.panes.results_rows import AllResultsRows
from asz_tui.session import search_all as module
from asz_tui.session.opened import Opened
from asz_tui.session.search import compile_query, run
from asz_tui.session.search_all import HITS, AllSearch, InConversation, Progress, search_all
from asz_tui.text.safe import visible
from tests.tui.panes import helpers
from tests.tui.search.oracle import never

_CASES = ("pilot", "fleet", "hostile", "idle", "losses", "hello", "craft", "broken-gap", "broken-first-missing", "broken-landed-missing", "words-hard")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Many conversations in one root."""
    path = tmp_path_factory.mktemp("all")
    for case in _CASES:
        shutil.copytree(helpers.CASES / case / "root", path, dirs_exist_ok=True)
    return Root(path)


def _counts(root: Root, query: str) -> dict[str, int]:
    found = {}
    for name in root.conversations():
        conversation = root.load(name)
        hits = run(Opened(conversation), compile_query(query), never)
        if hits.ids:
            found[name] = len(hits.ids)
    return found


@pytest.mark.parametrize("query", ["deadline", "log-reader", "e", "zzznothing", "re:\\d{4}-\\w+", "ключ", "tool", "a reminder", "<"])
def test_each_conversation_gives_what_a_search_in_it_gives(root: Root, query: str) -> None:
    events = list(search_all(root, query))
    found = [event for event in events if isinstance(event, InConversation)]
    assert {one.id: one.count for one in found if one.count} == _counts(root, query)
    order = [row.id for row in root.rows()]
    assert [order.index(one.id) for one in found] == sorted(order.index(one.id) for one in found)
    last = events[-1]
    assert isinstance(last, Progress) and last.done == last.total == len(order) and last.bytes_done == last.bytes_total > 0
    pattern = compile_query(query).pattern
    for one in found:
        assert len(one.hits) == min(HITS, one.count)
        assert all(pattern.search(hit.match) for hit in one.hits)


def test_titles_and_ids_count_as_well(root: Root) -> None:
    row = next(row for row in root.rows() if row.title)
    for query in (row.id[:13], row.title.split()[0]):
        assert any(isinstance(one, InConversation) and one.id == row.id and one.named for one in search_all(root, query))


def _run(search: AllSearch, told: threading.Event) -> None:
    search.start()
    assert told.wait(20)


@pytest.mark.parametrize("process", [True, False])
def test_it_runs_beside_the_screen(root: Root, process: bool) -> None:
    over = threading.Event()
    search = AllSearch(root, "deadline", lambda: search.done and over.set(), process=process)
    _run(search, over)
    assert search.done and not search.error
    assert {one.id: one.count for one in search.results} == _counts(root, "deadline")
    assert search.progress.done == search.progress.total


def test_a_wrong_query_and_an_empty_one_are_over_at_once(root: Root) -> None:
    for query, error in (("re:(", "not a regular expression"), ("", ""), ("re:", "")):
        over = threading.Event()
        search = AllSearch(root, query, over.set)
        _run(search, over)
        assert search.done and search.error.startswith(error) and bool(search.error) == bool(error) and not search.results


def test_it_can_be_stopped(root: Root) -> None:
    for process in (True, False):
        first = threading.Event()
        search = AllSearch(root, "re:(a|e)+.*x", first.set, process=process)
        search.start()
        search.stop()
        assert search.done
        worker = search._process
        if worker is not None:
            assert worker.wait(5) is not None
    stopped = iter([False] * 3 + [True] * 1000)
    assert len([one for one in search_all(root, "e", lambda: next(stopped)) if isinstance(one, InConversation)]) < len(_CASES) - 2


def test_without_a_process_the_thread_does_it(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(module.subprocess, "Popen", refuse)
    over = threading.Event()
    search = AllSearch(root, "deadline", lambda: search.done and over.set())
    _run(search, over)
    assert search.results and not search.error


def test_a_root_that_goes_away_is_said_or_harmless(tmp_path: Path) -> None:
    shutil.copytree(helpers.CASES / "hello" / "root", tmp_path / "root")
    root = Root(tmp_path / "root")
    shutil.rmtree(tmp_path / "root")
    over = threading.Event()
    search = AllSearch(root, "hello", lambda: search.done and over.set())
    _run(search, over)
    assert search.done and not search.results


@pytest.mark.parametrize("ascii_only", [False, True])
def test_rows_of_all_results(root: Root, ascii_only: bool) -> None:
    over = threading.Event()
    search = AllSearch(root, "e", lambda: search.done and over.set(), process=False)
    rows = AllResultsRows(None, UTC, ascii_only)
    assert len(rows) == 0 and rows.progress_words() == "" and isinstance(rows, RowSource)
    _run(search, over)
    results, search.results = search.results, search.results[:1]
    rows.set_search(search)
    before, version = len(rows), rows.version
    search.results = results
    rows.take()
    assert rows.version != version and len(rows) == sum(1 + len(one.hits) for one in results) > before
    for index in range(len(rows)):
        assert rows.index_of(rows.key(index)) == index
        found, node = rows.target(index)
        assert found in root.conversations() and node
        for width in (40, 80, 160):
            text = "".join(text for text, _ in rows.line(index, width).left)
            assert visible(text) == text and (not ascii_only or text.isascii())
    assert rows.target(len(rows)) is None and rows.full(0)
    hits = sum(one.count for one in results)
    assert rows.progress_words().startswith(f"{hits:,} hits in {len(results)} conversations")
    search.done = False
    assert "so far" in rows.progress_words()

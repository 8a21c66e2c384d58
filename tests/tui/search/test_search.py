"""What a search finds is what brute force finds, in reading order, whatever the spelling in the files."""

from __future__ import annotations

import random
import re
import shutil
import threading
import time
from pathlib import Path

import pytest

from asz_core import Root
from asz_tui.demo import LIVE_CONVERSATION
from asz_tui.demo.live import LivePublisher
from asz_tui.session import search as module
from asz_tui.session.opened import Opened
from asz_tui.session.search import compile_query, run, snippet
from tests.tui.panes import helpers
from tests.tui.search.oracle import CASES, all_texts, brute, never, opened, search, shown_texts

_WORD = re.compile(r"\S+")
_WORDY = "unresolved"
_TRICKY = [
    "e", "0", " ", '"', "\\", "<", "\\n", "\\u003c", '{"', "</", "a/b", "it's", "&", "é", "ß", "Ä", "ключ", "検索", "🙂", "·", "\ufffd",
    "İ", "\u212a", "ſ", "kid", "tool", "available", "main", "msg/1", "Read", "READ", "[x](y)", "a message that came",
    "re:^.", "re:\\bthe\\b", "re:(?i)FAIL \\d+", "re:[a-z]+ \\d+ [a-z]+", "re:tool/.*:0$", "re:a|b", "re:(?s)a.b", "re:\\\\u", "re:x*",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_search_finds_what_brute_force_finds(case: str) -> None:
    source = opened(case)
    texts = all_texts(source)
    chance = random.Random(case)
    words = sorted({word for _, of_node in texts for text in of_node for word in _WORD.findall(text[:4000])[:40]})
    few = 60_000 // (1 + sum(len(text) for _, of_node in texts for text in of_node) // 20)
    queries = chance.sample(_TRICKY, min(len(_TRICKY), max(4, few // 20)))
    queries += [word[:30] for word in chance.sample(words, min(len(words), max(3, min(10, few // 30))))]
    for query in queries:
        for spelling in {query, query.lower()} if not query.startswith("re:") else {query}:
            assert search(source, spelling).ids == brute(texts, spelling), spelling


@pytest.mark.parametrize("case", ["pilot", "fleet", "hostile", "words-hard", "craft", "craft-raw", "craft-bytes", "clips", "extras"])
def test_every_tricky_query_in_the_hard_cases(case: str) -> None:
    source = opened(case)
    texts = all_texts(source)
    for query in _TRICKY:
        assert search(source, query).ids == brute(texts, query), query


@pytest.mark.parametrize("case", ["pilot", "hello", "idle", "hostile", "losses", "craft", "craft-bytes", "craft-raw", "words-hard", "extras"])
def test_every_word_that_the_document_shows_is_found_at_its_node(case: str) -> None:
    source = opened(case)
    wanted: dict[str, set[str]] = {}
    for node_id, text in shown_texts(source):
        # The last word of a clipped text may be a part of a word and still be found.
        for word in _WORD.findall(text):
            if "\ufffd" not in word:
                wanted.setdefault(word[:40], set()).add(node_id)
    chance = random.Random(case)
    for word in chance.sample(sorted(wanted), min(len(wanted), 150)):
        missed = wanted[word] - set(search(source, word).ids)
        assert not missed, (word, missed)


def test_whole_texts_are_looked_at_beyond_the_clip() -> None:
    source = opened("clips")
    beyond = 0
    for tree, place in source.steps():
        node = tree.nodes[place]
        record = source.conversation.record(node.ref.seq, node.ref.row) if node.ref else None
        for part in (record.parts or ()) if record else ():
            if len(part.text) > 4000 and node.kind == "message.assistant":
                tail = part.text[-60:-20]
                beyond += 1
                assert node.id in search(source, tail).ids
    assert beyond


def test_several_files_of_one_sequence_and_files_that_are_gone(tmp_path: Path) -> None:
    shutil.copytree(helpers.CASES / "pilot" / "root", tmp_path, dirs_exist_ok=True)
    root = Root(tmp_path)
    source = Opened(root.load(root.conversations()[0]))
    expected = search(source, "deadline").ids
    assert expected
    module._shelves.clear()
    for path in tmp_path.rglob("*.sd"):
        path.unlink()
    found = run(source, compile_query("deadline"), never)
    assert found.done and found.unread and not found.ids


def test_wrong_and_empty_queries() -> None:
    source = opened("pilot")
    for query in ("", "re:"):
        found = compile_query(query)
        assert found.pattern is None and not found.error and run(source, found, never).done and not found.ids
    for query in ("re:(", "re:a{99999999999999}", "re:" + "(" * 3000):
        found = compile_query(query)
        assert found.pattern is None and found.error.startswith("not a regular expression")
        assert run(source, found, never).done


def test_hits_come_in_reading_order_and_only_at_the_end() -> None:
    source = opened("fleet")
    module._shelves.clear()
    found = compile_query("e")
    seen: list[list[str]] = []
    source_order = {tree.nodes[place].id: at for at, (tree, place) in enumerate(source.steps())}
    run(source, found, never, lambda: seen.append(list(found.ids)))
    orders = [source_order[node_id] for node_id in found.ids]
    assert orders == sorted(orders) and len(set(orders)) == len(orders)
    assert seen and all(found.ids[: len(some)] == some for some in seen)
    assert [found.position(node_id) for node_id in found.ids] == list(range(1, len(found.ids) + 1))
    assert found.position("no/such") == found.position(None) == 0
    assert found.looked == found.total == len(source_order)


def test_positions_keep_up_while_hits_come() -> None:
    found = compile_query("x")
    for number in range(1, 2000):
        found.ids.append(f"n{number}")
        if not number % 7:
            assert found.position(f"n{number}") == number
    assert found.position("n1999") == 1999


def test_a_stopped_search_is_not_done_and_the_next_one_goes_on() -> None:
    source = opened("fleet")
    module._shelves.clear()
    calls = 0

    def soon() -> bool:
        nonlocal calls
        calls += 1
        return calls > 2

    stopped = run(source, compile_query("e"), soon)
    assert not stopped.done or calls <= 2
    assert search(source, "e").ids == brute(all_texts(source), "e")


def test_typing_on_narrows_to_the_same_as_a_fresh_search(monkeypatch: pytest.MonkeyPatch) -> None:
    source = opened("coherent-9")
    texts = all_texts(source)
    module._shelves.clear()
    looked: list[int] = []
    matching = module._Search._matching

    def counting(self, tree, places):  # type: ignore[no-untyped-def]
        looked.append(len(places))
        return matching(self, tree, places)

    monkeypatch.setattr(module._Search, "_matching", counting)
    for end in range(1, len(_WORDY) + 1):
        looked.clear()
        query = _WORDY[:end]
        assert search(source, query).ids == brute(texts, query)
        if end > 4:
            assert sum(looked) < len(texts) // 4
    for query in (_WORDY.title(), _WORDY.upper(), _WORDY[:4], _WORDY[:3], "re:" + _WORDY[:5], _WORDY[2:6], _WORDY + "x"):
        assert search(source, query).ids == brute(texts, query), query
    looked.clear()
    search(source, _WORDY[:4])
    assert not looked


def test_after_a_round_only_the_trees_it_touched_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = LivePublisher(tmp_path)
    publisher.publish_next()
    source = Opened(Root(tmp_path).load(LIVE_CONVERSATION))
    queries = ("e", "the", "main", "zzz")
    for query in queries:
        search(source, query)
    looked: list[str] = []
    matching = module._Search._matching

    def counting(self, tree, places):  # type: ignore[no-untyped-def]
        looked.append(tree.nodes[0].id)
        return matching(self, tree, places)

    monkeypatch.setattr(module._Search, "_matching", counting)
    while publisher.publish_next() is not None:
        before = module._shelf_of(source).roles
        applied = source.take(source.conversation.read_new())
        texts = all_texts(source)
        for query in queries:
            looked.clear()
            assert search(source, query).ids == brute(texts, query)
            if applied.roots is not None and module._shelf_of(source).roles == before:
                assert set(looked) <= applied.roots


def test_rounds_may_land_while_a_search_runs(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path)
    publisher.publish_next()
    source = Opened(Root(tmp_path).load(LIVE_CONVERSATION))
    end = threading.Event()
    errors: list[BaseException] = []

    def again() -> None:
        try:
            while not end.is_set():
                module._shelves.clear()
                run(source, compile_query("e"), never)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    while publisher.publish_next() is not None:
        source.take(source.conversation.read_new())
        time.sleep(0.02)
    end.set()
    thread.join(5)
    assert not errors
    assert search(source, "e").ids == brute(all_texts(source), "e")


def test_a_conversation_that_is_let_go_of_leaves_nothing_behind() -> None:
    import gc

    source = helpers.opened("hello")
    search(source, "hello")
    before = len(module._shelves)
    del source
    gc.collect()
    assert len(module._shelves) == before - 1


@pytest.mark.parametrize("case", ["pilot", "hostile", "words-hard", "fleet"])
def test_every_hit_has_a_snippet_that_matches(case: str) -> None:
    source = opened(case)
    for query in ("e", "tool", "<", "re:\\d{3}", "is"):
        found = search(source, query)
        for node_id in found.ids[:60]:
            where = snippet(source, found, node_id)
            assert where is not None and found.pattern.search(where.match), (query, node_id)
            assert len(where.before) <= 200 and len(where.match) <= 200 and len(where.after) <= 200
    assert snippet(source, found, "no/such") is None

"""What each key does in a conversation and in the list, driven through the running app."""

from __future__ import annotations

from pathlib import Path

import pytest

from asz_tui.demo import sample_root
from asz_tui.keys import CONVERSATION, HOME, Key
from asz_tui.screens.conversation import ConversationScreen
from asz_tui.screens.help import HelpScreen, help_rows
from asz_tui.screens.home import HomeScreen
from tests.tui.app.driving import case_root, listed, make_app, open_case, ready, screen_text, until


def _label(screen: ConversationScreen) -> str:
    node = screen.selected()
    assert node is not None
    found = screen.opened.locate(node)
    return screen.opened.grammar.describe(*found).label


async def test_folding_shows_and_hides_what_is_below() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        folded = len(screen.talks)
        await pilot.press("space")
        assert len(screen.talks) > folded
        await pilot.press("h")
        assert len(screen.talks) == folded
        await pilot.press("l", "l")
        assert screen.opened.conversation.fold.nodes[screen.selected()].kind == "run"
        await pilot.press("h")
        assert screen.opened.conversation.fold.nodes[screen.selected()].kind == "talk"
        await pilot.press("H", "L")
        tree, _ = screen.opened.locate(screen.selected())
        shown = {screen.talks.key(at) for at in range(len(screen.talks))}
        assert {node.id for node in tree.nodes} <= shown
        await pilot.press("Z")
        assert len(screen.talks) == folded
        await pilot.press("z")
        every = {node.id for tree in screen.opened.trees for node in tree.nodes}
        assert every <= {screen.talks.key(at) for at in range(len(screen.talks))}


async def test_unfolding_everything_keeps_the_cursor_on_its_node() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("G", "k")
        kept = screen.selected()
        await pilot.press("z")
        assert screen.selected() == kept
        assert screen.view.source.key(screen.view.cursor) == kept


async def test_talks_by_a_person_leave_out_the_childs() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        seen = [screen.selected()]
        for _ in range(6):
            await pilot.press("J")
            if screen.selected() == seen[-1]:
                break
            seen.append(screen.selected())
        assert seen == ["talk/main/s1-cycle", "talk/main/s11-cycle", "talk/main/s16-cycle-compact", "talk/main/s17-cycle"]
        assert "no further talk by a person" in screen_text(app)
        await pilot.press("K")
        assert screen.selected() == seen[-2]


async def test_the_error_keys_find_failed_tools_and_synthetic_messages() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("e")
        assert screen.selected() == "tool/s5-tool"
        await pilot.press("e")
        assert screen.conversation.fold.nodes[screen.selected()].kind == "message.synthetic"
        await pilot.press("E")
        assert screen.selected() == "tool/s5-tool"


async def test_the_unresolved_key_finds_the_call_without_a_result() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("u")
        assert screen.selected() == "tool/s12-tool"
        await pilot.press("U")
        assert "no further unresolved step" in screen_text(app)


async def test_brackets_go_to_siblings_and_backspace_goes_back() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        first = screen.selected()
        await pilot.press("right_square_bracket")
        second = screen.selected()
        assert second == screen.opened.trees[1].nodes[0].id
        await pilot.press("left_square_bracket")
        assert screen.selected() == first
        await pilot.press("backspace")
        assert screen.selected() == second
        await pilot.press("ctrl+n")
        assert screen.selected() == first


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("deadline", "msg/1/17:0"),
        ("re:first connection after \\d+ ms", "msg/2/6:0"),
        ("FAIL 133", "tool/s5-tool"),
        ("unres-no-such-thing", None),
    ],
)
async def test_search_finds_texts_results_and_patterns(query: str, expected: str | None) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("slash")
        await pilot.press(*(_key(char) for char in query))
        await until(pilot, lambda: screen.found is not None and screen.found.query == query and screen.found.done)
        await pilot.press("enter")
        if expected is None:
            assert "no match" in screen_text(app)
        else:
            assert expected in screen.found.ids
            ids = screen.found.ids
            await until(pilot, lambda: screen.selected() in ids)
            await pilot.press(*["n"] * ids.index(expected))
            for _ in ids:
                if screen.selected() == expected:
                    break
                await pilot.press("n")
            assert screen.selected() == expected
            assert f"of {len(ids)}" in screen_text(app)
        await pilot.press("escape")
        assert screen.found.pattern is None


def _key(char: str) -> str:
    names = {" ": "space", ":": "colon", "\\": "backslash", "+": "plus", "-": "minus"}
    return names.get(char, char)


async def test_a_wrong_pattern_is_said_and_harmless() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("slash", "r", "e", "colon", "left_parenthesis", "enter")
        assert "not a regular expression" in screen_text(app)


async def test_smart_case() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("slash", *"bash")
        await until(pilot, lambda: screen.found is not None and screen.found.query == "bash" and screen.found.done)
        small = len(screen.found.ids)
        await pilot.press("ctrl+u", *"BASH")
        await until(pilot, lambda: screen.found.query == "BASH" and screen.found.done)
        assert small > 0 and len(screen.found.ids) == 0


async def test_the_detail_opens_follows_the_cursor_and_closes() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("z", "e", "enter")
        assert screen.detail_shown
        assert "3 failed, 197 passed" in screen_text(app)
        await pilot.press("J")
        await until(pilot, lambda: "3 failed, 197 passed" not in screen_text(app))
        await pilot.press("enter")
        assert not screen.detail_shown


async def test_record_records_and_word_show_in_the_detail_and_the_same_key_goes_back() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("z", "e", "r")
        assert '"ord"' in screen_text(app)
        await pilot.press("r")
        await until(pilot, lambda: '"ord"' not in screen_text(app))
        await pilot.press("R")
        rows = screen.detail_view.rows
        rows.finish()
        lines = ["".join(text for text, _ in rows.line(at, 60).left) for at in range(len(rows))]
        assert sum("seq 1 · row" in line for line in lines) >= 2
        await pilot.press("w")
        assert "tool" in screen_text(app)
        await pilot.press("tab")
        assert screen.detail_view.has_focus
        await pilot.press("tab")
        assert screen.view.has_focus


async def test_verification_leads_to_the_step_that_an_open_reference_names() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("6")
        rows = screen.source
        at = next(index for index in range(len(rows)) if rows.target(index) == "tool/s12-tool")
        screen.view.move_to(at)
        await pilot.press("enter")
        assert screen.pane == "talks" and screen.selected() == "tool/s12-tool"


async def test_noise_levels_hide_kinds_and_say_so() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("z")
        all_rows = len(screen.talks)
        await pilot.press("t")
        quieter = len(screen.talks)
        await pilot.press("t")
        spoken = len(screen.talks)
        assert all_rows > quieter > spoken
        kinds = {screen.conversation.fold.nodes[k].kind for at in range(spoken) if isinstance(k := screen.talks.key(at), str)}
        assert kinds <= {"talk", "message.external", "message.assistant", "agent.output", "message.synthetic", "error.api"}
        await pilot.press("t", "T")
        assert len(screen.talks) < all_rows


async def test_every_movement_key_moves_in_the_list() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("z", "g", "g")
        assert screen.view.cursor == 0
        for key, way in [("j", 1), ("down", 1), ("ctrl+d", 1), ("pagedown", 1), ("k", -1), ("up", -1), ("ctrl+u", -1), ("pageup", -1)]:
            before = screen.view.cursor
            await pilot.press(key)
            assert (screen.view.cursor - before) * way > 0, key
        await pilot.press("G")
        assert screen.view.cursor == len(screen.talks) - 1
        await pilot.press("home")
        assert screen.view.cursor == 0


async def test_help_lists_every_key_and_closes() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(100, 120)) as pilot:
        await ready(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        text = screen_text(app)
        for key in CONVERSATION:
            assert key.words in text, key.id
        await pilot.press("q")
        assert isinstance(app.screen, ConversationScreen)


@pytest.mark.parametrize("keys", [CONVERSATION, HOME], ids=["conversation", "home"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_row_of_the_help_is_cut_on_a_small_screen(keys: tuple[Key, ...], ascii_only: bool) -> None:
    rows = ["".join(text for text, _ in line.left) for _, line in help_rows(keys, ascii_only, 78)]
    assert max(map(len, rows)) <= 78
    said = " ".join(" ".join(rows).split())
    assert all(key.words in said for key in keys)


async def test_home_opens_sorts_filters_and_quits() -> None:
    app = make_app(sample_root())
    async with app.run_test(size=(120, 40)) as pilot:
        home = await listed(pilot)
        assert len(home.rows) == 3
        await pilot.press("slash", *"fleet", "enter")
        assert len(home.rows) == 1
        await pilot.press("escape")
        assert len(home.rows) == 3
        words = home.rows.sort_words()
        await pilot.press("s")
        assert home.rows.sort_words() != words
        await pilot.press("enter")
        await ready(pilot)
        await pilot.press("q")
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("question_mark")
        text = screen_text(app)
        assert all(key.words in text for key in HOME)
        await pilot.press("q", "q")
    assert app.return_code == 0


async def test_a_new_conversation_shows_in_the_list_by_itself(tmp_path: Path) -> None:
    import shutil

    app = make_app(tmp_path, watch=True)
    async with app.run_test(size=(120, 24)) as pilot:
        home = await listed(pilot)
        assert "no conversation yet" in screen_text(app)
        shutil.copytree(case_root("hello"), tmp_path, dirs_exist_ok=True)
        await until(pilot, lambda: len(home.rows) == 1)
        await until(pilot, lambda: "say hello" in screen_text(app))
        shutil.rmtree(tmp_path / "_conversations")
        await until(pilot, lambda: len(home.rows) == 0)


async def test_a_deep_link_puts_the_cursor_on_its_node() -> None:
    app = open_case("pilot", node="tool/s5-tool")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        assert screen.selected() == "tool/s5-tool"
        assert "Bash" in _label(screen) or _label(screen)


async def test_resizing_keeps_the_cursor_in_view() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("z", "G")
        kept = screen.selected()
        for size in ((80, 24), (40, 10), (200, 60)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert screen.selected() == kept
            assert screen.view.top <= screen.view.cursor < screen.view.top + screen.view.size.height


async def test_edges_are_listed_with_quality_and_followed_and_back() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("tool/s6-tool")
        await pilot.press("g")
        text = screen_text(app)
        assert "starts" in text and "exact_unique" in text and "parent tool result" in text
        await pilot.press("1")
        assert screen.selected() == "talk/aad8b0a671c52061f"
        await pilot.press("p")
        assert screen.selected() == "tool/s6-tool"
        await pilot.press("backspace", "backspace")
        assert screen.selected() == "tool/s6-tool"


async def test_several_openers_are_listed_and_none_is_chosen() -> None:
    app = open_case("craft")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("out/k")
        await pilot.press("p")
        assert "none chosen" in screen_text(app)
        await pilot.press("escape")
        assert screen.selected() == "out/k"


async def test_a_call_that_started_several_streams_is_said_to_be_a_pool() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("tool/s2-tool")
        await pilot.press("g")
        assert "started 4 streams: all of them its children, not competing guesses" in screen_text(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
@pytest.mark.parametrize("case", ["fleet", "losses", "broken-tampered", "broken-first-missing", "hostile"])
async def test_every_pane_shows_moves_folds_sorts_and_leads_somewhere(case: str, size: tuple[int, int]) -> None:
    app = open_case(case)
    async with app.run_test(size=size) as pilot:
        screen = await ready(pilot)
        for pane in ("3", "4", "5", "6", "7", "1"):
            await pilot.press(pane, "j", "G", "home", "z", "Z", "space", "s")
            if pane == "7":
                await until(pilot, lambda: screen.source.done)
            assert len(screen.view.source) or (case, pane) == ("broken-first-missing", "1")
            assert all(not (ord(char) < 32 or 0x7F <= ord(char) < 0xA0) for char in screen_text(app).replace("\n", ""))


async def test_a_table_is_narrowed_and_the_escape_key_shows_all_again() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("5")
        rows = len(screen.source)
        await pilot.press("slash", *"ends", "enter")
        assert 0 < len(screen.source) < rows
        await pilot.press("escape")
        assert len(screen.source) == rows
        await pilot.press("t", "t")
        assert len(screen.source) < rows


async def test_rows_of_the_detail_lead_to_edges_and_records() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 60)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("tool/s6-tool")
        await pilot.press("enter", "tab")
        rows = screen.detail_view.rows
        rows.finish()
        keys = [rows.key(at) for at in range(len(rows))]
        edge = next(k for k in keys if isinstance(k[0], tuple) and k[0][1][0] == "edge")
        screen.detail_view.move_to(edge)
        await pilot.press("enter")
        assert screen.selected() != "tool/s6-tool"
        assert screen.go_to("tool/s6-tool")
        await pilot.pause(0.2)
        ref = next(k for k in keys if isinstance(k[0], tuple) and k[0][1][0] == "ref")
        screen.focus_detail()
        screen.detail_view.move_to(ref)
        await pilot.press("enter")
        assert '"ord"' in screen_text(app)


async def test_the_palette_runs_what_is_chosen_by_its_words() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("colon", *"verif", "enter")
        await pilot.pause()
        assert screen.pane == "verification"
        await pilot.press("ctrl+p", *"zzzz")
        assert "nothing is called so" in screen_text(app)
        await pilot.press("escape")
        assert app.screen is screen


async def test_the_timeline_shares_its_selection_with_the_tree_and_its_keys_move_it() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("tool/s5-tool")
        await pilot.press("2")
        assert screen.pane == "flow" and screen.flow.model.selected == "tool/s5-tool"
        assert "whole session" in screen_text(app)
        seen = {screen.selected()}
        for key in ("l", "l", "h", "right_square_bracket", "left_square_bracket", "j", "k", "G", "home", "plus", "minus", "0", "c", "L", "H"):
            await pilot.press(key)
            seen.add(screen.selected())
            assert screen.flow.model.selected == screen.selected()
        assert len(seen) > 4
        await pilot.press("z")
        assert screen.flow.model.stream == "main"
        assert "responses" in screen_text(app) and "tools" in screen_text(app)
        await pilot.press("escape", "space")
        assert screen.flow.model.scope is not None
        await pilot.press("escape")
        kept = screen.selected()
        await pilot.press("enter")
        assert screen.pane == "talks" and screen.selected() == kept


async def test_copies_say_where_they_went(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("tool/s5-tool")
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        for key, word in (("y", "FAIL 133"), ("Y", "asz-tui "), ("I", "tool/s5-tool")):
            written.clear()
            await pilot.press(key)
            sent = "".join(written)
            assert "\x1b]52;c;" in sent
            import base64

            data = base64.b64decode(sent.split("\x1b]52;c;")[1].split("\x07")[0].split("\x1b")[0]).decode()
            assert word in data
            assert "clipboard" in screen_text(app).splitlines()[-1] or "copied" in screen_text(app).splitlines()[-1].lower()


async def test_a_field_of_the_detail_is_copied_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    import base64

    app = open_case("pilot", node="tool/s5-tool")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("enter", "tab")
        rows = screen.detail_view.rows
        at = next(at for at in range(len(rows)) if "reproduce the failure" in rows.text_at(at))
        screen.detail_view.move_to(at)
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        await pilot.press("y")
        sent = "".join(written).split("\x1b]52;c;")[1].split("\x07")[0].split("\x1b")[0]
        assert base64.b64decode(sent).decode() == "reproduce the failure"


async def test_export_writes_the_conversation_and_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        files = list(tmp_path.iterdir())
        assert len(files) == 1 and files[0].stat().st_size > 100
        assert files[0].name[:20] in screen_text(app)


async def test_the_width_of_the_detail_changes_and_stays() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("enter")
        before = screen.detail_view.size.width
        await pilot.press("left_curly_bracket")
        await pilot.pause()
        assert screen.detail_view.size.width > before
        await pilot.press("right_curly_bracket", "right_curly_bracket")
        await pilot.pause()
        assert screen.detail_view.size.width < before


async def test_the_filter_narrows_the_tree_says_so_and_escape_shows_all() -> None:
    from asz_tui.session.filters import Filter

    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        rows = len(screen.talks)
        screen.set_filter(Filter(failed=True))
        keys = {screen.talks.key(at) for at in range(len(screen.talks))}
        assert "tool/s5-tool" in keys and "talk/main/s1-cycle" in keys
        assert "talk/main/s17-cycle" not in keys
        assert "filter: failed" in screen_text(app)
        await pilot.press("escape")
        assert len(screen.talks) == rows and "filter:" not in screen_text(app)
        await pilot.press("f")
        await pilot.pause()
        assert app.screen is not screen
        await pilot.press("escape")
        assert app.screen is screen


async def test_results_are_a_list_that_leads_to_each_match() -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("slash", *"rename")
        await until(pilot, lambda: screen.found is not None and screen.found.query == "rename" and screen.found.done)
        await pilot.press("enter", "ctrl+f")
        assert screen.pane == "results" and len(screen.source) == len(screen.found.ids) > 1
        await pilot.press("j", "enter")
        assert screen.pane == "talks" and screen.selected() == screen.found.ids[1]


@pytest.mark.parametrize(("typed", "expected"), [("00:26:38", "00:26:38"), ("00:26:45", "00:26:45"), ("+1m", "00:01:01"), ("nonsense", None)])
async def test_a_time_is_jumped_to(typed: str, expected: str | None) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("at", *(_key(char) for char in typed), "enter")
        if expected is None:
            assert "not a time" in screen_text(app)
        else:
            assert expected in screen_text(app).splitlines()[2 + screen.view.cursor - screen.view.top]


async def test_every_conversation_is_searched_from_home() -> None:
    app = make_app(sample_root())
    async with app.run_test(size=(120, 40)) as pilot:
        await listed(pilot)
        await pilot.press("ctrl+f", *"parser", "enter")
        screen = app.screen
        await until(pilot, lambda: len(screen.rows) > 1 and screen._search.done, seconds=20)
        assert "five rounds as they land" in screen_text(app)
        await pilot.press("j", "enter")
        opened = await ready(pilot)
        assert opened.conversation_id.startswith("5eed0005")
        assert opened.found is not None and opened.found.query == "parser"
        await pilot.press("q", "q")
        assert app.screen is screen


@pytest.mark.parametrize("key", ["ctrl+f", "9"])
async def test_asking_for_results_before_a_search_begins_one_and_lists_it(key: str) -> None:
    app = open_case("fleet")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("4", key, *"rename", "enter")
        assert screen.pane == "results"
        await until(pilot, lambda: screen.found is not None and screen.found.done and len(screen.source) > 1)


async def test_on_a_narrow_screen_another_pane_takes_the_place_of_the_detail() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("enter")
        assert screen.detail_shown
        await pilot.press("3")
        assert not screen.detail_shown and "records" in screen_text(app)


async def test_what_a_table_is_narrowed_to_is_said_until_it_is_off() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("5", "slash", *"ends", "enter", "1", "5")
        assert "narrowed: ends (Esc: off)" in screen_text(app)
        await pilot.press("escape")
        assert "narrowed" not in screen_text(app)


async def test_control_c_leaves() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+c")
    assert app.return_code == 0


async def test_the_footer_always_says_how_to_get_help() -> None:
    for width in (60, 80, 120):
        app = open_case("pilot")
        async with app.run_test(size=(width, 24)) as pilot:
            await ready(pilot)
            assert "? help" in screen_text(app).splitlines()[-1]


@pytest.mark.parametrize("pane", ["1", "2", "3", "6"])
async def test_every_key_of_the_help_can_be_pressed_anywhere(pane: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        for key in CONVERSATION:
            if key.id in ("quit", "open.text"):
                continue
            for name in key.keys.split(","):
                await pilot.press(pane, "z", "j", name)
                await pilot.pause()
                while app.screen is not screen:
                    await pilot.press("escape")
                    await pilot.pause()
                if screen.field.has_class("shown"):
                    await pilot.press("escape")
                assert app.is_running and app.screen is screen, (key.id, name)


async def test_the_clock_format_of_the_configuration_holds_in_the_tree() -> None:
    from asz_tui.config import Config
    from asz_tui.config.model import Times

    app = open_case("pilot", config=Config(times=Times(zone="UTC", clock="HH:MM")))
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        assert "00:26 " in screen_text(app) and "00:26:36" not in screen_text(app)


async def test_matches_are_marked_in_the_timeline() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("slash", *"deadline")
        await until(pilot, lambda: screen.found is not None and screen.found.query == "deadline" and screen.found.done)
        await pilot.press("enter", "2")
        assert screen.flow.model.match == frozenset(screen.found.ids) and screen.found.ids


async def test_the_edges_of_a_childs_talk_lead_back_to_the_call_that_started_it() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to("talk/aad8b0a671c52061f")
        await pilot.press("g")
        text = screen_text(app)
        assert "← starts" in text and "Agent log-reader" in text and "in_segment" in text
        await pilot.press("escape")

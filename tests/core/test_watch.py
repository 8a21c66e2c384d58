"""The watcher on real directories: what it reports, what it leaves alone, and that it leaves nothing behind."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import watchdog.observers
from hypothesis import given, settings
from hypothesis import strategies as st

from asz_core.watch import Changes, RootWatcher, doorbell, folder, pace
from asz_core.watch.again import Again
from asz_core.watch.folder import NOTHING, Devices, Folder, is_landed, is_round, list_rounds

pytestmark = pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")  # watchdog's own race

PATIENCE = 8.0
"""Seconds a test waits for what must come; what comes in time does not wait for it."""


def publish(directory: Path, name: str, text: str = "x") -> Path:
    """Publishes a file as the writer does: a temporary name, then a rename."""
    directory.mkdir(parents=True, exist_ok=True)
    temporary = directory / f".tmp-{name}"
    temporary.write_text(text)
    return temporary.rename(directory / name)


def round_name(number: int) -> str:
    return f"r{number:06}-{number:012x}.sf"


def publish_round(root: Path, conversation: str, number: int) -> Path:
    return publish(root / "_conversations" / conversation / "rounds", round_name(number))


def publish_landed(root: Path, session: str, seq: int, below: str = "streams/main") -> Path:
    return publish(root / session / below, f"transcript-20250101T000000Z-{seq:06}.sd")


class Log:
    """Collects reports."""

    def __init__(self) -> None:
        self.reports: list[Changes] = []
        self.times: list[float] = []
        self.arrived = threading.Condition()

    def __call__(self, changes: Changes) -> None:
        with self.arrived:
            self.reports.append(changes)
            self.times.append(time.monotonic())
            self.arrived.notify_all()

    @property
    def all(self) -> Changes:
        merged = Changes()
        for report in list(self.reports):
            merged = merged.merged_with(report)
        return merged

    def until(self, holds: Callable[[Changes], bool], patience: float = PATIENCE) -> Changes:
        with self.arrived:
            assert self.arrived.wait_for(lambda: holds(self.all), patience), f"only {self.reports}"
            return self.all

    def clear(self) -> None:
        with self.arrived:
            self.reports.clear()
            self.times.clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "root"
    for name in ("one", "two"):
        publish_round(path, name, 1)
        publish_landed(path, name, 1)
    return path


@pytest.fixture(params=["native", "polled"])
def native(request: pytest.FixtureRequest) -> bool:
    return request.param == "native"


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def watch(log: Log, native: bool) -> Iterator[Callable[..., RootWatcher]]:
    started: list[RootWatcher] = []

    def start(path: Path, **options: object) -> RootWatcher:
        watcher = RootWatcher(path, log, **{"poll": 0.1, "native": native} | options)
        started.append(watcher)
        watcher.start()
        settled(watcher)
        return watcher

    yield start
    for watcher in started:
        assert watcher.stop(PATIENCE)


def settled(watcher: RootWatcher) -> None:
    """Waits until the first look is over, and the events are armed where there are any."""
    assert watcher.ready.wait(PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while watcher._scanner.unseen or (watcher._scanner.tree.there and not watcher._doorbell.settled):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# -- what is reported --------------------------------------------------------------------------------------------------


def test_what_is_there_at_the_start_is_not_reported(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    publish_round(root, "one", 2)
    log.until(lambda seen: "one" in seen.conversations)
    assert log.all == Changes(conversations=frozenset({"one"}))


def test_a_new_round_is_reported_in_time(root: Path, log: Log, watch: Callable[..., RootWatcher], native: bool) -> None:
    watcher = watch(root, poll=0.5)
    assert watcher.native is native
    published = time.monotonic()
    publish_round(root, "one", 2)
    log.until(lambda seen: bool(seen))
    assert log.times[0] - published < (0.4 if native else 1.0) + 1.0  # a loaded machine may be a second late


def test_a_new_conversation(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    publish_round(root, "new", 1)
    seen = log.until(lambda seen: "new" in seen.appeared)
    assert "new" in seen.conversations


def test_a_conversation_moved_in_as_a_whole(root: Path, tmp_path: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    publish_round(tmp_path / "other", "new", 1)
    watch(root)
    (tmp_path / "other" / "_conversations" / "new").rename(root / "_conversations" / "new")
    log.until(lambda seen: "new" in seen.appeared)


def test_a_conversation_exists_once_it_has_a_round(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    (root / "_conversations" / "new" / "rounds").mkdir(parents=True)
    publish(root / "_conversations" / "new", "conversation.state")
    publish_round(root, "one", 2)
    log.until(lambda seen: "one" in seen.conversations)
    assert not log.all.appeared
    publish_round(root, "new", 1)
    log.until(lambda seen: "new" in seen.appeared)


@pytest.mark.parametrize("below", ["streams/main", "streams/child", "runs/run-1", "provider_body"])
def test_a_new_landed_file(root: Path, log: Log, watch: Callable[..., RootWatcher], below: str) -> None:
    watch(root)
    publish_landed(root, "one", 2, below)
    log.until(lambda seen: "one" in seen.sessions)
    assert log.all == Changes(sessions=frozenset({"one"}))


def test_a_new_session(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    publish_landed(root, "new", 1)
    log.until(lambda seen: "new" in seen.sessions)


def test_what_is_removed(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    publish_round(root, "two", 2)
    watch(root)
    shutil.rmtree(root / "_conversations" / "one")
    (root / "_conversations" / "two" / "rounds" / round_name(2)).unlink()
    shutil.rmtree(root / "one")
    shutil.rmtree(root / "two" / "streams" / "main")
    seen = log.until(lambda seen: seen.removed and len(seen.sessions) == 2 and bool(seen.conversations))
    assert seen.removed == {"one"}
    assert seen.conversations == {"two"}


def test_the_last_round_removed_removes_the_conversation(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    (root / "_conversations" / "one" / "rounds" / round_name(1)).unlink()
    assert log.until(lambda seen: bool(seen.removed)).removed == {"one"}
    publish_round(root, "one", 1)
    log.until(lambda seen: "one" in seen.appeared)


def test_another_file_of_the_same_name(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    publish(root / "_conversations" / "one" / "rounds", round_name(1), "other")
    assert log.until(lambda seen: bool(seen)).conversations == {"one"}


def test_all_conversations_removed(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    shutil.rmtree(root / "_conversations")
    assert log.until(lambda seen: len(seen.removed) == 2).removed == {"one", "two"}
    publish_round(root, "three", 1)
    log.until(lambda seen: "three" in seen.appeared)
    publish_round(root, "three", 2)


def test_other_names_and_other_programs_files_are_ignored(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root)
    rounds = root / "_conversations" / "one" / "rounds"
    (rounds / ".tmp-r000002").write_text("half")
    (rounds / f"{round_name(2)}~").write_text("backup")
    (rounds / f"x{round_name(2)}").write_text("x")
    (rounds / round_name(3)).mkdir()
    publish(root / "_conversations" / "one", "conversation.state")
    for name in ("session.state", "source.cursor", ".lock"):
        publish(root / "one", name)
    publish(root / "one" / "index", "a-000001.sd")
    publish(root / "one" / "streams" / "main", "transcript.tmp")
    publish(root / "_provider" / "streams" / "main", "x-000001.sd")
    publish(root, "push.state")
    time.sleep(0.5)
    publish_round(root, "two", 2)
    log.until(lambda seen: "two" in seen.conversations)
    assert log.all == Changes(conversations=frozenset({"two"}))


def test_a_burst_is_few_reports_and_nothing_is_missed(
    root: Path, log: Log, watch: Callable[..., RootWatcher], native: bool
) -> None:
    seen: set[str] = set()
    rounds = root / "_conversations" / "one" / "rounds"
    watcher = watch(root)
    watcher._on_change = lambda changes: (seen.update(os.listdir(rounds)), log(changes))
    publish_round(root, "one", 2)
    log.until(lambda changes: bool(changes))
    log.clear()
    began = time.monotonic()
    for number in range(3, 103):
        publish_round(root, "one", number)
        time.sleep(0.001)
    took = time.monotonic() - began
    deadline = time.monotonic() + PATIENCE
    while round_name(102) not in seen and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.5)
    assert {round_name(number) for number in range(1, 103)} <= seen
    assert len(log.reports) <= 3 + took / 0.1
    assert log.all.conversations == {"one"}


def test_focus_looks_at_once_and_more_often(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watcher = watch(root, poll=30.0, native=False)
    time.sleep(0.1)
    publish_round(root, "one", 2)
    publish_landed(root, "two", 2)
    time.sleep(0.1)
    assert not log.reports
    watcher.focus(["one"], ["two"])
    log.until(lambda seen: "one" in seen.conversations and "two" in seen.sessions)


def test_a_session_in_focus_before_its_first_look_is_reported_once(root: Path, log: Log) -> None:
    watcher = RootWatcher(root, log, native=False)
    watcher.focus(["one"])
    with watcher:
        log.until(lambda seen: seen.sessions == {"one"})
        settled(watcher)
        publish_round(root, "two", 2)
        log.until(lambda seen: "two" in seen.conversations)
    assert sum("one" in report.sessions for report in log.reports) == 1


# -- the root ----------------------------------------------------------------------------------------------------------


def test_a_root_that_appears_goes_and_comes_back(tmp_path: Path, log: Log, watch: Callable[..., RootWatcher], native: bool) -> None:
    path = tmp_path / "later" / "root"
    watcher = watch(path)
    publish_round(path, "one", 1)
    log.until(lambda seen: seen.root_back and "one" in seen.appeared)
    log.clear()
    path.rename(tmp_path / "away")
    gone = log.until(lambda seen: seen.root_gone)
    assert not gone.removed and not gone.root_back
    log.clear()
    publish_round(tmp_path / "away", "one", 2)
    (tmp_path / "away").rename(path)
    log.until(lambda seen: seen.root_back and "one" in seen.conversations)
    settled(watcher)
    log.clear()
    publish_round(path, "one", 3)
    assert log.until(lambda seen: bool(seen)) == Changes(conversations=frozenset({"one"}))
    assert watcher.native is native


def test_a_root_replaced_by_another(root: Path, tmp_path: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    other = tmp_path / "other"
    publish_round(other, "two", 1)
    publish_round(other, "three", 1)
    watcher = watch(root)
    root.rename(tmp_path / "old")
    other.rename(root)
    seen = log.until(lambda seen: seen.root_back and "three" in seen.appeared)
    assert seen.root_gone and seen.removed == {"one"} and "two" in seen.conversations
    settled(watcher)
    publish_round(root, "three", 2)
    log.until(lambda seen: len(log.reports) > 1 and "three" in log.reports[-1].conversations)


def test_a_root_that_is_a_link(root: Path, tmp_path: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    watcher = watch(link)
    publish_round(root, "one", 2)
    log.until(lambda seen: "one" in seen.conversations)
    publish_round(tmp_path / "other", "three", 1)
    (tmp_path / "link2").symlink_to(tmp_path / "other")
    (tmp_path / "link2").rename(link)
    log.until(lambda seen: seen.root_back and "three" in seen.appeared and len(seen.removed) == 2)
    assert not watcher.last_error


def test_a_root_that_is_no_directory(tmp_path: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    path = tmp_path / "root"
    path.write_text("")
    watch(path)
    path.unlink()
    publish_round(path, "one", 1)
    log.until(lambda seen: seen.root_back and "one" in seen.appeared)


def test_a_root_that_cannot_be_read(
    root: Path, log: Log, watch: Callable[..., RootWatcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watch(root)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and os.fspath(path) != str(root))
    log.until(lambda seen: seen.root_gone)
    assert "cannot be read" in watcher.note and not log.all.removed
    monkeypatch.setattr(os, "access", real)
    log.until(lambda seen: seen.root_back)
    publish_round(root, "one", 2)
    log.until(lambda seen: "one" in seen.conversations)


def test_a_directory_that_cannot_be_read_keeps_what_is_known(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = Folder(str(root / "_conversations" / "one" / "rounds"), NOTHING)
    assert rounds.look(list_rounds, 0.0, Devices())
    known = rounds.content

    def refuse(path: str) -> tuple[int, int]:
        raise PermissionError(errno.EACCES, "no")

    publish_round(root, "one", 2)
    assert not rounds.look(refuse, 1.0, Devices())
    assert rounds.content == known
    assert rounds.look(list_rounds, 2.0, Devices())
    shutil.rmtree(rounds.path)
    assert rounds.look(list_rounds, 3.0, Devices()) and rounds.content == NOTHING


# -- rounds that do not read yet ---------------------------------------------------------------------------------------


def test_again_reports_with_a_growing_delay_until_done(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watcher = watch(root)
    watcher._on_change = lambda changes: (log(changes), watcher.again("one"))
    began = time.monotonic()
    watcher.again("one")
    watcher.again("one")
    log.until(lambda seen: len(log.reports) >= 2)
    watcher._on_change = log
    watcher.done("one")
    delays = [later - earlier for earlier, later in zip([began, *log.times], log.times, strict=False)]
    assert all(report == Changes(conversations=frozenset({"one"})) for report in log.reports)
    assert [delay >= least for delay, least in zip(delays, (0.19, 0.39), strict=False)] == [True] * 2
    number = len(log.reports)
    time.sleep(0.4)
    assert len(log.reports) == number


def test_again_doubles_up_to_five_seconds() -> None:
    again, now, delays = Again(), 0.0, []
    for _ in range(7):
        again.add("one", now)
        again.add("one", now + 0.01)
        delays.append(again.next_at() - now)
        now = again.next_at()
        assert again.due(now - 0.001) == [] and again.due(now) == ["one"]
    assert delays == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    again.drop("one")
    again.add("one", now)
    assert again.next_at() - now == pytest.approx(0.2)


def test_a_conversation_that_went_is_not_due_again(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watcher = watch(root)
    shutil.rmtree(root / "_conversations" / "one")
    log.until(lambda seen: bool(seen.removed))
    log.clear()
    watcher.again("one")
    watcher.again("two")
    log.until(lambda seen: "two" in seen.conversations)
    assert log.all.conversations == {"two"}


# -- threads, handles, faults ------------------------------------------------------------------------------------------


def handles() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts handles in /proc")
def test_stop_leaves_no_thread_and_no_handle(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watch(root).stop(PATIENCE)  # what watchdog loads once
    before = handles(), set(threading.enumerate())
    for _ in range(3):
        watcher = watch(root)
        publish_round(root, "one", 2)
        log.until(lambda seen: bool(seen))
        assert len(threading.enumerate()) <= len(before[1]) + 6 and handles() <= before[0] + 8
        assert watcher.stop(PATIENCE) and watcher.stop()
        assert not watcher.native
        assert (handles(), set(threading.enumerate())) == before


def test_stop_before_start_and_start_after_stop(root: Path, log: Log) -> None:
    watcher = RootWatcher(root, log)
    assert watcher.stop()
    with pytest.raises(RuntimeError):
        watcher.start()
    with pytest.raises(ValueError):
        RootWatcher(root, log, poll=0)


def test_stop_from_a_report(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watcher = watch(root)
    answers: list[bool] = []
    watcher._on_change = lambda changes: (answers.append(watcher.stop()), log(changes))
    publish_round(root, "one", 2)
    log.until(lambda seen: bool(seen))
    assert watcher.stop(PATIENCE) and answers == [False]


def test_no_report_after_stop(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    watcher = watch(root)
    watcher.again("one")
    watcher.stop(PATIENCE)
    publish_round(root, "one", 2)
    time.sleep(0.3)
    assert not log.reports


def test_a_report_that_raises_does_not_end_the_watcher(root: Path, log: Log, watch: Callable[..., RootWatcher]) -> None:
    def fail(changes: Changes) -> None:
        watcher._on_change = log
        raise LookupError("reader")

    watcher = watch(root)
    watcher._on_change = fail
    publish_round(root, "one", 2)
    deadline = time.monotonic() + PATIENCE
    while watcher.last_error is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert isinstance(watcher.last_error, LookupError)
    publish_round(root, "two", 2)
    log.until(lambda seen: "two" in seen.conversations)


def test_a_turn_that_fails_does_not_end_the_watcher(
    root: Path, log: Log, watch: Callable[..., RootWatcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watch(root)

    def fail(*args: object) -> None:
        raise RuntimeError("bug")

    monkeypatch.setattr(watcher, "_look_at_top", fail)
    deadline = time.monotonic() + PATIENCE
    while watcher.last_error is None and time.monotonic() < deadline:
        time.sleep(0.01)
    monkeypatch.undo()
    publish_round(root, "one", 2)
    log.until(lambda seen: "one" in seen.conversations)
    assert str(watcher.last_error) == "bug"


class Limited(watchdog.observers.Observer):  # type: ignore[name-defined,misc]
    """An observer that finds the limit of watches reached when it starts."""

    def start(self) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")


class NoInstance:
    """An observer that cannot even be made."""

    def __init__(self) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")


class Silent(watchdog.observers.Observer):  # type: ignore[name-defined,misc]
    """An observer that gets no event, as on a network file system."""

    def schedule(self, handler: object, *args: object, **options: object) -> None:
        return None


@pytest.mark.parametrize("observer", [Limited, NoInstance])
def test_without_inotify_it_polls(root: Path, log: Log, monkeypatch: pytest.MonkeyPatch, observer: type) -> None:
    monkeypatch.setattr(watchdog.observers, "Observer", observer)
    before = set(threading.enumerate())
    with RootWatcher(root, log, poll=0.1) as watcher:
        settled(watcher)
        assert not watcher.native and "limit" in watcher.note and "polling" in watcher.note
        assert len(set(threading.enumerate()) - before) == 1
        publish_round(root, "one", 2)
        log.until(lambda seen: "one" in seen.conversations)
    assert set(threading.enumerate()) == before


def test_events_that_do_not_come_are_noticed(root: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog.observers, "Observer", Silent)
    monkeypatch.setattr(doorbell, "_ANNOUNCED_WITHIN", 0.05)
    with RootWatcher(root, log, poll=0.1) as watcher:
        settled(watcher)
        for name in ("one", "two"):
            publish_round(root, name, 2)
        log.until(lambda seen: len(seen.conversations) == 2)
        deadline = time.monotonic() + PATIENCE
        while watcher.native and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not watcher.native and "does not send" in watcher.note
        publish_round(root, "one", 3)
        log.until(lambda seen: len(log.reports) > 1)


# -- the parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("r000001-0123456789ab.sf", True),
        ("r1000001-0123456789ab.sf", True),
        ("r00001-0123456789ab.sf", False),
        ("r000001-0123456789AB.sf", False),
        ("r000001-0123456789ab.sf\n", False),
        ("r00000\u0661-0123456789ab.sf", False),
        (".r000001-0123456789ab.sf", False),
        ("r000001-0123456789ab.sf.tmp", False),
    ],
)
def test_the_name_of_a_round(name: str, expected: bool) -> None:
    assert is_round(name) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("transcript-20250101T000000Z-000001.sd", True),
        ("-000001.sd", True),
        ("x-00001.sd", False),
        ("x-000001.sd\n", False),
        ("x-000001.sd.tmp", False),
        ("x-00000\u0661.sd", False),
    ],
)
def test_the_name_of_a_landed_file(name: str, expected: bool) -> None:
    assert is_landed(name) is expected


def test_an_nfs_mount_is_known_by_its_device(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/x rw\n"
        "40 22 0:50 / /mnt/a rw,relatime shared:2 - nfs4 server:/a rw,vers=4.2\n"
        "broken\n\n"
    )
    assert folder.is_nfs(os.makedev(0, 50), str(mounts))
    assert not folder.is_nfs(os.makedev(8, 1), str(mounts))
    assert not folder.is_nfs(os.makedev(0, 50), str(tmp_path / "none"))


def test_on_nfs_a_look_opens_the_directory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    probe = folder.probe
    monkeypatch.setattr(folder, "is_nfs", lambda device: True)
    monkeypatch.setattr(folder, "probe", lambda path, fresh: (asked.append(fresh), probe(path, fresh=fresh))[1])
    devices = Devices()
    rounds = Folder(str(root / "_conversations" / "one" / "rounds"), NOTHING)
    assert rounds.look(list_rounds, 0.0, devices)
    assert not rounds.look(list_rounds, 1.0, devices)
    publish_round(root, "one", 2)
    assert rounds.look(list_rounds, 2.0, devices)
    assert asked == [False, True, True]


def test_a_stamp_that_did_not_move_is_not_trusted_at_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Devices()
    rounds = Folder(str(root / "_conversations" / "one" / "rounds"), NOTHING)
    monkeypatch.setattr(folder, "probe", lambda path, fresh: (1, 1, 10**18, 10**18))  # a clock that stands
    assert rounds.look(list_rounds, 100.0, devices)
    publish_round(root, "one", 2)
    assert not rounds.look(list_rounds, 101.0, devices)
    assert rounds.look(list_rounds, 100.0 + folder.SETTLE, devices)
    publish_round(root, "one", 3)
    assert not rounds.look(list_rounds, 110.0, devices)
    assert rounds.look(list_rounds, 110.0, devices, force=True)


def test_an_old_stamp_is_trusted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Devices()
    devices.saw((1, 5, 0, 10**18 + 3 * 10**9))
    rounds = Folder(str(root / "_conversations" / "one" / "rounds"), NOTHING)
    monkeypatch.setattr(folder, "probe", lambda path, fresh: (1, 1, 10**18, 10**18))
    assert rounds.look(list_rounds, 100.0, devices)
    publish_round(root, "one", 2)
    assert not rounds.look(list_rounds, 110.0, devices)


def test_many_rounds_are_told_apart_without_a_stat_each(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "STAT_UP_TO", 1)
    path = root / "_conversations" / "one" / "rounds"
    publish_round(root, "one", 2)
    before = list_rounds(str(path))
    assert before[0] == 2 and list_rounds(str(path)) == before
    publish(path, round_name(2), "other")
    assert list_rounds(str(path)) != before


def test_a_lane_goes_round_and_stops_in_time() -> None:
    lane, seen = pace.Lane(2), []
    lane.fill(["a", "b", "c"])
    lane.turn(seen.append, time.thread_time() + 60, time.monotonic() + 60)
    assert seen == ["a", "b", "c"]
    names = [str(number) for number in range(100)]
    lane.fill(names)
    seen.clear()
    while len(seen) < 100:
        lane.turn(seen.append, 0.0, 0.0)
    assert sorted(set(seen), key=int) == names
    lane.fill([])
    lane.turn(seen.append, 0.0, 0.0)


def test_hot_names_make_room() -> None:
    hot = pace.Hot(3)
    hot.add("a")
    hot.seed({"old": 1, "a": 9, "new": 3, "newer": 4})
    assert hot.names() == ["new", "newer", "a"]
    hot.add("newer")
    hot.add("b")
    assert hot.names() == ["a", "newer", "b"]


@st.composite
def histories(draw: st.DrawFn) -> list[Changes]:
    """Three reports in a row that can happen: only what is there goes, only what is not there comes."""
    there = draw(st.frozensets(st.sampled_from("abc")))
    reports = []
    for _ in range(3):
        moved = draw(st.frozensets(st.sampled_from("abc")))
        flags = draw(st.tuples(st.booleans(), st.booleans()))
        changed = draw(st.frozensets(st.sampled_from("abc"))) & there - moved
        reports.append(Changes(changed | moved - there, changed, moved - there, moved & there, *flags))
        there = there ^ moved
    return reports


@settings(deadline=None, max_examples=100)
@given(histories())
def test_reports_merge_in_any_grouping(history: list[Changes]) -> None:
    first, second, third = history
    assert first.merged_with(second).merged_with(third) == first.merged_with(second.merged_with(third))
    assert first.merged_with(Changes()) == first == Changes().merged_with(first)
    merged = first.merged_with(second)
    assert bool(merged) == bool(first or second)
    assert merged.appeared <= merged.conversations and not merged.conversations & merged.removed
    assert second.removed <= merged.removed and second.conversations <= merged.conversations


# -- costs -------------------------------------------------------------------------------------------------------------


def test_sixty_idle_conversations_cost_next_to_nothing(tmp_path: Path, log: Log) -> None:
    for number in range(60):
        publish_round(tmp_path, f"c{number}", 1)
        for stream in range(5):
            publish_landed(tmp_path, f"c{number}", stream + 1, f"streams/s{stream}")
    with RootWatcher(tmp_path, log) as watcher:
        settled(watcher)
        before = time.process_time()
        time.sleep(1.5)
        assert (time.process_time() - before) / 1.5 < 0.05  # measured below 0.01; a sanity bound, not a benchmark
    assert not log.reports


def test_the_poll_goes_slower_only_where_events_ring_and_nothing_happened_for_a_while(tmp_path: Path) -> None:
    watcher = RootWatcher(tmp_path, lambda changes: None)
    watcher._last_change = 100.0
    assert not watcher._rests(200.0), "without events the poll is all there is"
    watcher.native = True
    assert watcher._rests(200.0) and not watcher._rests(105.0)
    watcher._report(Changes(sessions=frozenset({"s"})))
    assert not watcher._rests(time.monotonic())

"""Damaged roots: whatever is wrong with the files, reading ends soon, raises nothing but the package's own errors, and never says
«verified» of a chain whose digests do not hold.

Damage is made from a seed. Some is done to the files as they are; some to values inside them, after which every digest is made right
again, so that it gets past the checks and reaches the fold and the builder of the document.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asz_core import AszError, Conversation, Root
from asz_core.rawjson import loads
from asz_core.sessiondata import SessionData
from asz_core.storage import landed_seq, round_number
from tests.core.helpers import Maker, clock, node, part, record, relation, said, sha, tombstone, unresolved

SECONDS = 5.0
"""How long one damaged root may take, in time of this process, so that others' work does not count."""

CASES = Path(__file__).resolve().parent.parent / "data" / "conformance"

Files = dict[str, bytes | None]
"""A root: path to bytes; None is a directory."""

DEEP = 5000


# --- whole roots to start from


def made_root(path: Path) -> None:
    """A root that holds something of everything."""
    maker = Maker(path)
    maker.land(
        said("question", time=clock(1)),
        record(
            part("reasoning", "hm"),
            part("call", "", id="toolu_1", name="Bash", data={"command": "ls"}),
            usage={"in": 3, "out": 4},
            time=clock(2),
        ),
        record(
            part("result", "", data={"out": "x"}, of="toolu_1", failed=True),
            time=clock(3),
            flags=["f"],
            dropped=[{"what": "w", "bytes": 1}],
        ),
        record({"k": "data", "data": {"durationMs": 12}}, time=clock(4)),
        record({"k": "data", "data": {"type": "queued_command", "prompt": [{"text": "more"}]}}, time=clock(5)),
    )
    maker.land(
        record({"k": "data", "data": {"type": "result", "result": {"surface": "named"}}}, child="kid"), run="wf", kind="journal"
    )
    maker.round(
        node(
            "session/s0",
            "session",
            attrs={"title": "t", "from_time": clock(1), "through_time": clock(5), "provider_bodies_landed": 1},
        ),
        node("stream/main", "stream", parent="session/s0", stream="main", attrs={"role": "main", "records": 5}),
        node("segment/1", "segment", (1, 1), attrs={"state": "candidate", "committable": True}),
        node("talk/1", "talk", (1, 1), stream="main"),
        node("run/1", "run", (1, 1), parent="talk/1", stream="main"),
        node("m1", "message.external", (1, 1, 0), parent="run/1", stream="main"),
        node(
            "call/1",
            "llm.call",
            (1, 2),
            parent="run/1",
            stream="main",
            attrs={"usage_at": {"seq": 1, "row": 2}, "provider_bodies": [{"role": "request", "ref": {"seq": 2, "row": 1}}]},
        ),
        node(
            "tool/1",
            "tool",
            (1, 2, 1),
            refs=[(1, 2, 1), (1, 3)],
            parent="call/1",
            stream="main",
            attrs={"result_join": "exact_unique", "name": "Bash"},
        ),
        relation("in_segment", "talk/1", "segment/1", evidence=[{"seq": 1, "row": 1}]),
        unresolved("u1"),
    )
    maker.land(record(part(text="answer")), stream="kid")
    maker.land(
        record(
            {
                "k": "data",
                "data": {
                    "schema": "changes/1",
                    "id": "c",
                    "captured_by": "x",
                    "tool": "toolu_1",
                    "time": clock(3),
                    "changes": [{"path": "p"}],
                },
            }
        ),
        kind="changes",
    )
    maker.round(
        node("stream/kid", "stream", parent="session/s0", stream="kid", attrs={"role": "child"}),
        node("talk/kid", "talk", (3, 1), stream="kid"),
        node("out", "agent.output", (3, 1), parent="talk/kid", stream="kid"),
        node("turn", "turn.duration", (1, 4), parent="run/1", attrs={"measured_by": "runtime"}),
        node("loose", "control.notice", (1, 5)),
        relation("starts", "tool/1", "stream/kid", via="id"),
        unresolved("u1", "resolved"),
    )
    maker.round(tombstone("node", "turn"), node("run/1", "run", (1, 1), parent="talk/1", stream="main", attrs={"n": 2}))


def read_tree(path: Path) -> Files:
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def write_tree(files: Files, path: Path) -> None:
    for name, data in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            target.mkdir(exist_ok=True)
        else:
            target.write_bytes(data)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> list[Files]:
    """The whole roots that are damaged."""
    path = tmp_path_factory.mktemp("base")
    made_root(path / "made")
    return [read_tree(path / "made"), *[read_tree(CASES / name / "root") for name in ("hello", "craft-bytes", "extras", "losses")]]


def rounds_of(files: Files) -> list[str]:
    return sorted(name for name, data in files.items() if data is not None and round_number(name.rsplit("/", 1)[-1]) is not None)


def landed_of(files: Files) -> list[str]:
    return sorted(name for name, data in files.items() if data is not None and landed_seq(name.rsplit("/", 1)[-1]) is not None)


# --- an account of the digests of its own


def digests_hold(root: Path, conversation: str, rounds: list[Any]) -> bool:
    """Whether the rounds that a document calls verified are sealed and chained, computed here from the files alone."""
    folder = root / "_conversations" / conversation / "rounds"
    previous, input_digest, through = "", "", 0
    for entry, path in zip(
        rounds, sorted(p for p in folder.iterdir() if round_number(p.name) is not None and p.is_file()), strict=False
    ):
        lines = [line for line in path.read_bytes().split(b"\n") if line]
        digest = sha(b"".join(line + b"\n" for line in lines[:-1]))
        header = json.loads(lines[0].decode("utf-8", "replace"))
        if not (digest == entry["digest"] and digest.encode() in lines[-1] and (header.get("previous") or "") == previous):
            return False
        if header["from_seq"] != through + 1:
            return False
        consumed = []
        for seq in range(header["from_seq"], header["through_seq"] + 1):
            found = sorted(p for p in (root / header["session"]).rglob(f"*-{seq:06d}.sd") if p.is_file() and not p.is_symlink())
            if not found:
                return False
            consumed.append(sha(found[-1].read_bytes()))
        if (
            hashlib.sha256((input_digest + "".join("\0" + one for one in sorted(consumed))).encode()).hexdigest()
            != header["input_digest"]
        ):
            return False
        previous, input_digest, through = digest, header["input_digest"], header["through_seq"]
    return True


# --- what is asked of a damaged root


def ask_everything(root: Path, known: list[str]) -> dict[str, bytes]:
    """Everything that the library answers of a root; the JSON of each conversation that can be shown."""
    shown: dict[str, bytes] = {}
    opened = Root(root)
    opened.rows()
    opened.rows(full=True)
    for name in sorted({*opened.conversations(), *known}):
        opened.row(name)
        opened.row(name, full=True)
        conversation = Conversation(opened.storage, name)
        conversation.refresh()
        report = conversation.report
        assert report.state in ("verified", "incomplete", "mismatch")
        assert (report.state == "verified") == (not report.problems)
        if not conversation.usable:
            with pytest.raises(AszError):
                conversation.document()
            continue
        shown[name] = conversation.json()
        document = loads(conversation.json(compact=True))
        assert b"".join(conversation.yaml())
        if report.state == "verified":
            assert digests_hold(root, name, document["rounds"]), "verified, but a digest does not hold"
        for landed in conversation.data.files:
            for row in range(landed.count + 2):
                conversation.record(landed.file.seq, row)
                conversation.landed_line(landed.file.seq, row)
        for id in list(conversation.fold.nodes)[:20]:
            conversation.view(id)
        kept = Conversation(opened.storage, name)
        kept.refresh(keep_records=True)
        assert kept.json() == shown[name]
    return shown


def survive(files: Files, path: Path, note: str) -> dict[str, bytes]:
    """Write a damaged root and ask everything of it, in time."""
    write_tree(files, path)
    return survive_at(path, note)


def survive_at(path: Path, note: str) -> dict[str, bytes]:
    began = time.process_time()
    try:
        shown = ask_everything(path, ["c0", "nothing"])
    except AszError as error:
        pytest.fail(f"{note}: an error where there should be an answer: {error}")
    except Exception as error:
        raise AssertionError(f"{note}: {type(error).__name__}: {error}"[:600]) from error
    took = time.process_time() - began
    assert took < SECONDS, f"{note}: {took:.1f} s"
    return shown


# --- damage to the files as they are


def some(pick: random.Random, names: list[str]) -> str:
    return pick.choice(names)


def flip(files: Files, name: str, pick: random.Random) -> None:
    data = bytearray(files[name] or b"x")
    for _ in range(pick.choice([1, 1, 1, 4])):
        data[pick.randrange(len(data))] ^= 1 << pick.randrange(8)
    files[name] = bytes(data)


def cut(files: Files, name: str, pick: random.Random) -> None:
    data = files[name] or b""
    files[name] = data[: pick.randrange(len(data) + 1)]


def cut_start(files: Files, name: str, pick: random.Random) -> None:
    data = files[name] or b""
    files[name] = data[pick.randrange(len(data) + 1) :]


def delete(files: Files, name: str, pick: random.Random) -> None:
    del files[name]


def empty(files: Files, name: str, pick: random.Random) -> None:
    files[name] = b""


def folder(files: Files, name: str, pick: random.Random) -> None:
    files[name] = None


def another_name(name: str, pick: random.Random) -> str:
    head, tail = name.rsplit("/", 1)
    digits = next(
        (part for part in reversed(tail.replace(".", "-").replace("r", "").split("-")) if part.isdigit() and len(part) == 6),
        "000001",
    )
    other = pick.choice(
        ["000000", "000001", "000002", "000003", "000009", "999999", "1000000", "9223372036854775807", "99999999999999999999"]
    )
    return f"{head}/{tail.replace(digits, other, 1)}"


def duplicate(files: Files, name: str, pick: random.Random) -> None:
    files[another_name(name, pick)] = files[name]


def rename(files: Files, name: str, pick: random.Random) -> None:
    data = files.pop(name)
    files[another_name(name, pick)] = data


def swap(files: Files, name: str, pick: random.Random) -> None:
    other = some(pick, landed_of(files) + rounds_of(files))
    files[name], files[other] = files[other], files[name]


def insert(files: Files, name: str, pick: random.Random) -> None:
    data = files[name] or b""
    at = pick.randrange(len(data) + 1)
    piece = pick.choice(
        [
            b"\n",
            b"\n\n",
            b"\0",
            b"\xff",
            b"{}",
            b"[" * DEEP,
            b'"',
            b"\r",
            b'{"t":"end"}\n',
            b'\n{"t":"commit"}\n',
            pick.randbytes(20),
            b'{"a":' * DEEP,
        ]
    )
    files[name] = data[:at] + piece + data[at:]


def twice(files: Files, name: str, pick: random.Random) -> None:
    files[name] = (files[name] or b"") * 2


def lines(files: Files, name: str, pick: random.Random) -> None:
    """Delete, double, swap or join lines."""
    parts = (files[name] or b"").split(b"\n")
    a, b = pick.randrange(len(parts)), pick.randrange(len(parts))
    what = pick.randrange(4)
    if what == 0:
        del parts[a]
    elif what == 1:
        parts.insert(b, parts[a])
    elif what == 2:
        parts[a], parts[b] = parts[b], parts[a]
    else:
        parts[a : a + 2] = [b" ".join(parts[a : a + 2])]
    files[name] = b"\n".join(parts)


FILE_DAMAGE: list[Callable[[Files, str, random.Random], None]] = [
    flip, flip, flip, cut, cut_start, delete, empty, folder, duplicate, rename, swap, insert, insert, twice, lines, lines,
]  # fmt: skip


@pytest.mark.parametrize("group", range(12))
def test_damaged_files_never_break_reading(bases: list[Files], tmp_path: Path, group: int) -> None:
    for number in range(20):
        pick = random.Random(f"files {group} {number}")
        base = bases[number % len(bases)]
        files = dict(base)
        notes = []
        for _ in range(pick.choice([1, 1, 1, 2, 4])):
            names = landed_of(files) + rounds_of(files)
            if not names:
                break
            name = some(pick, names)
            damage = pick.choice(FILE_DAMAGE)
            damage(files, name, pick)
            notes.append(f"{damage.__name__} {name[-30:]}")
        survive(files, tmp_path / str(number), f"group {group}, number {number}: {notes}")


# --- damage to values, with every digest made right again

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**30, 1.5, -0.0, 1e308, "", "x", "DEEP", "HUGE", "LONE", "\0\x1b\x7f\u2028",
    "a" * 5000, "é" * 3000, [], {}, [[]], [None], [{}], {"seq": 1, "row": 1}, {"seq": 0, "row": 0}, {"seq": 1}, {"role": "request", "ref": {"seq": 1, "row": 1}}, ["x"],
    clock(1), "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "talk/1", "run/1", "tool/1", "m1", "stream/main", "segment/1", "session/s0",
]  # fmt: skip
ATTRS = [
    "title", "from_time", "through_time", "role", "label", "records", "named_by", "state", "committable", "usage_at", "provider_bodies", "provider_bodies_landed", "result_join",
    "measured_by", "name",
]  # fmt: skip
NODE_KEYS = [
    "id",
    "kind",
    "parent",
    "stream",
    "ref",
    "refs",
    "attrs",
    "tombstone",
    "from",
    "to",
    "type",
    "quality",
    "via",
    "evidence",
    "state",
    "reason",
]
RECORD_KEYS = ["parts", "usage", "flags", "dropped", "time", "child", "tool", "ord", "id"]
PART_KEYS = ["k", "text", "data", "id", "of", "name", "failed", "state", "bytes"]
DATA_KEYS = [
    "type",
    "prompt",
    "durationMs",
    "result",
    "schema",
    "id",
    "tool",
    "time",
    "changes",
    "captured_by",
    "changed_files",
    "gaps",
    "outcome",
    "window",
    "overlaps",
    "root",
    "policy",
]


def spelt(value: Any) -> bytes:
    """JSON text of a value, with the marks that no Python value stands for."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    nests = ["[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP]
    text = text.replace('"DEEP"', nests[len(text) % 2], 1).replace('"HUGE"', "1e999").replace('"LONE"', '"\\ud800"')
    return text.encode("utf-8", "surrogatepass")


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value as (container, key)."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        at = stack.pop()
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        for key in keys:
            found.append((at, key))
            if isinstance(at[key], (dict, list)):
                stack.append(at[key])
    return found


def damage_value(value: Any, pick: random.Random, ids: list[str]) -> str:
    """Change one value somewhere in a line, or add a key that readers look at."""
    container, key = pick.choice(spots(value))
    nasty = pick.choice([*NASTY, *ids[:5]])
    how = pick.random()
    if how < 0.5:
        container[key] = nasty
    elif how < 0.6:
        del container[key]
    elif isinstance(value, dict) and value.get("t") == "node" and how < 0.85:
        attrs = value.setdefault("attrs", {})
        if isinstance(attrs, dict):
            key = pick.choice(ATTRS)
            attrs[key] = nasty
    elif isinstance(container, dict):
        inside = [entry for entry in (container.get("data"),) if isinstance(entry, dict)]
        target = inside[0] if inside and pick.random() < 0.7 else container
        key = pick.choice(NODE_KEYS if value.get("t") else DATA_KEYS if inside else RECORD_KEYS + PART_KEYS)
        target[key] = nasty
    return f"{key}={str(nasty)[:20]}"


def seal(files: Files, order: list[str]) -> None:
    """Make every digest right again: closing lines, input digests, previous, commits; file names keep their old digest."""
    for name in landed_of(files):
        body = b"".join(line + b"\n" for line in (files[name] or b"").split(b"\n") if line and not line.startswith(b'{"t":"end'))
        files[name] = body + spelt({"t": "end", "records": body.count(b"\n") - 1, "digest": sha(body)}) + b"\n"
    by_seq = {landed_seq(name): sha(files[name] or b"") for name in landed_of(files)}
    previous = input_digest = ""
    for name in order:
        frames = [line for line in (files[name] or b"").split(b"\n") if line][:-1]
        header = json.loads(frames[0])
        consumed = sorted(by_seq[seq] for seq in range(header["from_seq"], header["through_seq"] + 1) if seq in by_seq)
        input_digest = hashlib.sha256((input_digest + "".join("\0" + one for one in consumed)).encode()).hexdigest()
        header["input_digest"] = input_digest
        if previous:
            header["previous"] = previous
        frames[0] = spelt(header)
        body = b"".join(frame + b"\n" for frame in frames)
        previous = sha(body)
        counts = {
            key: sum(frame.startswith(b'{"t":"%s"' % t) for frame in frames)
            for key, t in (("nodes", b"node"), ("relations", b"relation"), ("unresolved", b"unresolved"))
        }
        files[name] = body + spelt({"t": "commit", "digest": previous, "counts": counts}) + b"\n"


def frames_of(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


def damage_sealed(files: Files, pick: random.Random) -> list[str]:
    """Change values in a few lines of a root and seal it again."""
    notes = []
    order = rounds_of(files)
    landed = landed_of(files)
    for _ in range(pick.choice([1, 1, 2, 3, 6])):
        name = pick.choice(order if pick.random() < 0.6 else landed)
        rows = frames_of(files[name] or b"")
        at = pick.randrange(1, len(rows) - 1) if len(rows) > 2 else 0
        try:
            value = json.loads(rows[at])
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict) or not value or (name in order and at == 0):
            continue
        ids = re.findall(r'"id":"([^"]*)"', (files[order[0]] or b"").decode("utf-8", "replace"))
        kept = value.get("t"), value.get("revision")
        notes.append(damage_value(value, pick, ids))
        if name in order:
            value = {"t": kept[0]} | {k: v for k, v in value.items() if k not in ("t", "revision")} | {"revision": kept[1]}
        rows[at] = spelt(value)
        files[name] = b"\n".join(rows) + b"\n"
    seal(files, order)
    return notes


@pytest.mark.parametrize("group", range(12))
def test_damaged_values_that_are_sealed_again_never_break_reading(bases: list[Files], tmp_path: Path, group: int) -> None:
    for number in range(25):
        pick = random.Random(f"values {group} {number}")
        files = dict(bases[number % len(bases)])
        notes = damage_sealed(files, pick)
        survive(files, tmp_path / str(number), f"group {group}, number {number}: {notes}")


def test_most_sealed_damage_reaches_the_document(bases: list[Files], tmp_path: Path) -> None:
    """The fuzz above would be worth little if the checks of a round stopped all of it."""
    reached = verified = 0
    for number in range(40):
        files = dict(bases[0])
        damage_sealed(files, random.Random(f"reach {number}"))
        write_tree(files, tmp_path / str(number))
        conversation = Root(tmp_path / str(number)).load("c0")
        reached += conversation.fold.head == 3
        verified += conversation.report.state == "verified"
    assert reached >= 20 and verified >= 20


@pytest.mark.parametrize("group", range(4))
def test_parents_in_loops_end(bases: list[Files], tmp_path: Path, group: int) -> None:
    for number in range(15):
        pick = random.Random(f"loops {group} {number}")
        files = dict(bases[0])
        order = rounds_of(files)
        for name in order:
            rows = frames_of(files[name] or b"")
            ids = [json.loads(row)["id"] for row in rows[1:-1]] + ["talk/1", "run/1"]
            for at in range(1, len(rows) - 1):
                value = json.loads(rows[at])
                if value["t"] == "node":
                    value["parent"] = pick.choice(ids)
                    value["kind"] = pick.choice([*[value.get("kind", "tool")] * 2, "talk", "run", "tool"])
                rows[at] = spelt(value)
            files[name] = b"\n".join(rows) + b"\n"
        seal(files, order)
        shown = survive(files, tmp_path / str(number), f"group {group}, number {number}")
        document = json.loads(shown["c0"])
        assert document["summary"]["state"] == "verified" and document["head"]["round"] == 3


@pytest.mark.parametrize("where", ["attrs", "data", "unknown key of a frame", "unknown key of a record", "whole line"])
@pytest.mark.parametrize("nest", ["[", "{"])
def test_nesting_of_thousands_of_levels_is_borne(bases: list[Files], tmp_path: Path, where: str, nest: str) -> None:
    files = dict(bases[0])
    deep = b"[" * DEEP + b"]" * DEEP if nest == "[" else b'{"a":' * DEEP + b"1" + b"}" * DEEP
    order, landed = rounds_of(files), landed_of(files)
    if where in ("attrs", "unknown key of a frame"):
        key = b'"attrs":{"x":' + deep + b"}" if where == "attrs" else b'"new":' + deep
        files[order[-1]] = (files[order[-1]] or b"").replace(b'"attrs":{"n":2}', key)
    else:
        name = next(name for name in landed if name.endswith("000001.sd"))
        rows = frames_of(files[name] or b"")
        if where == "data":
            rows[4] = rows[4].replace(b'{"durationMs":12}', deep)
        elif where == "whole line":
            rows[4] = deep
        else:
            rows[4] = rows[4][:-1] + b',"new":' + deep + b"}"
        files[name] = b"\n".join(rows) + b"\n"
    assert deep in b"".join(data or b"" for data in files.values())
    seal(files, order)
    shown = survive(files, tmp_path / "root", where)
    assert b'"state": "verified"' in shown["c0"]


# --- never «verified» when a covered byte changed


def tiny(path: Path) -> None:
    maker = Maker(path)
    maker.land(said("question", time=clock(1)))
    maker.round(node("talk/1", "talk", (1, 1)), node("m1", "message.external", (1, 1), parent="talk/1"))
    maker.land(said("answer"))
    maker.round(node("a1", "message.assistant", (2, 1), parent="talk/1"))


def test_every_single_changed_byte_that_a_digest_covers_is_noticed(tmp_path: Path) -> None:
    tiny(tmp_path)
    root = Root(tmp_path)
    assert root.load("c0").report.state == "verified"
    pick = random.Random(1)
    looked = 0
    for path in sorted([*tmp_path.rglob("*.sd"), *tmp_path.rglob("*.sf")]):
        data = path.read_bytes()
        covered = len(data) if path.suffix == ".sd" else data.index(b'{"t":"commit"')
        for at in range(covered):
            changed = bytearray(data)
            changed[at] ^= 1 << pick.randrange(8)
            path.write_bytes(changed)
            report = root.load("c0").report
            assert report.state == "mismatch" and report.verified != [True, True], f"byte {at} of {path.name}"
            looked += 1
        path.write_bytes(data)
    assert looked > 1000 and root.load("c0").report.state == "verified"


def test_every_cut_and_every_changed_byte_of_a_commit_line_is_borne(tmp_path: Path) -> None:
    tiny(tmp_path)
    root = Root(tmp_path)
    path = sorted(tmp_path.rglob("*.sf"))[-1]
    data = path.read_bytes()
    start = data.index(b'{"t":"commit"')
    for at in range(start, len(data)):
        for changed in (data[:at], data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]):
            path.write_bytes(changed)
            conversation = root.load("c0")
            if conversation.fold.head == 2:
                assert conversation.fold.digest == sha(data[:start]), f"byte {at}"
            else:
                assert conversation.report.state == "mismatch"
    for size in range(0, start, 7):
        path.write_bytes(data[:size])
        assert root.load("c0").report.state == "mismatch"


# --- what stands where a file should be


@pytest.mark.parametrize("what", ["directory", "link to itself", "link to nothing", "link to a directory", "pipe", "socket"])
@pytest.mark.parametrize("suffix", [".sd", ".sf", "rounds", "streams", "conversation.state"])
def test_something_else_where_a_file_or_folder_should_be(tmp_path: Path, what: str, suffix: str) -> None:
    root = tmp_path / "r"
    made_root(root)
    path = (
        next(p for p in sorted(root.rglob("*"), reverse=True) if p.name.endswith(suffix))
        if suffix != "conversation.state"
        else root / "_conversations" / "c0" / suffix
    )
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    if what == "directory":
        path.mkdir()
    elif what == "link to itself":
        path.symlink_to(path)
    elif what == "link to nothing":
        path.symlink_to(tmp_path / "nothing")
    elif what == "link to a directory":
        path.symlink_to(tmp_path)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as made:
            cwd = os.getcwd()
            os.chdir(path.parent)  # A socket's path must be short.
            try:
                made.bind(path.name)
            finally:
                os.chdir(cwd)
    shown = survive_at(root, f"{what} for {suffix}")
    if suffix != "rounds":
        assert "c0" in shown


# --- damage while a conversation is open


@pytest.mark.parametrize("group", range(6))
def test_damage_to_a_root_that_is_open_never_breaks_it(bases: list[Files], tmp_path: Path, group: int) -> None:
    for number in range(10):
        pick = random.Random(f"open {group} {number}")
        base = bases[number % len(bases)]
        path = tmp_path / str(number)
        write_tree(base, path)
        name = Root(path).conversations()[0]
        conversation = Root(path).load(name, keep_records=bool(number % 2))
        conversation.json()
        files = dict(base)
        for _ in range(pick.choice([1, 2, 5])):
            names = landed_of(files) + rounds_of(files)
            if names:
                pick.choice(FILE_DAMAGE)(files, some(pick, names), pick)
        shutil.rmtree(path)
        path.mkdir()
        write_tree(files, path)
        began = time.process_time()
        for _ in range(2):
            if conversation.usable:
                assert conversation.json()
                assert b"".join(conversation.yaml())
            for found in list(conversation.data.files):
                for row in range(found.count + 1):
                    conversation.record(found.file.seq, row)
            assert conversation.report.state in ("verified", "incomplete", "mismatch")
            conversation.refresh()
            conversation.data.forget_records()
        assert time.process_time() - began < SECONDS


def test_a_session_that_vanishes_while_it_is_read_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(tmp_path)
    data = SessionData(Root(tmp_path).storage, "s0")
    real = Root(tmp_path).storage.landed

    def then_gone(session: str) -> Any:
        listed = real(session)
        shutil.rmtree(tmp_path / "s0", ignore_errors=True)
        return listed

    monkeypatch.setattr(data.storage, "landed", then_gone)
    assert data.refresh() == [] and data.files == [] and len(data.unreadable) == 2
    monkeypatch.undo()
    assert data.refresh() == [] and data.unreadable == {}

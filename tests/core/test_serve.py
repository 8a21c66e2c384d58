"""The HTTP server on a real socket: every route, the cache of documents, what is refused, and that nothing is left behind."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import json
import os
import shutil
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from asz_core import AszError, Root
from asz_core.listing import quick_row
from asz_core.serve import ViewServer, documents, parse_address, rows, server
from asz_core.serve.http import Limits, Refused, has_tag, parse_head, takes_gzip
from asz_core.sessiondata.writer import landed_bytes, publish
from asz_core.sessionflow import chained_input_digest, round_bytes, round_name

CASES = Path(__file__).parent.parent / "data" / "conformance"
PATIENCE = 8.0


# -- roots to serve ----------------------------------------------------------------------------------------------------


def make_round(
    root: Path, conversation: str, number: int, previous: tuple[str, str] = ("", ""), *, text: str = "hello", **header: Any
) -> tuple[str, str]:
    """Lands one file and publishes the round that consumes it; returns the round's digest and its input digest."""
    landed = landed_bytes(
        {
            "seq": number,
            "at": "2026-01-01T00:00:00Z",
            "kind": "transcript",
            "src": "test",
            "dialect": "test",
            "session": conversation,
        },
        [
            {"id": f"m{number}", "time": f"2026-01-01T00:0{number}:00.000Z", "parts": [{"k": "text", "text": text}]},
            b'{"id":"own","time":"2026-01-01T00:00:09.000Z","spelling" : 1.50}',
        ],
    )
    publish(root / conversation / "streams" / "main" / f"transcript-20260101T000000.000000000Z-{number:06}.sd", landed)
    inputs = chained_input_digest(previous[1], [hashlib.sha256(landed).hexdigest()])
    head = {
        "conversation": conversation,
        "session": conversation,
        "round": number,
        "previous": previous[0],
        "from_seq": number,
        "through_seq": number,
        "input_digest": inputs,
        "parser": "test",
        "policy": "test",
        **header,
    }
    session = f"session/{conversation}"
    nodes: list[dict[str, Any]] = [
        {"t": "node", "id": f"talk/{number}", "kind": "talk", "parent": session, "ref": {"seq": number, "row": 1}},
    ]
    if number == 1:
        attrs = {"title": f"title of {conversation}", "through_time": "2026-01-01T00:09:00.000Z"}
        nodes.append({"t": "node", "id": session, "kind": "session", "attrs": attrs})
    data, digest = round_bytes(head, nodes)
    publish(root / "_conversations" / conversation / "rounds" / round_name(number, digest), data)
    return digest, inputs


@pytest.fixture
def made(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    make_round(root, "one", 1)
    return root


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def serving(lines: list[str]) -> Iterator[Callable[..., ViewServer]]:
    """Starts servers, and stops them after the test."""
    started: list[ViewServer] = []

    def serve(path: Path, *, limits: Limits | None = None, connections: int = 64, **options: Any) -> ViewServer:
        it = ViewServer(Root(path), port=0, log=lines.append, **options)
        it.limits = limits or Limits(head=PATIENCE, piece=PATIENCE, linger=0.2)
        it.connections = connections
        it.start()
        started.append(it)
        return it

    yield serve
    for it in started:
        it.stop()


class Reply:
    """An answer that was read to its end."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self.body = answer.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(it: ViewServer, target: str, method: str = "GET", **headers: str) -> Reply:
    connection = http.client.HTTPConnection(*it.address, timeout=PATIENCE)
    try:
        connection.request(method, target, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def raw(it: ViewServer, data: bytes, *, half_close: bool = False) -> bytes:
    """What the server sends for these bytes, until it closes."""
    with socket.create_connection(it.address, timeout=PATIENCE) as client:
        with contextlib.suppress(OSError):
            client.sendall(data)
            if half_close:
                client.shutdown(socket.SHUT_WR)
        got = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65536):
                got += piece
        return got


def error_of(data: bytes) -> tuple[int, str]:
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The conversations whose document was built."""
    built: list[str] = []
    build = documents.build_document

    def counting(chain: Any, data: Any) -> Any:
        built.append(chain.conversation)
        time.sleep(0.05)
        return build(chain, data)

    monkeypatch.setattr(documents, "build_document", counting)
    return built


def case_of(name: str) -> tuple[Path, str]:
    root = CASES / name / "root"
    return root, Root(root).conversations()[0]


# -- the routes --------------------------------------------------------------------------------------------------------


def test_the_first_page_lists_the_routes(made: Path, serving: Callable[..., ViewServer]) -> None:
    reply = ask(serving(made), "/")
    assert reply.status == 200
    assert "/api/c/{id}/view" in reply.json["routes"]


def test_status(made: Path, serving: Callable[..., ViewServer]) -> None:
    reply = ask(serving(made), "/api/status?now")
    assert set(reply.json) == {"version", "conversations", "uptime_ms"}
    assert reply.json["conversations"] == 1
    assert str(made).encode() not in reply.body


@pytest.mark.parametrize("name", ["hello", "fleet", "craft", "craft-bytes", "hostile", "words-hard", "broken-gap", "extras"])
def test_the_view_is_the_compact_document(name: str, serving: Callable[..., ViewServer]) -> None:
    root, conversation = case_of(name)
    reply = ask(serving(root), f"/api/c/{conversation}/view")
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/json"
    assert int(reply.headers["Content-Length"]) == len(reply.body)
    loaded = Root(root).load(conversation)
    assert reply.body == loaded.json(compact=True)
    assert reply.json == json.loads(loaded.json())
    assert reply.json == json.loads((CASES / name / "expect.json").read_bytes()) or name == "broken-gap"


def test_the_list(made: Path, serving: Callable[..., ViewServer]) -> None:
    make_round(
        made, "two", 1, title="from the header", talks=3, steps=4, streams=5, segments=6, unresolved=7,
        session_from_time="2026-01-02T00:00:00Z", session_through_time="2026-01-02T00:00:01.5Z",
    )  # fmt: skip
    reply = ask(serving(made), "/api/conversations")
    two, one = reply.json
    assert two == {
        "id": "two", "title": "from the header", "talks": 3, "steps": 4, "streams": 5, "segments": 6, "rounds": 1,
        "from": 1767312000000, "to": 1767312001500, "unresolved": 7,
    }  # fmt: skip
    assert one["title"] == "title of one"  # folded: the header says nothing
    assert (one["talks"], one["from"], one["to"]) == (1, None, 1767225600000 + 540_000)
    assert list(one) == list(two)


def test_an_empty_root(tmp_path: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(tmp_path)
    assert ask(it, "/api/conversations").json == []
    assert ask(it, "/api/status").json["conversations"] == 0


def test_a_record_is_its_own_line(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    reply = ask(it, "/api/c/one/record/1/2")
    assert reply.status == 200
    assert reply.body == b'{"id":"own","time":"2026-01-01T00:00:09.000Z","spelling" : 1.50}'
    assert ask(it, "/api/c/one/record/000001/1").json["id"] == "m1"


@pytest.mark.parametrize("address", ["1/3", "1/0", "0/1", "2/1", "1/9223372036854775807"])
def test_a_record_that_is_not_there(made: Path, serving: Callable[..., ViewServer], address: str) -> None:
    reply = ask(serving(made), f"/api/c/one/record/{address}")
    assert (reply.status, "no record" in reply.json["error"]) == (404, True)


@pytest.mark.parametrize("address", ["-1/1", "1/x", "+1/1", "%31/1", "1/9223372036854775808", "1/" + "1" * 400, "1/", "1.0/1"])
def test_an_address_that_is_none(made: Path, serving: Callable[..., ViewServer], address: str) -> None:
    assert ask(serving(made), f"/api/c/one/record/{address}").status == 400


def test_records_of_bytes_that_are_no_text(serving: Callable[..., ViewServer]) -> None:
    root, conversation = case_of("craft-bytes")
    it, loaded = serving(root), Root(root).load(conversation)
    for landed in loaded.data.files:
        for row in range(1, landed.count + 1):
            reply = ask(it, f"/api/c/{conversation}/record/{landed.file.seq}/{row}")
            assert reply.body.decode() == loaded.landed_line(landed.file.seq, row)


def test_no_usable_round(serving: Callable[..., ViewServer]) -> None:
    root, conversation = case_of("broken-first-missing")
    it = serving(root)
    reply = ask(it, f"/api/c/{conversation}/view")
    assert reply.status == 404
    assert reply.json == {"error": "no usable round: round 1 is missing; the chain stops at round 0"}
    assert len(ask(it, "/api/conversations").json) == 1


@pytest.mark.parametrize(
    "target", ["/x", "/api", "/api/c/one", "/api/c/one/view/", "/api/c//", "/api/c/two/view", "/api/c/on/view", "/api/c/ONE/view"]
)
def test_what_is_not_there(made: Path, serving: Callable[..., ViewServer], target: str) -> None:
    reply = ask(serving(made), target)
    assert reply.status == 404
    assert list(reply.json) == ["error"]


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_built_once_for_all(made: Path, serving: Callable[..., ViewServer], builds: list[str]) -> None:
    it = serving(made)
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: ask(it, "/api/c/one/view"), range(20)))
    assert builds == ["one"]
    assert {reply.body for reply in replies} == {Root(made).load("one").json(compact=True)}


def test_a_new_round_drops_it(made: Path, serving: Callable[..., ViewServer], builds: list[str]) -> None:
    previous = make_round(made, "more", 1)
    it = serving(made)
    first = ask(it, "/api/c/more/view")
    assert ask(it, "/api/c/more/view").body == first.body
    assert builds == ["more"]
    make_round(made, "more", 2, previous)
    second = ask(it, "/api/c/more/view", If_None_Match=first.headers["ETag"])
    assert (second.status, second.json["head"]["round"], second.json["summary"]["state"]) == (200, 2, "verified")
    assert second.body == Root(made).load("more").json(compact=True)
    assert builds == ["more", "more"]
    assert ask(it, "/api/c/more/record/2/1").json["id"] == "m2"


def test_rounds_behind_a_gap_drop_it(made: Path, serving: Callable[..., ViewServer]) -> None:
    previous = make_round(made, "gap", 1)
    it = serving(made)
    for number in (3, 4):  # the fold and the sentence that says why it stopped stay the same with 4
        make_round(made, "gap", number, previous)
        assert ask(it, "/api/c/gap/view").body == Root(made).load("gap").json(compact=True)


def test_a_landed_file_that_came_later(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    landed = next((made / "one" / "streams" / "main").iterdir())
    aside = made / landed.name
    landed.rename(aside)
    missing = ask(it, "/api/c/one/view")
    assert missing.json["summary"]["state"] == "incomplete"
    aside.rename(landed)
    whole = ask(it, "/api/c/one/view")
    assert whole.json["summary"]["state"] == "verified"
    assert missing.headers["ETag"] != whole.headers["ETag"]


def test_a_file_that_was_still_being_copied(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    landed = next((made / "one" / "streams" / "main").iterdir())
    round_file = next((made / "_conversations" / "one" / "rounds").iterdir())
    for path, status in ((landed, 200), (round_file, 404)):
        data = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(data[:40])
        half = ask(it, "/api/c/one/view")
        assert half.status == status
        path.write_bytes(data)
        whole = ask(it, "/api/c/one/view")
        assert (whole.status, whole.json["summary"]["state"]) == (200, "verified")


def test_a_conversation_that_went(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    assert ask(it, "/api/c/one/view").status == 200
    shutil.rmtree(made / "_conversations" / "one")
    assert ask(it, "/api/c/one/view").status == 404
    assert ask(it, "/api/conversations").json == []
    make_round(made, "one", 2, ("a" * 64, "b" * 64))  # no first round
    assert ask(it, "/api/c/one/view").json["error"].startswith("no usable round")


def test_only_so_many_are_held(tmp_path: Path, serving: Callable[..., ViewServer], builds: list[str]) -> None:
    names = [f"c{number}" for number in range(server.DOCUMENTS + 2)]
    for name in names:
        make_round(tmp_path, name, 1)
    it = serving(tmp_path)
    for name in names:
        ask(it, f"/api/c/{name}/view")
    assert it._run is not None
    assert it._run._documents.held == names[2:]
    ask(it, f"/api/c/{names[2]}/view")
    assert len(builds) == len(names)
    ask(it, f"/api/c/{names[0]}/view")
    assert len(builds) == len(names) + 1
    assert it._run._documents.held == [*names[4:], names[2], names[0]]
    ask(it, "/api/c/nothing/view")
    assert "nothing" not in it._run._documents.held


def test_the_rows_are_kept(made: Path, serving: Callable[..., ViewServer], monkeypatch: pytest.MonkeyPatch) -> None:
    previous = make_round(made, "two", 1)
    for folder in (made / "_conversations").iterdir():
        os.utime(folder / "rounds", (1, 1))
    read: list[tuple[str, bool]] = []
    row = Root.row

    def counting(self: Root, name: str, *, full: bool = False) -> Any:
        read.append((name, full))
        return row(self, name, full=full)

    monkeypatch.setattr(Root, "row", counting)
    it = serving(made)
    first = ask(it, "/api/conversations").json
    assert sorted(read) == [("one", False), ("one", True), ("two", False), ("two", True)]
    read.clear()
    assert ask(it, "/api/conversations").json == first
    assert read == []
    make_round(made, "two", 2, previous)
    assert {r["id"]: r["talks"] for r in ask(it, "/api/conversations").json} == {"one": 1, "two": 2}
    assert {name for name, _ in read} == {"two"}


def test_rows_that_take_too_long_come_later(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = rows.Rows(Root(made), lambda: False)
    monkeypatch.setattr(rows, "BUDGET", -1)
    assert listed.all()[0]["talks"] is None
    monkeypatch.setattr(rows, "BUDGET", 5)
    assert listed.all()[0]["talks"] == 1
    monkeypatch.setattr(rows, "BUDGET", -1)
    assert listed.all()[0]["talks"] == 1
    assert quick_row(Root(made).storage, "one").talks is None


def test_a_tag_spares_the_body(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    reply = ask(it, "/api/c/one/view")
    tag = reply.headers["ETag"]
    assert tag.strip('"').startswith(reply.json["head"]["digest"][:16])
    for named in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        same = ask(it, "/api/c/one/view", If_None_Match=named)
        assert (same.status, same.body, same.headers["ETag"]) == (304, b"", tag)
    assert ask(it, "/api/c/one/view", If_None_Match='"other"').status == 200


def test_gzip(made: Path, serving: Callable[..., ViewServer], monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[int] = []
    compress = gzip.compress
    monkeypatch.setattr(documents.gzip, "compress", lambda *a, **k: packed.append(1) or compress(*a, **k))
    it = serving(made)
    plain = ask(it, "/api/c/one/view")
    small = [ask(it, "/api/c/one/view", Accept_Encoding="br, gzip;q=0.5") for _ in range(3)]
    assert packed == [1]
    assert {gzip.decompress(reply.body) for reply in small} == {plain.body}
    assert small[0].headers["Content-Encoding"] == "gzip"
    assert int(small[0].headers["Content-Length"]) == len(small[0].body)
    assert plain.headers["Vary"] == small[0].headers["Vary"] == "Accept-Encoding"
    assert small[0].headers["ETag"] != plain.headers["ETag"]
    assert ask(it, "/api/c/one/view", Accept_Encoding="gzip", If_None_Match=small[0].headers["ETag"]).status == 304
    assert "Content-Encoding" not in ask(it, "/api/c/one/view", Accept_Encoding="gzip;q=0, *").headers


def test_what_accept_encoding_allows() -> None:
    yes = ["gzip", "GZIP", "deflate, gzip;q=1.0", "*", "br;q=1, *;q=0.1", "x-gzip", "gzip;q=0.001"]
    no = ["", "identity", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "gzipped"]
    assert [takes_gzip(value) for value in yes + no] == [True] * len(yes) + [False] * len(no)
    assert has_tag('W/"a"', {"a"}) and has_tag("*", {"a"}) and not has_tag("a", {"a"}) and not has_tag("", {"a"})


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_head(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    for target in ("/", "/api/c/one/view", "/api/c/none/view", "/api/c/one/record/1/1"):
        full, head = ask(it, target), ask(it, target, "HEAD")
        assert (head.status, head.body) == (full.status, b"")
        assert head.headers["Content-Length"] == str(len(full.body))
        assert head.headers.get("ETag") == full.headers.get("ETag")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get"])
def test_other_methods(made: Path, serving: Callable[..., ViewServer], method: str) -> None:
    reply = ask(serving(made), "/api/status", method)
    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD")
    assert reply.json["error"]


def test_every_answer_is_guarded(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    for target in ("/", "/api/status", "/api/conversations", "/api/c/one/view", "/api/c/one/record/1/1", "/none"):
        headers = ask(it, target, Origin="http://elsewhere.example").headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert headers["Cache-Control"] == ("no-cache" if target.endswith("view") else "no-store")
        assert not [name for name in headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "%2e%2e",
        "%2E%2E%2Fone",
        "..%2f..%2fetc%2fpasswd",
        "one%2f..",
        "%5c..%5c",
        "one%00",
        "%00",
        "",
        "%ff",
        "a%0d%0ab",
        "x" * 256,
    ],
)
def test_names_that_lead_elsewhere(made: Path, serving: Callable[..., ViewServer], name: str) -> None:
    it = serving(made)
    for end in ("view", "record/1/1"):
        status, why = error_of(
            raw(it, f"GET /api/c/{name}/{end} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        )
        assert (status, why) == (400, "the conversation's id does not read")


@pytest.mark.parametrize("name", ["%252e%252e", "..%252f", "_conversations", "one/../one", "../../../../etc/passwd", "...", "%7e"])
def test_names_that_lead_nowhere(made: Path, serving: Callable[..., ViewServer], name: str) -> None:
    status, why = error_of(
        raw(serving(made), f"GET /api/c/{name}/view HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    )
    assert status == 404
    assert str(made) not in why


def test_names_that_need_quoting(tmp_path: Path, serving: Callable[..., ViewServer]) -> None:
    make_round(tmp_path, "mit Ümläut & 100%?", 1)
    it = serving(tmp_path)
    assert ask(it, "/api/c/mit%20%C3%9Cml%C3%A4ut%20%26%20100%25%3F/view").status == 200
    assert ask(it, "/api/conversations").json[0]["id"] == "mit Ümläut & 100%?"


def test_a_name_that_is_no_text_is_left_out(made: Path, serving: Callable[..., ViewServer]) -> None:
    with contextlib.suppress(OSError):
        shutil.copytree(os.fsencode(made / "_conversations" / "one"), os.fsencode(made / "_conversations") + b"/\xff")
    assert [row["id"] for row in ask(serving(made), "/api/conversations").json] == ["one"]


@pytest.mark.parametrize(
    "host", ["elsewhere.example", "elsewhere.example:80", "192.0.2.1", "", "a b", "127.0.0.1.example", "localhost.", "[::2]"]
)
def test_another_host_is_refused(made: Path, serving: Callable[..., ViewServer], host: str) -> None:
    reply = ask(serving(made), "/api/status", Host=host)
    assert (reply.status, "Host" in reply.json["error"]) == (400, True)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9000", "[::1]", "[::1]:8787"])
def test_the_names_of_this_machine(made: Path, serving: Callable[..., ViewServer], host: str) -> None:
    assert ask(serving(made), "/api/status", Host=host).status == 200


def test_remote_must_be_allowed(made: Path, serving: Callable[..., ViewServer]) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "host.example", "127.0.0.1.example", ""):
        with pytest.raises(AszError, match="allowed"):
            ViewServer(Root(made), host, 0)
    it = serving(made, host="0.0.0.0", allow_remote=True)
    port = it.address[1]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/api/status", headers={"Host": "host.example"})
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize(
    "text, host, port",
    [
        ("127.0.0.1:8787", "127.0.0.1", 8787),
        (":8787", "127.0.0.1", 8787),
        ("8787", "127.0.0.1", 8787),
        ("0", "127.0.0.1", 0),
        ("localhost:0", "localhost", 0),
        ("localhost", "localhost", 8787),
        ("[::1]:8787", "::1", 8787),
        ("[::1]", "::1", 8787),
        (" 0.0.0.0:65535 ", "0.0.0.0", 65535),
        ("host.example:80", "host.example", 80),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert parse_address(text) == (host, port)


@pytest.mark.parametrize(
    "text",
    ["", " ", "::1", "::1:8787", "a:b", "host:", "1.2.3.4:65536", "99999", "http://x:1", "a b:1", "[x]:1", "[::1", "-1:-1", "²"],
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(AszError):
        parse_address(text)


@pytest.mark.parametrize(
    "request_bytes, status",
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /\xc3\xa4 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: b\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000, 405),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 101 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"b" * 20_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"b" * 200_000, 431),
    ],
)
def test_requests_that_do_not_read(made: Path, serving: Callable[..., ViewServer], request_bytes: bytes, status: int) -> None:
    it = serving(made)
    got, why = error_of(raw(it, request_bytes))
    assert (got, bool(why)) == (status, True)
    assert ask(it, "/api/status").status == 200


def test_heads_are_read_strictly() -> None:
    request = parse_head(b"GET /a?b HTTP/1.1\r\nHost: x\r\nAccept: a\r\naccept:  b ")
    assert (request.target, request.headers["accept"], request.keep) == ("/a?b", "a, b", True)
    assert not parse_head(b"GET / HTTP/1.0").keep
    with pytest.raises(Refused):
        parse_head(b"GET / HTTP/1.1\r\nHost: x\r\n\x00: b")


def test_one_connection_for_many(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    one = b"GET /api/c/one/record/1/2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    got = raw(it, b"\r\n" + one * 3 + b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"HEAD / HTTP/1.0\r\n\r\n" + one)
    assert got.count(b"HTTP/1.1 200 OK") == 4
    assert got.count(b'"spelling" : 1.50') == 3
    assert got.count(b"HTTP/1.1 404 Not Found") == 1


def test_answers_on_one_connection_do_not_wait(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    connection = http.client.HTTPConnection(*it.address, timeout=PATIENCE)
    began = time.monotonic()
    for _ in range(50):
        connection.request("GET", "/")
        Reply(connection.getresponse())
    connection.close()
    assert time.monotonic() - began < 1  # 2 s where each waits for a delayed acknowledgement


# -- clients that do not behave ----------------------------------------------------------------------------------------


def test_a_request_that_dribbles_in(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made, limits=Limits(head=0.3, piece=1, linger=0.1))
    began = time.monotonic()
    with socket.create_connection(it.address, timeout=PATIENCE) as client:
        got = b""
        client.settimeout(0.05)
        with contextlib.suppress(OSError):
            while time.monotonic() - began < PATIENCE:
                client.sendall(b"G")
                with contextlib.suppress(TimeoutError):
                    piece = client.recv(4096)
                    if not piece:
                        break
                    got += piece
    assert error_of(got)[0] == 408
    assert time.monotonic() - began < 3
    assert raw(it, b"") == b""  # an idle one is closed without a word


def test_a_request_cut_short(made: Path, serving: Callable[..., ViewServer]) -> None:
    assert raw(serving(made), b"GET / HTTP/1.1\r\nHo", half_close=True) == b""


def test_a_reader_that_does_not_read(tmp_path: Path, serving: Callable[..., ViewServer], builds: list[str]) -> None:
    previous = make_round(tmp_path, "big", 1, text="x")
    landed = landed_bytes(
        {"seq": 2, "kind": "transcript", "src": "test", "dialect": "test", "session": "big"},
        [{"parts": [{"k": "text", "text": "y" * 1900}]} for _ in range(6000)],
    )
    publish(tmp_path / "big" / "streams" / "main" / "transcript-20260101T000000.000000000Z-000002.sd", landed)
    head = {"conversation": "big", "session": "big", "round": 2, "previous": previous[0], "from_seq": 2, "through_seq": 2}
    nodes = [
        {"t": "node", "id": f"message/{n}", "kind": "message", "parent": "talk/1", "ref": {"seq": 2, "row": n + 1}}
        for n in range(6000)
    ]
    data, digest = round_bytes({**head, "input_digest": "x", "parser": "test", "policy": "test"}, nodes)
    publish(tmp_path / "_conversations" / "big" / "rounds" / round_name(2, digest), data)
    it = serving(tmp_path, limits=Limits(head=5, piece=0.5, linger=0.1))
    whole = ask(it, "/api/c/big/view")
    assert len(whole.body) > 12_000_000
    tracemalloc.start()
    clients = [socket.create_connection(it.address, timeout=PATIENCE) for _ in range(20)]
    for client in clients:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET /api/c/big/view HTTP/1.1\r\nHost: localhost\r\n\r\n")
    began = time.monotonic()
    assert ask(it, "/api/c/big/view").body == whole.body  # the others are not in the way
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * len(whole.body)
    assert len(builds) == 1
    run = it._run
    assert run is not None
    until(lambda: not run._tasks)  # cut off, one as the other
    assert time.monotonic() - began < 5
    for client in clients:
        client.close()
    assert ask(it, "/api/status").status == 200


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_reader_that_goes_away(made: Path, serving: Callable[..., ViewServer], builds: list[str]) -> None:
    it = serving(made)
    with socket.create_connection(it.address) as client:
        client.sendall(b"GET /api/c/one/view HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert ask(it, "/api/c/one/view").status == 200
    assert builds == ["one"]


def test_too_many_connections(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made, connections=3)
    run = it._run
    assert run is not None
    clients = [socket.create_connection(it.address) for _ in range(3)]
    until(lambda: len(run._tasks) == 3)
    reply = ask(it, "/api/status")
    assert (reply.status, reply.headers["Retry-After"]) == (503, "2")
    for client in clients:
        client.close()
    until(lambda: not run._tasks)
    assert ask(it, "/api/status").status == 200


def test_a_fault_in_here(made: Path, serving: Callable[..., ViewServer], monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    def fails(*_: Any) -> Any:
        raise OSError(f"[Errno 5] broken: {made}")

    monkeypatch.setattr(documents, "build_document", fails)
    it = serving(made)
    reply = ask(it, "/api/c/one/view")
    assert reply.status == 500
    assert str(made) not in reply.json["error"]
    assert any("broken" in line for line in lines)
    monkeypatch.undo()
    assert ask(it, "/api/c/one/view").status == 200


def test_a_log_that_fails(made: Path) -> None:
    def fails(line: str) -> None:
        raise ValueError(line)

    with ViewServer(Root(made), port=0, log=fails) as it:
        assert ask(it, "/api/status").status == 200


# -- start and stop ----------------------------------------------------------------------------------------------------


def fds() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_nothing_is_left_behind(made: Path, lines: list[str]) -> None:
    def once(port: int = 0) -> int:
        with ViewServer(Root(made), port=port, log=lines.append) as it:
            idle = socket.create_connection(it.address)
            assert ask(it, "/api/c/one/view").status == 200
            address = it.address
        assert idle.recv(1) == b""
        idle.close()
        with pytest.raises(OSError):
            socket.create_connection(address, timeout=1)
        return address[1]

    port = once()
    threads, handles = set(threading.enumerate()), fds()
    for _ in range(3):
        once(port)  # the same port again, at once
    assert set(threading.enumerate()) == threads
    assert fds() == handles
    assert not [line for line in lines if "Error" in line or "exception" in line]


def test_a_port_in_use(made: Path, serving: Callable[..., ViewServer]) -> None:
    it = serving(made)
    with pytest.raises(AszError, match=r"cannot listen on 127\.0\.0\.1 port \d+: .*in use"):
        ViewServer(Root(made), port=it.address[1]).start()
    with pytest.raises(RuntimeError):
        it.start()
    with pytest.raises(AszError, match="70000"):
        ViewServer(Root(made), port=70000)
    with pytest.raises(AszError, match="cannot listen"):
        ViewServer(Root(made), "192.0.2.1", 0, allow_remote=True).bind()


def test_serve_forever_until_stop(made: Path) -> None:
    it = ViewServer(Root(made), "localhost", 0)
    assert it.address == ("127.0.0.1", 0)
    assert it.bind() == it.address
    assert it.url == f"http://127.0.0.1:{it.address[1]}/"
    thread = threading.Thread(target=it.serve_forever)
    thread.start()
    assert ask(it, "/api/status").status == 200
    it.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    it.stop()  # harmless
    it.start()  # and again
    assert ask(it, "/api/status").status == 200
    it.stop()


def test_bound_and_never_started(made: Path) -> None:
    handles = fds()
    it = ViewServer(Root(made), port=0)
    it.bind()
    it.stop()
    assert fds() == handles


def test_stop_gives_a_reading_up(made: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    for seq in range(2, 42):
        landed = landed_bytes({"seq": seq, "kind": "transcript", "src": "t", "dialect": "t", "session": "one"}, [{"id": "x"}])
        publish(made / "one" / "streams" / "main" / f"transcript-20260101T000000.000000000Z-{seq:06}.sd", landed)
    from asz_core.sessiondata import session

    read = session.parse_landed
    started = threading.Event()

    def slowly(*args: Any) -> Any:
        started.set()
        time.sleep(0.1)
        return read(*args)

    monkeypatch.setattr(session, "parse_landed", slowly)
    it = ViewServer(Root(made), port=0, log=lines.append)
    it.start()
    with socket.create_connection(it.address) as client:
        client.sendall(b"GET /api/c/one/view HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert started.wait(PATIENCE)
        began = time.monotonic()
        it.stop()
    assert time.monotonic() - began < 2


def test_ipv6(made: Path, serving: Callable[..., ViewServer]) -> None:
    try:
        it = serving(made, host="::1")
    except AszError:
        pytest.skip("there is no IPv6 here")
    assert it.url == f"http://[::1]:{it.address[1]}/"
    assert ask(it, "/api/status").status == 200


def test_the_root_is_never_written(tmp_path: Path, serving: Callable[..., ViewServer]) -> None:
    shutil.copytree(CASES / "hello" / "root", tmp_path / "root")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "root").rglob("*")}
    it = serving(tmp_path / "root")
    conversation = Root(tmp_path / "root").conversations()[0]
    for target in ("/api/conversations", f"/api/c/{conversation}/view", f"/api/c/{conversation}/record/1/1"):
        assert ask(it, target).status == 200
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "root").rglob("*")} == before

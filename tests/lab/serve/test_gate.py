"""The gate: every route of the lab refuses foreign requests."""

import asyncio
import re
from pathlib import Path

import pytest
from serving import TOKEN, serving
from starlette.routing import WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from adjoint_lab.serve.gate import HEADERS, SHELL, Gate
from adjoint_lab.serve.server import create_application

FILES = {"index.html": b"<!doctype html><title>lab</title>", "main.js": b"export {}", "theme.css": b"html {}"}
FOREIGN = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:{port}.evil.example",
    "127.0.0.1.evil.example:{port}",
    "localhost",
    "localhost.:{port}",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "127.0.0.2:{port}",
    "127.1:{port}",
    "127.0.0.1:{port}/",
    "user@127.0.0.1:{port}",
    "null",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    assets = tmp_path_factory.mktemp("package") / "assets"
    assets.mkdir()
    for name, content in FILES.items():
        (assets / name).write_bytes(content)
    (assets.parent / "secret.txt").write_text("secret")
    (assets / "notes.py").write_text("secret")
    (assets / "inner").mkdir()
    return assets


@pytest.fixture(scope="module")
def lab(folder):
    with serving({}, folder) as lab:
        yield lab


def routes() -> dict[str, bool]:
    """All routes of the application, and whether each is a WebSocket."""
    found = create_application("token", 1).application.routes
    return {route.path: isinstance(route, WebSocketRoute) for route in found}


async def refuse(*arguments) -> None:
    raise AssertionError("the gate let this pass")


def path_of(route: str) -> str:
    return route.replace("{file}", "main.js")


def handshake(lab, route: str, **changes: str | list[str] | None):
    """Return the answer to a WebSocket handshake with some headers changed or, if None, omitted."""
    headers = {
        "Host": lab.place,
        "Origin": f"http://{lab.place}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": f"adjoint, {lab.token}",
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    sent = [(name, one) for name, value in headers.items() for one in (value if isinstance(value, list) else [value])]
    return lab.request(path_of(route), [(name, value) for name, value in sent if value is not None])


def test_the_routes_are_the_shell_and_the_socket():
    assert routes() == {**dict.fromkeys(SHELL, False), "/socket": True}


@pytest.mark.parametrize("host", [*FOREIGN, ""])
@pytest.mark.parametrize("route", routes())
def test_every_route_refuses_a_foreign_host(lab, route, host):
    host = host.format(port=lab.port)
    if routes()[route]:
        assert handshake(lab, route, Host=host).status == 403
        assert handshake(lab, route, Host=host, Origin=f"http://{host}").status == 403
    else:
        assert lab.request(path_of(route), [("Host", host)]).status == 403


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("route", routes())
def test_every_route_refuses_a_foreign_origin(lab, route, host):
    place = host.format(port=lab.port)
    for origin in (f"http://{place}", f"https://{lab.place}", place, "null", "", f"http://{lab.place}/"):
        if routes()[route]:
            assert handshake(lab, route, Origin=origin).status == 403
        else:
            assert lab.request(path_of(route), [("Host", lab.place), ("Origin", origin)]).status == 403


@pytest.mark.parametrize("route", routes())
def test_every_route_refuses_two_origins_even_if_one_is_correct(lab, route):
    ours, foreign = f"http://{lab.place}", "http://evil.example"
    for both in ([ours, foreign], [foreign, ours], [ours, ours]):
        if routes()[route]:
            assert handshake(lab, route, Origin=both).status in (400, 403)
        else:
            headers = [("Host", lab.place), *(("Origin", one) for one in both)]
            assert lab.request(path_of(route), headers).status == 403


@pytest.mark.parametrize("route", [route for route in routes() if route not in SHELL])
def test_every_route_but_the_shell_refuses_a_missing_and_a_wrong_token(lab, route):
    wrong = [None, "adjoint", "adjoint, ", "adjoint, wrong", f"adjoint, {TOKEN}x", f"adjoint, {TOKEN[:-1]}", TOKEN,
             f"{TOKEN}, adjoint", f"adjoint, {TOKEN}, {TOKEN}", f"other, {TOKEN}", f"adjoint, {TOKEN.upper()}",
             f"adjoint, {'x' * 5000}", "adjoint, \xff\xfe"]  # fmt: skip
    for protocols in wrong:
        assert handshake(lab, route, Sec_WebSocket_Protocol=protocols).status in (400, 403), protocols
    assert handshake(lab, f"{route}?token={TOKEN}", Sec_WebSocket_Protocol="adjoint").status == 403
    assert handshake(lab, route, Sec_WebSocket_Protocol=None, Authorization=f"Bearer {TOKEN}").status == 403
    assert lab.request(route).status == 403  # not a WebSocket
    assert handshake(lab, route).status == 101  # the control: all headers are correct


@pytest.mark.parametrize("route", [route for route, is_socket in routes().items() if is_socket])
def test_a_socket_without_an_origin_is_refused(lab, route):
    assert handshake(lab, route, Origin=None).status == 403


def test_a_refused_page_gets_no_socket(lab):
    where = {**lab.where(), "subprotocols": ["adjoint", "wrong"]}
    with pytest.raises(InvalidStatus, match="403"), connect(**where):
        pass
    assert not lab.sessions.open


def test_each_name_of_this_machine_serves_only_its_own_pages(lab):
    names = [f"{name}:{lab.port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    for here in names:
        assert lab.request("/", [("Host", here), ("Origin", f"http://{here}")]).status == 200
        for there in names:
            expected = 101 if here == there else 403
            assert handshake(lab, "/socket", Host=here, Origin=f"http://{there}").status == expected


def test_the_default_port_of_http_is_omitted_from_the_host():
    assert Gate(refuse, "token", 80, ["127.0.0.1"]).places == ("127.0.0.1",)
    assert Gate(refuse, "token", 8731, ["Machine.lan"]).places == ("machine.lan:8731",)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "CONNECT"])
@pytest.mark.parametrize("path", ["/", "/assets/main.js", "/socket", "/nothing"])
def test_only_get_and_head_are_supported(lab, method, path):
    answer = lab.request(path, method=method)
    assert answer.status == 405
    assert answer.getheader("Allow") == "GET, HEAD"


def test_the_shell_consists_of_the_files_of_the_package_without_the_token(lab, folder):
    for path, name in [("/", "index.html"), *((f"/assets/{name}", name) for name in FILES)]:
        answer = lab.request(path)
        assert (answer.status, answer.content) == (200, (folder / name).read_bytes())
        assert TOKEN not in str(answer.getheaders())
        assert lab.request(path, method="HEAD").content == b""


@pytest.mark.parametrize(
    "path",
    ["/assets/../secret.txt", "/assets/..%2fsecret.txt", "/assets/%2e%2e/secret.txt", "/assets/..\\secret.txt",
     "/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/assets/notes.py", "/assets/inner", "/assets/", "/assets/.",
     "/assets/%00", "/assets/main.js/", "/assets/main.js%00.css", "//", "/assets", "/index.html", "/secret.txt"],
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(lab, path):
    answer = lab.request(path)
    assert answer.status in (403, 404)
    assert b"secret" not in answer.content
    assert b"root:" not in answer.content


def test_a_cached_file_is_not_sent_again(lab):
    tag = lab.request("/").getheader("ETag")
    again = lab.request("/", [("Host", lab.place), ("If-None-Match", tag)])
    assert (again.status, again.content) == (304, b"")
    assert lab.request("/", [("Host", lab.place), ("If-None-Match", '"other"')]).content == FILES["index.html"]
    assert lab.request("/assets/main.js").getheader("ETag") != tag


def test_every_answer_has_the_security_headers(lab):
    tag = lab.request("/").getheader("ETag")
    answers = [
        lab.request("/"),
        lab.request("/assets/main.js"),
        lab.request("/assets/nothing"),
        lab.request("/nothing"),
        lab.request("/", method="POST"),
        lab.request("/", [("Host", "evil.example")]),
        lab.request("/", [("Host", lab.place), ("Origin", "http://evil.example")]),
        lab.request("/", [("Host", lab.place), ("If-None-Match", tag)]),
    ]
    assert [answer.status for answer in answers] == [200, 200, 404, 403, 405, 403, 403, 304]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers.get_all(name) == [value]
        assert not re.search("access-control|set-cookie|^server", "\n".join(answer.headers), re.IGNORECASE)
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"


def test_other_protocols_are_refused():
    with pytest.raises(RuntimeError, match="answers http and websocket, not lifespan"):
        asyncio.run(Gate(refuse, "token", 1)({"type": "lifespan"}, refuse, refuse))

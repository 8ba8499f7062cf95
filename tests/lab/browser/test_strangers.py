"""Foreign pages in a real browser: they can neither read from the lab nor send to it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

FOREIGN = """<!doctype html><title>another page</title><script>
const outcome = (promise) => promise.then((x) => `got ${x}`, () => "refused");
const loaded = (tag, fields) => outcome(new Promise((resolve, reject) => {
  const element = Object.assign(document.createElement(tag), fields, { onload: resolve, onerror: reject });
  document.body.append(element);
}));
async function attack(place, token) {
  const socket = (protocols) => outcome(new Promise((resolve, reject) => {
    const opened = new WebSocket(`ws://${place}/socket`, protocols);
    opened.onopen = resolve;
    opened.onerror = reject;
  }));
  const read = (options) => outcome(fetch(`http://${place}/assets/main.js`, options).then((answer) => answer.text()));
  return {
    fetch: await read({}),
    opaque: await read({ mode: "no-cors" }),
    post: await read({ method: "POST", body: "{}" }),
    script: await loaded("script", { src: `http://${place}/assets/main.js` }),
    picture: await loaded("img", { src: `http://${place}/assets/icon.svg` }),
    socket: await socket([]),
    "socket with the token": await socket(["adjoint", token]),
  };
}
</script>"""


@pytest.fixture
def stranger():
    """The address of a foreign page on the same machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN.encode())

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def foreign_page(browser):
    """A page whose errors are expected, because everything that it tries is forbidden."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_foreign_page_cannot_read_or_connect_even_with_the_token(lab, stranger, foreign_page):
    assert [lab.request(f"/assets/{name}").status for name in ("main.js", "icon.svg")] == [200, 200]
    foreign_page.goto(stranger)
    found = foreign_page.evaluate("([place, token]) => attack(place, token)", [lab.place, lab.token])
    assert found == dict.fromkeys(found, "refused")
    assert len(found) == 7


def test_a_foreign_page_cannot_frame_the_lab(lab, stranger, foreign_page):
    foreign_page.goto(stranger)
    frame = "(src) => document.body.append(Object.assign(document.createElement('iframe'), { src }))"
    with foreign_page.expect_event("framenavigated", lambda frame: frame.parent_frame) as framed:
        foreign_page.evaluate(frame, f"http://{lab.place}/")
    assert framed.value.url == "chrome-error://chromewebdata/"


def test_a_foreign_host_name_that_resolves_here_is_refused(lab, foreign_page):
    answer = foreign_page.goto(f"http://evil.example:{lab.port}/")
    assert answer.status == 403
    assert foreign_page.inner_text("body").strip() == f"this lab is only available at http://{lab.place}/"


def test_the_page_of_the_lab_connects_to_its_own_server_only(lab, stranger, foreign_page):
    foreign_page.goto(f"http://{lab.place}/")
    tried = """async ([address, token]) => {
      const open = (url, protocols) => new Promise((resolve) => {
        try {
          const socket = new WebSocket(url, protocols);
          socket.onopen = () => resolve("opened");
          socket.onerror = () => resolve("refused");
        } catch { resolve("refused"); }
      });
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.documentElement.append(script);
      return {
        ours: await open(`ws://${location.host}/socket`, ["adjoint", token]),
        theirs: await open(address.replace("http", "ws"), []),
        fetch: await fetch(address, { mode: "no-cors" }).then(() => "opened", () => "refused"),
        injected: window.injected ?? "refused",
      };
    }"""
    found = foreign_page.evaluate(tried, [stranger, lab.token])
    assert found == {"ours": "opened", "theirs": "refused", "fetch": "refused", "injected": "refused"}


def test_the_token_is_removed_from_the_address(page, lab, open_lab):
    open_lab(page, "explore", e="a*b", a=2, b=3)
    assert lab.token not in page.url
    assert lab.token not in page.evaluate("document.documentElement.outerHTML")
    assert page.evaluate("history.length") <= 2

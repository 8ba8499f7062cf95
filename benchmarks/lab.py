"""Speed of the lab in Chromium, served and as a static site: slider to repainted graph, training, start and size.

    python benchmarks/lab.py [--quick] [--only NAME …] [--json FILE]

The benchmark starts the lab with its command and opens the page in a headless browser. For the site it serves the
folder that `make site` writes, or the one in ADJOINT_SITE. A missed target is reported and is not an error.
"""

import gzip
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from alternation import Row, run

PATIENCE = 120_000  # milliseconds until Python has started in a page
NEEDED = ("playwright", "starlette", "uvicorn", "websockets")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


def main(arguments: Sequence[str] | None = None) -> None:
    run(
        "Measure the lab in Chromium.",
        (slider, training, start, bundle, site_start, site_training, site_size),
        NEEDED,
        arguments,
    )


@contextmanager
def lab() -> Iterator[str]:
    """Start a lab and yield the address that it prints; stop it at the end of the block."""
    command = [sys.executable, "-m", "adjoint", "lab", "--no-browser", "--port", "0"]
    # installed packages have bytecode; without it, every start would also time the compiler
    environment = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


ROOT = Path(__file__).parents[1]
SITE = Path(os.environ.get("ADJOINT_SITE", ROOT / "site"))


@contextmanager
def site() -> Iterator[str]:
    """Serve the static site and yield its address; stop at the end of the block."""
    if not (SITE / "engine").is_dir():
        sys.exit(f"this benchmark needs the static site in {SITE}: run `make site` first")
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(SITE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout
            port = process.stdout.readline().split("port ")[1].split()[0]
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()


@contextmanager
def chromium(*flags: str) -> Iterator[Any]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if executable is None:
        sys.exit("this benchmark needs a browser, and there is none here: install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu", *flags])
        yield browser
        browser.close()


def room(address: str, name: str, state: Mapping[str, Any]) -> str:
    """Return the address of a room of a lab, in the given state."""
    place, _, token = address.partition("#")
    return f"{place}#{name}?{urlencode(state)}" + (f"&{token}" if token else "")


# --- from a slider to the graph ---------------------------------------------------------------------------

# Two neurons, an output neuron, and its squared error: 30 nodes.
NODES = 30
NETWORK = {
    "e": "sigmoid(0.5*(v1*tanh(w1*x1 + w2*x2 + b1) + v2*tanh(w3*x1 + w4*x2 + b2) + c - y)**2)",
    **{f"n.{name}": x for name, x in {"w1": 0.4, "w2": -0.3, "b1": 0.1, "w3": 0.7, "w4": 0.2, "b2": -0.2}.items()},
    **{f"n.{name}": x for name, x in {"x1": 0.5, "x2": 1.2, "v1": 1.5, "v2": 0.8, "c": 0.3, "y": 0.6}.items()},
}
MOVES = 200
# The slider moves at times that are independent of the browser's frames. A move ends when the graph has been painted:
# in the first task after the frame in which the displayed result changed.
MOVE = """async (moves) => {
  const slider = document.querySelector("input[aria-label='x1, slider']");
  const result = document.querySelector(".graph .root .data");
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const painted = () => new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("the slider was moved, and the result stays as it was")), 5000);
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(null);
      });
    });
    watch.observe(result, { characterData: true, childList: true, subtree: true });
  });
  const times = [];
  for (let i = 0; i < moves; i++) {
    const seen = painted();
    slider.value = String(-2 + 0.05 * (i % 81)); // the steps of the slider
    const begun = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    times.push((await seen) - begun);
    await pause(50 + 17 * Math.random());
  }
  return times;
}"""


# A browser without a frame limit shows how much of the time is spent waiting for a 60 Hz frame. That row is for
# information; the bars apply to the browser with its limit.
AT_ONCE = ("--disable-frame-rate-limit", "--disable-gpu-vsync")


def slider(rounds: int) -> list[Row]:
    workload, rows = f"slider to repainted graph of {NODES} nodes", []
    for name, host in (("served", lab), ("static site", site)):
        times = time_moves(rounds, host)
        rows.append(_milliseconds(f"{workload}, {name}, median", median(times), 16))
        rows.append(_milliseconds(f"{workload}, {name}, 95th of 100", quantiles(times, n=20)[-1], 33))
    at_once = time_moves(rounds, lab, *AT_ONCE)
    return [
        *rows,
        _milliseconds("  without waiting for a frame, median", median(at_once), None),
        _milliseconds("  without waiting for a frame, 95th of 100", quantiles(at_once, n=20)[-1], None),
    ]


def time_moves(rounds: int, host: Callable[[], AbstractContextManager[str]], *flags: str) -> list[float]:
    """Return the seconds that each slider move took, in new labs."""
    times: list[float] = []
    with chromium(*flags) as browser:
        for _ in range(rounds):
            with host() as address:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(room(address, "explore", NETWORK))
                page.wait_for_selector(".graph .node", timeout=PATIENCE)
                assert page.locator(".graph .node").count() == NODES
                page.evaluate(MOVE, 20)  # warms up Python and the browser
                times += [ms / 1000 for ms in page.evaluate(MOVE, MOVES)]
                page.close()
    return times


def _milliseconds(workload: str, seconds: float, target: float | None) -> Row:
    return Row(workload, seconds, None, "s", 1000 * seconds, "≤", target, "ms")


# --- while a network learns ---------------------------------------------------------------------------------

MOONS = {"data": "moons", "hidden": "16,16", "engine": "scalar", "batch_size": "all", "held_out": 0}
SECONDS = 5
# Counts the frames that painted the boundary and the network, and the training steps.
WATCH = """async (seconds) => {
  const [output, network] = [".output canvas", ".network canvas"].map((place) => document.querySelector(place));
  const frames = new Map([[output, new Set()], [network, new Set()]]);
  const drawing = CanvasRenderingContext2D.prototype;
  let frame = 0, isOver = false;
  const count = () => { frame++; if (!isOver) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  for (const name of ["drawImage", "putImageData"]) {
    const draw = drawing[name];
    drawing[name] = function (...given) { frames.get(this.canvas)?.add(frame); return draw.apply(this, given); };
  }
  const steps = () => Number(document.querySelector(".standing dd").textContent.replaceAll(",", ""));
  const [first, begun] = [steps(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const passed = (performance.now() - begun) / 1000;
  isOver = true;
  return [steps() - first, frames.get(output).size, frames.get(network).size].map((n) => n / passed);
}"""


def training(rounds: int) -> list[Row]:
    steps, boundaries, networks = watch_training(rounds, lab, MOONS)
    workload = "moons 2-16-16-1, every weight a Value:"
    return [
        Row(f"{workload} training steps", steps, None, "a second", steps, "≥", 20, "a second"),
        Row(f"{workload} repaints of the boundary", boundaries, None, "a second", boundaries, "≥", 10, "a second"),
        Row(f"{workload} repaints of all neurons", networks, None, "a second", networks, "≥", 10, "a second"),
    ]


def watch_training(
    rounds: int, host: Callable[[], AbstractContextManager[str]], state: Mapping[str, Any]
) -> tuple[float, float, float]:
    """Return the steps, the repaints of the boundary and those of all neurons per second, in new labs."""
    found: list[list[float]] = []
    with chromium() as browser:
        for _ in range(rounds):
            with host() as address:
                page = browser.new_page(viewport={"width": 1280, "height": 1400})
                page.goto(room(address, "train", state))
                page.get_by_role("button", name="Play (Space)").click(timeout=PATIENCE)
                page.wait_for_function(
                    "() => document.querySelector('.standing dd').textContent >= '3'", timeout=PATIENCE
                )
                found.append(page.evaluate(WATCH, SECONDS))
                page.close()
    steps, boundaries, networks = (median(row) for row in zip(*found))
    return steps, boundaries, networks


# --- from a cold start --------------------------------------------------------------------------------------

PAINTED = """() => new Promise((resolve) => {
  const found = (entries) => entries.find(({ name }) => name === "first-contentful-paint");
  new PerformanceObserver((list, watch) => {
    const entry = found(list.getEntries());
    if (entry) { watch.disconnect(); resolve(entry.startTime / 1000); }
  }).observe({ type: "paint", buffered: true });
})"""


def start(rounds: int) -> list[Row]:
    printed, paints, graphs = [], [], []
    with chromium() as browser:
        for _ in range(3 * rounds):
            context = browser.new_context()
            page = context.new_page()
            begun = time.perf_counter()
            with lab() as address:
                printed.append(time.perf_counter() - begun)
                page.goto(address, wait_until="commit")
                page.wait_for_selector(".graph .node")
                graphs.append(time.perf_counter() - begun)
                opened = time.perf_counter() - page.evaluate("performance.now()") / 1000
                paints.append(opened - begun + page.evaluate(PAINTED))
            context.close()
    workload = "from `adjoint lab` to"
    return [
        Row(f"{workload} its printed address", median(printed), None, "s", median(printed), "≤", None, "s"),
        Row(f"{workload} the first paint of the page", median(paints), None, "s", median(paints), "≤", 1, "s"),
        Row(f"{workload} the drawn graph", median(graphs), None, "s", median(graphs), "≤", None, "s"),
    ]


# --- what the browser loads ---------------------------------------------------------------------------------


def bundle(rounds: int) -> list[Row]:
    from adjoint_lab.serve.server import ASSETS

    def size(*left_out: str) -> float:
        loaded = [path for path in ASSETS.iterdir() if path.suffix in (".html", ".js", ".css", ".svg")]
        return sum(_gzipped(path) for path in loaded if path.name not in left_out) / 1000

    page, everything = size("learn.js"), size()
    return [
        Row("code of the page, gzipped", page, None, "KB", page, "≤", 150, "KB"),
        Row("  with the room Learn", everything, None, "KB", everything, "≤", None, "KB"),
    ]


def _gzipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), mtime=0))


# --- the static site ----------------------------------------------------------------------------------------

# The seconds since the navigation until a move of a slider has changed the displayed result.
RESPONDS = """async () => {
  const find = (place) => document.querySelector(place);
  const frame = () => new Promise(requestAnimationFrame);
  while (!find(".graph .root .data") || !find("input[aria-label='w1, slider']")) await frame();
  const before = find(".graph .root .data").textContent;
  const slider = find("input[aria-label='w1, slider']");
  slider.value = "-2.5";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (find(".graph .root .data").textContent === before) await frame();
  return performance.now() / 1000;
}"""
READY = "() => /^Ready/.test(document.querySelector('.engine [role=status]')?.textContent ?? '')"


def site_start(rounds: int) -> list[Row]:
    graphs, engines = [], []
    with chromium() as browser, site() as address:
        context = browser.new_context()
        for visit in range(3 * rounds + 1):
            page = context.new_page()
            page.goto(address, wait_until="commit")
            responds = page.evaluate(RESPONDS)
            page.wait_for_function(READY, timeout=PATIENCE)
            ready = page.evaluate("performance.now()") / 1000
            page.evaluate("() => navigator.serviceWorker.ready")
            if visit:  # the first visit fills the cache
                graphs.append(responds)
                engines.append(ready)
            page.close()
    workload = "static site, warm cache, from opening to"
    return [
        Row(f"{workload} a graph that responds", median(graphs), None, "s", median(graphs), "≤", 1, "s"),
        Row(f"{workload} the engine", median(engines), None, "s", median(engines), "≤", 6, "s"),
    ]


def site_training(rounds: int) -> list[Row]:
    rows = []
    for engine, target in (("compiled", 5), ("scalar", None)):
        steps, _, networks = watch_training(rounds, site, {**MOONS, "engine": engine})
        workload = f"static site, moons 2-16-16-1, engine {engine}:"
        rows.append(Row(f"{workload} training steps", steps, None, "a second", steps, "≥", target, "a second"))
        rows.append(Row(f"{workload} repaints", networks, None, "a second", networks, "≥", None, "a second"))
    return rows


def site_size(rounds: int) -> list[Row]:
    sys.path.append(str(ROOT / "docs"))
    builder = import_module("build_site")
    start, visit = builder.start_size(SITE) / 1e3, builder.visit_size(SITE) / 1e6
    return [
        Row("static site: start page, gzipped", start, None, "KB", start, "≤", 250, "KB"),
        Row("static site: first visit, gzipped", visit, None, "MB", visit, "≤", 8, "MB"),
    ]


if __name__ == "__main__":
    main()

"""`value.explore()` in JupyterLab: the sliders move, the gradients change."""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from expressions import in_torch
from playwright.sync_api import Page, TimeoutError, expect
from seen import gradient, graph, is_shown, sentence, value
from serving import TIMEOUT, eventually

import adjoint

CELL = """from adjoint import Value
a, b = Value(2.0, label="a"), Value(-3.0, label="b")
(a*b + 1).tanh().explore()"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "explore", "execution_count": None, "metadata": {}, "outputs": [], "source": CELL}
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
OPTIONS = [
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=notebook",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
    "--LabApp.expose_app_in_browser=True",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The address of a notebook in a separate JupyterLab that does not touch the user's settings."""
    if importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("JupyterLab is not installed here: pip install jupyterlab")
    home = tmp_path_factory.mktemp("jupyterlab")
    (home / "explore.ipynb").write_text(json.dumps(NOTEBOOK))
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    silent = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(silent))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    folders |= {"IPYTHONDIR": str(home / "ipython"), "JUPYTERLAB_SETTINGS_DIR": str(home / "settings")}
    folders |= {"JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}
    folders |= {"PYTHONPATH": str(Path(adjoint.__file__).parents[1])}  # the kernel imports this package
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.port={port}", f"--ServerApp.root_dir={home}"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, env=os.environ | folders, stdout=log, stderr=log, cwd=home)
        try:
            end = time.monotonic() + 3 * TIMEOUT
            while True:
                try:
                    urlopen(f"http://127.0.0.1:{port}/api", timeout=5).close()
                    break
                except OSError:
                    said = (home / "log").read_text()[-2000:]
                    assert process.poll() is None, f"JupyterLab did not start:\n{said}"
                    assert time.monotonic() < end, f"JupyterLab does not answer:\n{said}"
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/lab/tree/explore.ipynb?token=notebook"
        finally:
            process.terminate()
            process.wait(TIMEOUT)


def run_first_cell(page: Page) -> None:
    """Run the first cell until its output appears: JupyterLab drops keys while it is still loading."""
    for _ in range(10):
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        with suppress(TimeoutError):
            return page.locator(".explore .graph").wait_for(timeout=1000 * TIMEOUT / 10)
    pytest.fail("the cell shows no graph")


def test_a_value_is_explored_in_jupyterlab(notebook, browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(1000 * TIMEOUT)
    page, problems = context.new_page(), []
    ours = re.compile(r"anywidget|adjoint|explore", re.IGNORECASE)
    page.on(
        "console",
        lambda line: (
            line.type == "error" and ours.search(line.text + str(line.location)) and problems.append(line.text)
        ),
    )
    page.on("pageerror", lambda error: ours.search(str(error.stack)) and problems.append(str(error)))
    outside = []
    page.on(
        "request",
        lambda request: re.match(r"(https?|wss?)://(?!127\.0\.0\.1)", request.url) and outside.append(request.url),
    )
    try:
        page.goto(notebook)
        page.locator(".jp-CodeCell .cm-content").click()
        page.locator(
            ".jp-NotebookPanel-toolbar [data-status='idle'], .jp-Notebook-ExecutionIndicator[data-status='idle']"
        ).first.wait_for()
        run_first_cell(page)
        agrees(page, {"a": 2.0, "b": -3.0})
        page.get_by_role("slider", name="a, slider").focus()
        for _ in range(38):
            page.keyboard.press("ArrowLeft")
        expect(value(page, "a")).to_have_text("0.1")
        agrees(page, {"a": 0.1, "b": -3.0})
        # The keys of the player do not reach the notebook.
        page.get_by_role("button", name="Back to the start").click()
        expect(gradient(page, "a")).to_have_text("·")
        forward = page.get_by_role("button", name="One step forward")
        forward.click()
        expect(sentence(page)).to_have_text("v1 = a * b = 0.1 × −3 = −0.3")
        page.keyboard.press("ArrowRight")
        expect(sentence(page)).to_have_text("v2 = v1 + 1 = −0.3 + 1 = 0.7")
        page.keyboard.press("End")
        agrees(page, {"a": 0.1, "b": -3.0})
        expect(page.get_by_test_id("nudge")).to_be_visible()
        expect(page.locator(".jp-CodeCell")).to_have_count(2)  # the executed one, and a new one below it
        for theme, is_light in (("JupyterLab Dark", False), ("JupyterLab Light", True)):
            page.evaluate("(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
            page.locator(f"body[data-jp-theme-light={str(is_light).lower()}]").wait_for(state="attached")
            paper = page.locator(".explore .card").first.evaluate("(x) => getComputedStyle(x).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 600) is is_light
    finally:
        context.close()
    assert not problems
    assert not outside


def agrees(page, numbers):
    """Wait until the page shows what PyTorch computes."""
    result, gradients = in_torch("tanh(a*b + 1)", numbers)
    expect(page.locator(".graph .root .data")).not_to_have_text("·")

    def is_equal():
        seen = graph(page)
        return is_shown(seen["nodes"][seen["root"]][0], result) and all(
            is_shown(seen["inputs"][name], x) for name, x in gradients.items()
        )

    eventually(is_equal, lambda: f"{result}, {gradients}, not {graph(page)}")

"""Histories in notebooks and rich consoles: a plot with matplotlib, a table without it."""

import io
import sys
import xml.etree.ElementTree as ET
from base64 import b64decode

import pytest
from rich.console import Console

from adjoint.training.history import History


def history(epochs: int = 3) -> History:
    found = History("loss")
    for epoch in range(1, epochs + 1):
        found.add({"loss": 1 / epoch, "accuracy": 0.5, "lr": 0.1, "seconds": 0.5})
    return found


def console_lines(x) -> list[str]:
    console = Console(width=100, color_system=None)
    with console.capture() as captured:
        console.print(x)
    return [" ".join(line.split()) for line in captured.get().splitlines()]


def test_a_notebook_shows_a_sharp_plot_and_the_table_as_text():
    image = pytest.importorskip("PIL.Image")
    bundle, about = history()._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "image/png"}
    assert bundle["text/plain"] == str(history())
    with image.open(io.BytesIO(b64decode(bundle["image/png"]))) as found:
        assert found.format == "PNG"
        assert found.width == 2 * about["image/png"]["width"]


def test_without_matplotlib_a_notebook_shows_the_table(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    shown = history()._repr_mimebundle_()
    assert shown["text/plain"] == str(history())
    cells = [cell.text for cell in ET.fromstring(shown["text/html"].partition("\n<p>")[0]).iter("td")]
    assert cells == [cell for row in history().cells() for cell in row]
    assert history().summary() in shown["text/html"]


def test_an_empty_history_is_one_line():
    said = "finished before the first epoch had ended"
    assert History("loss")._repr_mimebundle_() == {"text/plain": said}
    assert console_lines(History("loss")) == [said]


def test_a_rich_console_shows_the_table_and_the_outcome():
    assert console_lines(history()) == [
        "epoch loss accuracy lr seconds",
        "1 1.0000 50.0% 0.1 0.5000",
        "2 0.5000 50.0% 0.1 0.5000",
        "3 0.3333 50.0% 0.1 0.5000",
        "finished after 3 epochs in 1.5 s; best: epoch 3, loss 0.3333",
    ]


def test_a_long_table_leaves_out_the_middle():
    lines = console_lines(history(100))
    assert len(lines) == 1 + 20 + 1 + 1
    assert lines[11] == "… … … … …"
    assert lines[12].split()[0] == "91"


def test_names_of_metrics_are_not_read_as_rich_markup():
    found = History("loss")
    found.add({"loss": 1.0, "[red]": 2.0, "lr": 0.1, "seconds": 0.5})
    assert console_lines(found)[0] == "epoch loss [red] lr seconds"

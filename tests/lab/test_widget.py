"""The widget for notebooks: moving a slider recomputes a copy of the graph."""

import json
import xml.etree.ElementTree as ET

import pytest
from closeness import require_close
from expressions import in_torch

from adjoint import Value
from adjoint.errors import ArgumentError, MissingExtraError


def neuron():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    return a, (a * b + 1).tanh()


def test_moving_a_number_recomputes_a_copy_of_the_graph():
    a, out = neuron()
    widget = out.explore()
    assert widget.numbers == {"a": 2.0, "b": -3.0}
    widget.numbers = {"a": 0.5, "b": 0.25}
    value, gradients = in_torch("tanh(a*b + 1)", {"a": 0.5, "b": 0.25})
    nodes = {node["name"]: node for node in widget.scene["nodes"]}
    require_close(widget.scene["nodes"][widget.scene["root"]]["data"], value)
    require_close({name: nodes[name]["grad"] for name in "ab"}, gradients)
    assert (a.data, a.grad) == (2.0, 0.0)
    json.dumps(widget.get_state(["scene", "numbers"]), allow_nan=False)


def test_the_display_has_a_picture_for_pages_without_a_kernel():
    a, out = neuron()
    widget = out.explore()
    widget.numbers = {"a": 0.5, "b": 0.25}
    data, _ = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    gradients = in_torch("tanh(a*b + 1)", {"a": 0.5, "b": 0.25})[1]
    shown = {text.text for text in ET.fromstring(data["image/svg+xml"]).iter("{http://www.w3.org/2000/svg}text")}
    assert {"data 0.5000", f"grad {gradients['a']:.4f}", f"grad {gradients['b']:.4f}"} <= shown
    assert f"a  data 0.5000  grad {gradients['a']:.4f}" in data["text/plain"]
    assert (a.data, a.grad, out.grad) == (2.0, 0.0, 0.0)
    widget.numbers = {"a": "many"}  # an error, which the page shows
    assert "image/svg+xml" not in widget._repr_mimebundle_()[0]


def test_the_display_of_a_graph_of_arrays_has_a_picture():
    x = Value([1.0, 2.0], label="x")
    data, _ = (x * x).sum().explore()._repr_mimebundle_()
    assert "grad" in data["image/svg+xml"]
    assert x._grad is None


def test_the_widget_loads_the_file_of_the_page():
    from adjoint_lab.export import asset

    widget = neuron()[1].explore()
    assert widget._esm == asset("explore.js")
    assert "export{" in asset("explore.js").replace(" ", "")


def test_the_widget_answers_messages_and_reports_errors(monkeypatch):
    sent = []
    widget = neuron()[1].explore()
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    widget._on_message(widget, {"id": 1, "do": "nudge", "name": "a", "h": 0.001}, [])
    widget._on_message(widget, {"id": 2, "do": "nudge", "name": "q", "h": 0.001}, [])
    widget._on_message(widget, {"id": 3, "do": "export"}, [])
    assert sent[0]["ok"]["predicted"] == pytest.approx(sent[0]["ok"]["real"], rel=0.05)
    assert "unknown input 'q'" in sent[1]["error"]
    assert sent[2]["ok"]["html"].startswith("<!doctype html>")
    widget.numbers = {"a": "many"}
    assert "a must be a number" in widget.error
    widget.numbers = {"a": 1.0}
    assert widget.error == ""


def test_a_graph_that_is_too_large_is_an_error_with_alternatives():
    with pytest.raises(ArgumentError, match=r"1,001 nodes.*at most 300.*explain"):
        sum((Value(1.0) for _ in range(500)), Value(0.0)).explore()


def test_a_missing_library_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "adjoint_lab.widget", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'adjoint-autograd\[notebook\]'"):
        neuron()[1].explore()

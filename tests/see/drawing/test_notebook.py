"""How notebooks and rich consoles display a Value, an explanation and a drawing."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from base64 import b64decode
from html.parser import HTMLParser
from io import StringIO

import numpy as np
import pytest
from pictures import HOSTILE, SVG, network, trained_network
from rich.console import Console

from adjoint import Value, draw, explain


def small():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    out = a * b + a
    out.backward()
    return out


def console_output(shown):
    console = Console(file=StringIO(), width=100)
    console.print(shown)
    return console.file.getvalue()


class Sections(HTMLParser):
    """Parses HTML into its headings, which of them are open, and all its tags."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.headings, self.open, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "details":
            self.open.append("open" in dict(attributes))

    def handle_data(self, data):
        self.text += f"{data}\n"
        if self.tags[-1] == "summary":
            self.headings.append(data)


def test_a_small_graph_is_shown_as_a_picture_and_its_number_as_text():
    out = small()
    shown = out._repr_mimebundle_()
    assert shown == {"text/plain": repr(out), "image/svg+xml": draw(out, "svg")}
    assert "grad 1.0000" in {text.text for text in ET.fromstring(shown["image/svg+xml"]).iter(f"{SVG}text")}


def test_an_array_is_shown_with_its_graph_and_as_text_without_one():
    x = Value(np.ones((2, 3)), label="x")
    assert x._repr_mimebundle_() == {"text/plain": repr(x)}
    assert "image/svg+xml" in x.sum()._repr_mimebundle_()


@pytest.mark.parametrize("root", [Value(2.0), Value(float("nan"), label="x"), network()], ids=["leaf", "NaN", "large"])
def test_leaves_and_large_graphs_are_shown_as_text(root):
    assert root._repr_mimebundle_() == {"text/plain": repr(root)}
    assert console_output(root).strip() == repr(root)


def test_a_graph_that_was_freed_is_shown_as_text():
    x = Value(2.0)
    inner = x * 3
    out = inner + x
    out.backward(retain_graph=False)
    assert list(out._repr_mimebundle_()) == ["text/plain"]
    assert list((inner * 2)._repr_mimebundle_()) == ["text/plain"]


def test_a_huge_graph_is_not_traversed(monkeypatch):
    from adjoint.see.drawing import notebook

    out = Value(1.0)
    for _ in range(20_000):
        out = out + 1.0
    monkeypatch.setattr(notebook, "find_subject", None)
    assert list(out._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.parametrize("label", HOSTILE)
def test_a_label_is_escaped(label):
    out = Value(1.0, label=label) * 2
    assert {element.tag for element in ET.fromstring(out._repr_mimebundle_()["image/svg+xml"]).iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "title", "style", "g", "path", "rect", "text", "polygon")
    }
    html = explain(out)._repr_mimebundle_()["text/html"]
    assert set(Sections(html).tags) <= {
        "div",
        "p",
        "details",
        "summary",
        "pre",
    }
    console_output(out)


def test_an_explanation_has_foldable_sections():
    explanation = explain(small())
    shown = explanation._repr_mimebundle_()
    sections = Sections(shown["text/html"])
    assert shown["text/plain"] == str(explanation)
    headings = [heading.partition(":")[0] for heading in sections.headings]
    assert headings == [
        "Values",
        "Forward pass",
        "Backward pass",
        "Gradients",
    ]
    assert sections.open == [True] * 4
    assert "a.grad += v1.grad · b = 1 · −3 = −3 → −2" in sections.text


def test_long_sections_of_an_explanation_are_folded():
    sections = Sections(explain(network())._repr_mimebundle_()["text/html"])
    assert dict(zip(sections.headings, sections.open))["Forward pass: each operation in order"] is False


def test_an_explanation_by_layers_is_not_folded():
    loss, groups = trained_network()
    explanation = explain(loss, groups=groups)
    words = Sections(explanation._repr_mimebundle_()["text/html"]).text.split()
    assert words == str(explanation).split()


def test_drawings_are_shown_in_their_own_format_and_as_a_picture_without_one():
    out = small()
    picture, tree, source = draw(out, "svg"), draw(out), draw(out, "dot")
    assert picture._repr_mimebundle_()[0]["image/svg+xml"] == picture
    assert tree._repr_mimebundle_() == ({"text/plain": tree, "image/svg+xml": picture}, {})
    assert draw(out, "text")._repr_mimebundle_() == ({"text/plain": tree}, {})
    assert source._repr_mimebundle_() == ({"text/plain": source}, {})


def test_the_prompt_of_python_shows_the_tree_and_not_a_quoted_string():
    out = small()
    assert repr(draw(out)) == str(draw(out))
    assert repr(draw(out)).splitlines()[0] == "v2 = v1 + a  data -4.0000  grad 1.0000"
    assert repr(explain(out).latex()) == str(explain(out).latex())


def test_ipython_shows_a_drawing_and_not_a_quoted_string():
    from IPython.core.formatters import DisplayFormatter

    formatter = DisplayFormatter()
    out = small()
    assert formatter.format(draw(out))[0] == {"text/plain": draw(out), "image/svg+xml": draw(out, "svg")}
    assert formatter.format(draw(out, "text"))[0] == {"text/plain": draw(out)}
    shown = formatter.format(draw(out, "svg"))[0]
    assert shown["text/plain"].startswith("<a drawing as SVG")
    assert shown["image/svg+xml"] == draw(out, "svg")
    assert formatter.format(out)[0] == {"text/plain": repr(out), "image/svg+xml": draw(out, "svg")}
    assert formatter.format([out])[0] == {"text/plain": f"[{out!r}]"}


def test_ipython_shows_an_image_in_the_size_of_the_picture():
    from IPython.core.formatters import DisplayFormatter

    out = small()
    media, about = DisplayFormatter().format(draw(out, "png"))
    assert media["text/plain"] == draw(out)
    assert b64decode(media["image/png"]) == bytes(draw(out, "png"))
    assert about["image/png"]["width"] == float(ET.fromstring(draw(out, "svg")).get("width"))
    media, _ = DisplayFormatter().format(draw(out, "pdf"))
    assert b64decode(media["application/pdf"]).startswith(b"%PDF-")


def test_a_rich_console_shows_a_tree_and_brackets_are_not_markup():
    x = Value(2.0, label="[red]x")
    out = x * 3
    assert console_output(out).strip() == draw(out)
    assert console_output(x).strip() == repr(x)
    assert console_output(explain(out)).split() == str(explain(out)).split()
    assert "[shape=record" in console_output(draw(out, "dot"))


def test_drawing_modules_are_loaded_on_first_display():
    program = "import sys, adjoint; adjoint.Value(2.0) * 3; print({'adjoint.see.drawing.svg', 'rich'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"

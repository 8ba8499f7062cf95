"""Graphs as PNG and PDF, checked with an independent reader of each format."""

import re
import sys
import zlib
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread
from pictures import GRAPHS, frames

from adjoint import Value, draw, errors
from adjoint.see.drawing.palette import NEGATIVE, POSITIVE


def pixels(drawing):
    """The colors of a PNG, as integers from 0 to 255; the axes are rows, columns, and red, green and blue."""
    return np.rint(imread(BytesIO(bytes(drawing)))[..., :3] * 255).astype(int)


def rgb(color):
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def small():
    return Value(2.0, label="a") * Value(-3.0, label="b")


def test_a_png_has_two_pixels_for_each_pixel_of_the_picture():
    width, height = re.search(r'width="(\d+)" height="(\d+)"', draw(small(), "svg")).groups()
    assert pixels(draw(small(), "png")).shape[:2] == (2 * int(height), 2 * int(width))


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_boxes_circles_and_text_are_at_the_positions_of_the_svg(direction):
    out = small()
    image = pixels(draw(out, "png", direction=direction))
    picture = draw(out, "svg", direction=direction)
    left, top = (float(x) for x in re.search(r'viewBox="(\S+) (\S+)', picture).groups())
    for rects, texts in frames(picture):
        for rect in rects:
            row, column = round(2 * (rect.y + rect.h / 2 - top)), round(2 * (rect.x - left))
            edge = image[row, column - 1 : column + 2]
            stroke = rgb({"op": POSITIVE, "box root": NEGATIVE}.get(rect.kind, "#8c959f"))
            assert abs(edge - stroke).max(axis=1).min() < 60, rect.kind
        for text in texts:
            x, y = 2 * (float(text.get("x")) - left), 2 * (float(text.get("y")) - top)
            reach = 24 * len(text.text) if text.get("text-anchor") is None else 8
            near = image[int(y) - 20 : int(y) + 2, max(0, int(x) - 8) : int(x) + reach]
            assert near.min() < 80, text.text  # ink


def test_images_have_the_light_color_scheme():
    image = pixels(draw(small(), "png"))
    assert image[0, 0].tolist() == [255, 255, 255]
    assert np.median(image) == 255


def test_a_pdf_has_text_in_an_embedded_font():
    content = bytes(draw(small(), "pdf"))
    assert content.startswith(b"%PDF-")
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    text = content + b"".join(zlib.decompress(stream) for stream in streams if stream[:1] == b"\x78")
    assert b"DejaVuSansMono" in text
    assert b"/FontFile" in text


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_the_same_graph_gives_the_same_bytes(kind):
    assert bytes(draw(small(), kind)) == bytes(draw(small(), kind))


@pytest.mark.parametrize("name", ["neuron", "labels", "not finite", "constants", "leaf"])
def test_graphs_of_every_kind_are_rendered(name):
    assert bytes(draw(GRAPHS[name](), "pdf")).startswith(b"%PDF-")


@pytest.mark.parametrize(("name", "start"), [("g.png", b"\x89PNG"), ("g.PDF", b"%PDF-")])
def test_a_drawing_of_any_kind_is_saved_as_an_image(name, start, tmp_path):
    for kind in ("text", "png", "pdf"):
        draw(small(), kind).save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def test_an_image_prints_as_a_tree_and_is_saved_as_an_image(tmp_path):
    out = small()
    image = draw(out, "png")
    assert (str(image), image.kind) == (draw(out), "png")
    before = bytes(image)
    out.parents[0].data = 7.0
    image.save(tmp_path / "g.png")
    assert (tmp_path / "g.png").read_bytes() == before


def test_the_bytes_of_a_drawing_are_what_save_writes():
    assert bytes(draw(small())).decode() == f"{draw(small())}\n"


def test_without_the_extra_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(errors.MissingExtraError, match=r"PNG needs typst.*pip install 'adjoint-autograd\[images\]'"):
        draw(small(), "png")
    with pytest.raises(errors.MissingExtraError, match="PDF needs typst"):
        draw(small()).save(tmp_path / "g.pdf")
    assert not list(tmp_path.iterdir())

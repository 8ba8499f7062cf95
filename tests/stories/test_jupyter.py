"""Notebooks run in a separate kernel: the outputs of their cells."""

import xml.etree.ElementTree as ET
from base64 import b64decode
from io import BytesIO

import pytest
from PIL import Image

SVG = "http://www.w3.org/2000/svg"

CELLS = [
    "from adjoint import data, fit, nn\nX, y = data.moons(40)\n"
    "model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))\nmodel",
    "fit(model, (X, y), loss='cross_entropy', epochs=3, metrics='accuracy', progress=False)",
    "from adjoint.see.plots import plot_boundary, plot_function\nplot_boundary(model, X, y);",
    "print(model)",
    "from adjoint import Value, check_gradients, draw, explain\n"
    "a, b = Value(2.0, label='a'), Value(-3.0, label='b')\n"
    "L = (a * b + 10) * a\nL.backward()\ndraw(L)",
    "explain(L).latex()",
    "explain(L)",
    "model.summary(X)",
    "nn.diagnose(model, X, y, show=False)",
    "check_gradients(L)",
    "from adjoint import Film\nfilm = Film(X, y, frames=2)\n"
    "fit(model, (X, y), loss='cross_entropy', epochs=2, progress=False, callbacks=film)\nfilm",
    "L.explore()",
    "Value([1.0, 2.0])",
]
DRAW, LATEX, EXPLAIN, SUMMARY, DIAGNOSIS, CHECK, FILM, EXPLORE, ARRAY = range(4, len(CELLS))


@pytest.fixture(scope="module")
def notebook():
    """A notebook that was executed and saved as JupyterLab saves it by default: without the state of its widgets."""
    import nbformat  # slow to import
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=600, kernel_name="python3", store_widget_state=False).execute()
    return notebook


@pytest.fixture(scope="module")
def outputs(notebook):
    return [cell["outputs"] for cell in notebook["cells"]]


def test_a_model_is_displayed_as_a_foldable_table(outputs):
    ((shown,), *_) = outputs
    assert "<details" in shown["data"]["text/html"]
    assert shown["data"]["text/plain"].startswith("Sequential(\n  (0): Linear(2, 8), 24 parameters")


def test_a_history_is_displayed_as_a_plot(outputs):
    shown = outputs[1][0]
    assert shown["data"]["image/png"].startswith("iVBORw0KGgo")  # PNG, in base64
    assert shown["metadata"]["image/png"]["width"] > 400
    assert "finished after 3 epochs" in shown["data"]["text/plain"]


def test_a_boundary_is_drawn_below_its_cell(outputs):
    assert [sorted(shown["data"]) for shown in outputs[2]] == [["image/png", "text/plain"]]


def test_print_writes_plain_text(outputs):
    assert outputs[3][0]["output_type"] == "stream"
    assert outputs[3][0]["text"].startswith("Sequential(")


def test_every_result_displays_itself(outputs):
    shown = {i: [sorted(each["data"]) for each in outputs[i]] for i in range(DRAW, len(CELLS))}
    assert shown == {
        DRAW: [["image/svg+xml", "text/plain"]],
        LATEX: [["text/latex", "text/plain"]],
        EXPLAIN: [["text/html", "text/plain"]],
        SUMMARY: [["text/html", "text/plain"]],
        DIAGNOSIS: [["text/html", "text/plain"]],
        CHECK: [["text/html", "text/plain"]],
        FILM: [["text/html", "text/plain"]],
        EXPLORE: [["application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/plain"]],
        ARRAY: [["text/plain"]],
    }


def test_a_drawing_is_a_picture_and_a_tree_without_scripts(outputs):
    (shown,) = outputs[DRAW]
    assert "<script" not in shown["data"]["image/svg+xml"]
    texts = {text.text for text in ET.fromstring(shown["data"]["image/svg+xml"]).iter(f"{{{SVG}}}text")}
    assert {"a", "b", "data 2.0000", "grad -2.0000", "grad 4.0000"} <= texts
    assert "a  data 2.0000  grad -2.0000" in shown["data"]["text/plain"]  # 2ab + 10, and a²


def test_formulas_are_blocks_of_mathematics(outputs):
    latex = outputs[LATEX][0]["data"]["text/latex"]
    assert [block.count("aligned") for block in latex.split("$$")] == [0, 2, 0, 2, 0]
    assert outputs[LATEX][0]["data"]["text/plain"] == latex.replace("$$\n", "").replace("\n$$", "")


def test_tables_are_tables(outputs):
    for i, first in ((SUMMARY, "0"), (DIAGNOSIS, "0"), (CHECK, "a")):
        shown = outputs[i][0]["data"]
        table = ET.fromstring(shown["text/html"].partition("</table>")[0] + "</table>")
        cells = [cell.text or "" for cell in table.iter("td")]
        assert cells[0] == first
        assert all(cell in shown["text/plain"] for cell in cells)


def test_a_film_is_an_image_that_moves(outputs):
    shown = outputs[FILM][0]["data"]
    image = ET.fromstring(shown["text/html"].replace(">", "/>"))
    assert shown["text/plain"] == image.get("alt") == "Film(2 frames, epochs 1 to 2)"
    film = Image.open(BytesIO(b64decode(image.get("src").removeprefix("data:image/gif;base64,"))))
    assert (film.format, film.n_frames, str(film.width)) == ("GIF", 2, image.get("width"))


def test_a_saved_notebook_has_every_picture_as_html_without_scripts(notebook):
    html = pytest.importorskip("nbconvert").HTMLExporter(template_name="basic").from_notebook_node(notebook)[0]
    assert "<script" not in html
    pictures = [b64decode(part.partition('"')[0]).decode() for part in html.split("data:image/svg+xml;base64,")[1:]]
    assert [">grad 4.0000</text>" in picture for picture in pictures] == [True, True]  # of draw and of explore


def test_an_array_is_displayed_as_text(outputs):
    assert outputs[ARRAY][0]["data"]["text/plain"] == "Tensor(data=[1. 2.], shape=(2,), dtype=float64)"

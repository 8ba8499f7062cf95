"""Notebooks run in a separate kernel: the outputs of their cells."""

import nbformat
import pytest

CELLS = [
    "from adjoint import data, fit, nn\nX, y = data.moons(40)\n"
    "model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))\nmodel",
    "fit(model, (X, y), loss='cross_entropy', epochs=3, metrics='accuracy', progress=False)",
    "from adjoint.see.plots import plot_boundary, plot_function\nplot_boundary(model, X, y);",
    "print(model)",
]


@pytest.fixture(scope="module")
def outputs():
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
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

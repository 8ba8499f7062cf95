"""The table of `Module.summary()`: layers, output shapes and parameter counts."""

from adjoint.engine.modes import no_grad
from adjoint.errors.text_table import table
from adjoint.nn.freezing import parameter_count
from adjoint.nn.module import Module


def summary_table(model: Module, sample: object = None) -> str:
    """Return a table with a row for each layer; output shapes are shown if a sample batch is given."""
    outputs: dict[int, str] = {}
    if sample is not None:
        from adjoint.nn.modes import evaluation_mode
        from adjoint.nn.observation import forward_hooks

        def note(module: Module, inputs: tuple, output: object) -> None:
            outputs[id(module)] = _shapes(output)

        with forward_hooks(model, note), evaluation_mode(model), no_grad():
            model(sample)
    named = list(model.named_modules())
    rows = [
        [name, module._headline(), outputs.get(id(module), "–"), parameter_count(module)]
        for name, module in [*named[1:], named[0]]
    ]
    headings = ["name", "layer", "output", "parameters"]
    if sample is None:
        rows, headings = [[row[0], row[1], row[3]] for row in rows], ["name", "layer", "parameters"]
    return table(headings, rows, " " * (len(headings) - 1) + "r")


def _shapes(output: object) -> str:
    if isinstance(output, (list, tuple)):
        return ", ".join(_shapes(x) for x in output)
    return str(tuple(getattr(output, "shape", ())))

"""The plan of the house: who may import whom, and what can be read in one sitting."""

import ast
from pathlib import Path

import adjoint

SOURCE = Path(adjoint.__file__).parent

# Each module may import those of the lines above its own.
FLOORS = """
    errors version structures tables draw.palette draw.player training displays
    floats
    rules suggestions axes hooks meeting atomic extras xla
    ops bundles draw.canvas
    symbols native graph
    loops
    modes anomaly backends
    contributions kernels mistakes
    value
    explain draw explain.naming explain.formulas explain.summaries explain.sentences explain.notation
    explain.latex explain.mathml
    pullback
    reductions shaping indexing products
    tensor
    maths linalg convolution networks copying check
    pushforward
    transforms
    xla.places xla.formulas xla.lots
    xla.state xla.devices xla.calls
    xla.explanations xla.arguments xla.templates
    xla.watching
    xla.tracing
    xla.programs
    xla.bindings xla.batching
    jit
    nn.module nn.state optim.lots
    nn.scalar nn.init nn.indices nn.activations nn.observation explain.grouping draw.modules optim.groups optim.watching
    explain.steps
    explain.narration
    explain.equations
    draw.scene draw.graphviz
    draw.text draw.dot draw.layout
    draw.svg
    draw.images draw.notebook
    draw.pictures
    nn.layers optim.optimizer optim.clipping
    nn.losses nn.convolutions nn.norms nn.recurrent
    optim.schedules optim.sgd optim.adam optim.rmsprop optim.adagrad optim.lion
    data.toys data.digits data.text data.loading
    data.files
    nn.attention nn.diagnosis nn.criteria optim
    nn data training.history expression
    nn.descriptions training.objectives training.stopping training.progress draw.curves
    checkpoints training.steps training.ingredients training.snapshots pytorch onnx.tracing draw.boundaries
    onnx.graphs draw.histories draw.distributions draw.film
    onnx.rules draw.plots
    onnx
    training.divergence training.evaluation
    training.resuming
    train
    recipes checkup speed
    language typed
    lab lab.messages lab.gate lab.outbox lab.command lab.scenes lab.programs lab.export lab.replay lab.workers
    lab.configurations lab.playing
    lab.experiments
    lab.responses lab.faults
    lab.training lab.mistakes
    lab.session lab.explore
    lab.widget lab.quiz.graphs
    lab.quiz.questions
    lab.quiz.templates lab.quiz.mixups
    lab.quiz.nodes lab.quiz.chain lab.quiz.meaning lab.quiz.activations lab.quiz.updates lab.quiz.networks
    lab.quiz.mistakes lab.quiz.arrays
    lab.quiz.catalogue
    lab.quiz.room
    lab.quiz
    lab.server
    cli
    __main__
    __init__
    protocols
"""


def floor_of() -> dict[str, int]:
    return {module: i for i, line in enumerate(FLOORS.strip().splitlines()) for module in line.split()}


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1]) if parts[-1] == "__init__" and len(parts) > 1 else ".".join(parts)


def imported(path: Path) -> set[str]:
    """The modules of adjoint that a file imports when it is loaded, not when a function of it is called."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "adjoint":
            if node.module == "adjoint":
                found |= {alias.name for alias in node.names}
            else:
                found.add(node.module.removeprefix("adjoint."))
    return found - {"_core"}


def test_imports_point_downward_only():
    floors = floor_of()
    for path in SOURCE.rglob("*.py"):
        importer = module_name(path)
        for module in imported(path):
            assert floors[module] < floors[importer], f"{importer} imports {module}"


def test_the_table_and_the_engine_are_read_in_one_sitting():
    lines = [line for name in ("ops.py", "value.py") for line in (SOURCE / name).read_text().splitlines()]
    assert len(lines) < 500


# The files of rules: what makes an operation on arrays is there, and nowhere else.
RULES = {"reductions", "shaping", "indexing", "products", "linalg", "convolution", "networks", "bundles", "transforms"}


def makers(path: Path, name: str) -> list[ast.Call]:
    """The calls in a file that make an operation: those that begin with its name."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name and call.args]
    return [call for call in named if isinstance(call.args[0], ast.Constant) or name == "Op"]


def test_the_tables_hold_every_derivative():
    """Nobody but the tables makes an operation; elsewhere the calculus has no place to hide."""
    for path in SOURCE.rglob("*.py"):
        if path.name not in ("ops.py", "rules.py"):
            assert not makers(path, "op"), path
            assert not makers(path, "Op"), path
        if path.stem not in RULES | {"rules"}:
            assert not makers(path, "array_op"), path

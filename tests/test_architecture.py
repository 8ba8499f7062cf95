"""The architecture: which layer may import which, the table of packages, and the names of modules."""

import ast
import functools
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import adjoint

SOURCE = Path(adjoint.__file__).parent
ROOT = Path(__file__).parents[1]

# A package may import the packages of the lines above it. Packages on one line do not import each other.
LAYERS = """
    errors
    engine
    arrays
    compat linalg special fft
    stats
    transforms distributed
    compile
    nn
    optim data metrics
    files
    training
    see sklearn
    cli
"""
LEVEL = {package: i for i, line in enumerate(LAYERS.split("\n")) for package in line.split()}
TABLES = ("adjoint.compat.names", "adjoint.compat.methods")  # they import nothing: every layer may import them
BESIDE = ("adjoint_learn", "adjoint_lab")  # the packages that use the library: each may import those before it
PACKAGES = ("adjoint", *BESIDE)
UPWARD = SOURCE / "bindings.py"  # the only file that may import from higher layers, and which no layer imports
LATE = SOURCE / "engine" / "late.py"  # the names that it binds
FOLDERS = {name: SOURCE.parent / name for name in PACKAGES if (SOURCE.parent / name / "__init__.py").exists()}
MODULES = sorted(
    module.name
    for package, folder in FOLDERS.items()
    for module in pkgutil.walk_packages([str(folder)], f"{package}.")
    if "__main__" not in module.name
)

# What the course and the lab import of the library that is not public.
NOT_PUBLIC = {
    "adjoint_lab/forward.py": {"adjoint.engine.mathematics.floats"},  # networks in plain numbers, bit for bit
    "adjoint_lab/page/learn.py": {"adjoint.engine.randomness", "adjoint.engine.modes.modes"},  # what programs changed
    "adjoint_lab/replay.py": {  # a graph computed again
        "adjoint.arrays.array_rule.ArrayOp",
        "adjoint.engine.graph.evaluation_order",
        "adjoint.engine.graph.recompute",
    },
    "adjoint_learn/workspace.py": {"adjoint.files.atomic"},  # the progress is replaced in one step
    "adjoint_lab/wrong_lines.py": {  # a backward pass with a mistake
        "adjoint.engine.chain_rule.contributions",
        "adjoint.engine.graph.backward_order",
    },
}


def files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.py"))


@functools.cache
def imports(path: Path) -> set[str]:
    """Return every module that a file imports: at its top, inside functions, under `TYPE_CHECKING`, and by string."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and "import_module" in ast.dump(node.func):
            found |= {x.value for x in ast.walk(node) if isinstance(x, ast.Constant) and isinstance(x.value, str)}
    return {name for name in found if name.split(".")[0] in PACKAGES}


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def test_the_folders_of_the_source_are_the_layers():
    found = {path.name for path in SOURCE.iterdir() if path.name != "__pycache__"}
    assert found == {*LEVEL, "__init__.py", "__init__.pyi", "__main__.py", "bindings.py", "py.typed"}


@pytest.mark.parametrize("package", LEVEL)
def test_a_layer_imports_only_the_layers_below_it(package):
    for path in files(SOURCE / package):
        for name in imports(path) - {"adjoint"}:
            if name in TABLES or name.rpartition(".")[0] in TABLES:
                continue
            assert not name.startswith(BESIDE), f"{path} imports {name}; the library works without it"
            other = name.split(".")[1]
            if other in LEVEL:
                assert other == package or LEVEL[other] < LEVEL[package], f"{path} imports {name}"
            else:
                assert package == "cli", f"{path} imports the public name {name}; import it from its module"


def test_the_tables_of_names_import_nothing():
    assert not imports(SOURCE / "compat" / "names.py")
    assert not imports(SOURCE / "compat" / "methods.py")
    assert not imports(SOURCE / "compat" / "__init__.py")


@pytest.mark.parametrize("package", BESIDE)
def test_a_package_beside_the_library_imports_only_those_before_it(package):
    for path in files(SOURCE.parent / package):
        for other in BESIDE[BESIDE.index(package) + 1 :]:
            assert not {name for name in imports(path) if name.split(".")[0] == other}, path


@pytest.mark.parametrize("package", BESIDE)
def test_a_package_beside_the_library_imports_its_public_names_only(package):
    """A public name is one that `dir()` of a public package lists: of `adjoint`, or of a package in `PUBLIC`."""
    for path in files(SOURCE.parent / package):
        private = {name for name in imported_names(path) if not is_public(name)}
        name = path.relative_to(SOURCE.parent).as_posix()
        assert private == NOT_PUBLIC.get(name, set()), f"{name}: use public names, or make one public"


def imported_names(path: Path) -> set[str]:
    """Return what a file imports from the library: `adjoint.nn.MLP` for `from adjoint.nn import MLP`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} - {"adjoint"}
    return {name for name in found if name.split(".")[0] == "adjoint"}


PUBLIC = {"adjoint"} | {f"adjoint.{name}" for name in ("data", "errors", "nn", "optim", "see", "training")}


def is_public(name: str) -> bool:
    package, _, own = name.rpartition(".")
    return package in PUBLIC and own in dir(importlib.import_module(package))


def test_no_modules_import_each_other_in_a_cycle():
    """Two threads that load a cycle of modules at the same time block each other, and one of them fails.

    In the library, imports inside functions count too.
    """
    edges = {name: imported_modules(name, name.split(".")[0] == "adjoint") for name in MODULES}
    while edges:
        free = {name for name, targets in edges.items() if not targets & edges.keys()}
        assert free, f"a cycle among {sorted(edges)}"
        edges = {name: targets for name, targets in edges.items() if name not in free}


def imported_modules(module: str, in_functions: bool) -> set[str]:
    """Return the modules that a module imports at its top or, if asked for, in functions; not those for types alone."""
    path = SOURCE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found, waiting = set(), [ast.parse(path.read_text())] if path.exists() else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & set(MODULES) or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
        elif in_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return (found & set(MODULES)) - {module}


@pytest.mark.parametrize("names", [("sum", "concat"), ("sort", "stack", "Tensor"), ("conv2d", "grad", "fit", "draw")])
def test_threads_load_public_names_at_the_same_time(names):
    program = (
        "import sys, threading, adjoint\n"
        "start, found = threading.Barrier(len(sys.argv) - 1), []\n"
        "def load(name):\n"
        "    start.wait()\n"
        "    found.append(getattr(adjoint, name))\n"
        "threads = [threading.Thread(target=load, args=(name,)) for name in sys.argv[1:]]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "assert len(found) == len(threads)\n"
    )
    subprocess.run([sys.executable, "-c", program, *names], check=True)


UNUSED = """
    arrays.backends.jax arrays.functions.arranging arrays.functions.attention arrays.functions.convolution
    arrays.functions.linalg arrays.functions.special_functions arrays.functions.stacking arrays.stored_tensors
    compat.torch_creation compat.torch_functions compile.sharing data.files data.tokenizer data.workers
    errors.unknown_names files.checkpoints metrics.ranking nn.descriptions nn.embeddings nn.scalar_likelihoods
    optim.lbfgs optim.loss_scaling optim.sgd training.accumulation training.divergence training.evaluation
    training.joint_batches training.recipes.language training.scalar_steps
"""


def test_a_training_loads_only_what_it_uses():
    program = (
        "import sys\n"
        "from adjoint.cli.command_line import main\n"
        "main(['train', 'moons', '--epochs', '2', '--quiet'])\n"
        "print(*sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    loaded, unused = set(shown.split()), {f"adjoint.{name}" for name in UNUSED.split()}
    assert "adjoint.training.loop" in loaded
    assert unused <= set(MODULES)
    assert not unused & loaded


@pytest.mark.parametrize("package", [*(f"adjoint/{name}" for name in LEVEL), *FOLDERS])
def test_the_docstring_of_a_package_describes_it(package):
    text = ast.get_docstring(ast.parse((SOURCE.parent / package / "__init__.py").read_text())) or ""
    assert len(text.split()) >= 20, f"{package}/__init__.py says too little: {text!r}"


@pytest.mark.skipif(len(FOLDERS) < len(PACKAGES), reason="the course and the lab are not installed")
def test_the_table_of_contributing_lists_every_package_in_the_order_of_the_layers():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+)` \| .* \|$", text, re.MULTILINE)
    folders = {path.parent for package in FOLDERS.values() for path in package.rglob("__init__.py")} - {SOURCE}
    roots = [(folder, SOURCE if folder.is_relative_to(SOURCE) else SOURCE.parent) for folder in folders]
    assert set(rows) == {folder.relative_to(root).as_posix() for folder, root in roots}
    assert [package for package in rows if "/" not in package] == [*LEVEL, *BESIDE]


def test_the_python_engine_runs_the_tests_of_every_module_with_a_second_implementation_in_c():
    """Beside tests/engine and tests/arrays/test_*.py, `PURE` in tests/__main__.py lists files and folders of tests."""
    listed = (ROOT / "tests" / "__main__.py").read_text(encoding="utf-8")
    users = [
        path.relative_to(SOURCE)
        for path in SOURCE.rglob("*.py")
        if re.search(r"native\.core\.|\btwin\(", path.read_text())
    ]
    assert {path.parts[0] for path in users} == {"engine", "arrays", "compile"}
    for path in [path for path in users if path.parts[0] == "compile" or "functions" in path.parts]:
        folder = f"tests/{path.parent.as_posix()}"
        assert f"{folder}/test_{path.name}" in listed or f"{folder} " in listed


def test_every_binding_that_points_upward_is_used():
    """An unused binding would keep an import cycle alive."""
    bindings = {node.name for node in ast.parse(UPWARD.read_text()).body if isinstance(node, ast.FunctionDef)} - {
        "install"
    }
    declared = {node.target.id for node in ast.parse(LATE.read_text()).body if isinstance(node, ast.AnnAssign)}
    assert bindings == declared
    texts = [path.read_text() for path in SOURCE.rglob("*.py") if path not in (UPWARD, LATE)]
    used = {name for name in bindings for text in texts if f"late.{name}" in text or "late import" in text}
    assert used == bindings


def test_no_public_function_has_the_name_of_a_module():
    packages = {"adjoint": adjoint} | {name: importlib.import_module(name) for name in ("adjoint.nn", "adjoint.optim")}
    files = [name for name in MODULES if not name.startswith("adjoint.cli.")]  # whose names are those of commands
    stems = {name.rsplit(".", 1)[-1] for name in files} - {"tensor"}  # PyTorch's name of a function
    for package in packages.values():
        for name in dir(package):
            found = getattr(package, name)
            assert name not in stems or type(found) is type(adjoint), f"{package.__name__}.{name} is also a module"


def test_no_function_has_the_name_of_a_module_in_the_same_folder():
    for path in files(SOURCE):
        siblings = {other.stem for other in path.parent.iterdir()} | {path.parent.name}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                assert node.name not in siblings, f"{path}: {node.name} is also a module"


def test_every_module_can_be_imported_under_its_name():
    """`import adjoint.a.b as m` gives the module b in any order of imports."""
    pytest.importorskip("anywidget")
    pytest.importorskip("starlette")
    program = (
        "import sys, importlib\n"
        "for name in sys.argv[1:]:\n"
        "    scope = {}\n"
        "    exec(f'import {name} as found', scope)\n"
        "    assert scope['found'] is sys.modules[name], name\n"
    )
    for order in (MODULES, MODULES[::-1]):
        subprocess.run([sys.executable, "-c", program, *order], check=True, cwd=ROOT)


def makers(path: Path, name: str) -> list[ast.Call]:
    """Return the calls in a file that define an operation: their first argument is its name."""
    text = path.read_text()
    if not re.search(rf"\b{name}\(", text):
        return []
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name and call.args]
    return [call for call in named if isinstance(call.args[0], ast.Constant) or name == "Op"]


def test_derivatives_are_defined_only_in_the_tables_of_rules():
    """Only `ops.py` and the files of array functions define operations; no other file contains calculus."""
    for path in SOURCE.rglob("*.py"):
        is_rules = "functions" in path.parts or "transforms" in path.parts
        if not is_rules and path.name not in ("ops.py", "rule.py"):
            assert not makers(path, "op"), path
            assert not makers(path, "Op"), path
        if not is_rules and path.name != "array_rule.py":
            assert not makers(path, "array_op"), path

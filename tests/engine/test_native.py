"""The native core: the same bits as the Python engine, from the same table, and optional."""

import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from inspect import signature
from pathlib import Path
from types import FunctionType

import pytest
from fuzzing import examples
from hypothesis import given
from programs import bits, on_engine, programs, wild

import adjoint
from adjoint import ops
from adjoint.engine import native
from adjoint.engine.mathematics.c_loops import loops_header
from adjoint.engine.mathematics.symbols import c_header
from adjoint.engine.rule import fingerprint, op

NATIVE = Path(__file__).parents[2] / "src" / "adjoint" / "engine" / "_native"


@pytest.mark.long
@examples(300)
@given(programs(numbers=wild, well_conditioned=False))
def test_the_engines_agree_bit_for_bit_on_infinities_and_poles(engines, program):
    core, pure = (on_engine(program, package) for package in engines)
    assert bits(core[0]) == bits(pure[0])
    assert bits(core[1]) == bits(pure[1])


@pytest.mark.long
@examples(100)
@given(programs())
def test_the_engines_agree_bit_for_bit_in_second_derivatives(engines, program):
    found = []
    for package in engines:
        leaves, results = program.run(package.Value, lambda row, ops=package.ops: getattr(ops, row))
        results[-1].backward(create_graph=True)
        slopes = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.zero_grad()
        sum((s * s for s in slopes), package.Value(0.0)).backward()
        found.append(bits([*map(float, slopes), *(leaf.grad for leaf in leaves)]))
    assert found[0] == found[1]


def test_the_engines_have_the_same_public_names(engines):
    native, pure = (package.Value for package in engines)
    ours = {name for name in dir(pure) if not name.startswith("__")}
    assert ours == {name for name in dir(native) if not name.startswith("__")}
    assert native.__doc__ == pure.__doc__
    assert (native.__module__, native.__qualname__) == (pure.__module__, pure.__qualname__)


def test_the_class_of_the_core_takes_nothing_from_the_class_that_it_replaces(engines):
    native = engines[0].Value
    assert [name for name, x in vars(native).items() if isinstance(x, (FunctionType, property))] == []
    assert native.__bases__ == engines[0].engine.value.__dict__["MicrogradNames"].__mro__[:1]
    assert str(signature(native)) == "(data, _children=(), _op='', label='', *, requires_grad=True)"


def test_the_core_is_left_out_where_the_gil_is_off(monkeypatch):
    """Importing it would switch the GIL of a free-threaded Python on."""
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    monkeypatch.delenv("ADJOINT_PURE", raising=False)
    assert native._load() is None


def test_every_row_of_the_table_is_generated_for_the_core():
    header = c_header()
    for row, rule in ops.TABLE.items():
        assert f"double {row}_y(" in header
        for i in range(len(rule.operands)):
            assert f"double {row}_d{i}(" in header


def test_the_core_was_built_from_this_table(engines):
    assert f"#define TABLE_DIGEST {engines[0].engine.native.core.table_digest}u" in c_header()


def test_the_c_files_contain_no_calculus():
    source = "".join(path.read_text() for path in NATIVE.glob("*.[ch]"))
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    # NumPy lacks an error function, so one loop applies that of the C library to a buffer; it computes no derivative
    source, loops = re.subn(r"^erf_of_buffer\(.*?^\}", "", source, flags=re.DOTALL | re.MULTILINE)
    assert loops == 1
    for function in ("exp", "log", "tanh", "sin", "cos", "sqrt", "pow", "erf"):
        assert not re.search(rf"\b{function}\(", source), function


def test_the_core_is_standard_c_but_for_the_header_about_compilers(tmp_path):
    """Microsoft's compiler knows no extensions of GCC: they belong in compiler.h, next to what replaces them."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs GCC or clang")
    numpy = pytest.importorskip("numpy")
    (tmp_path / "ops.h").write_text(c_header(), encoding="utf-8")
    (tmp_path / "loops.h").write_text(loops_header(), encoding="utf-8")
    headers = [f"-isystem{folder}" for folder in (sysconfig.get_path("include"), numpy.get_include())]
    folders = [f"-I{folder}" for folder in (tmp_path, NATIVE)]
    flags = ["-std=c11", "-pedantic-errors", "-Wall", "-Werror", "-fopenmp-simd", "-fsyntax-only"]
    command = [compiler, *flags, *headers, *folders, str(NATIVE / "value.c")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for path in NATIVE.glob("*"):
        if path.name != "compiler.h":
            found = re.search(
                r"__attribute__|__builtin_|__extension__|_Pragma|#pragma|\bposix_memalign|_WIN32|_MSC_VER",
                path.read_text(),
            )
            assert found is None, f"{path.name}: {found}"


def run_python(code: str, **environment) -> str:
    env = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_adjoint_pure_chooses_the_python_engine():
    code = "import adjoint; print(adjoint.accelerated, type(adjoint.Value.__add__).__name__)"
    assert run_python(code, ADJOINT_PURE="1") == "False function"


def test_a_built_core_is_used_by_default(engines):
    code = "import adjoint; print(adjoint.accelerated, type(adjoint.Value.__add__).__name__)"
    assert run_python(code, ADJOINT_PURE="") == "True wrapper_descriptor"


def test_without_a_built_core_the_python_engine_runs():
    code = "import sys; sys.modules['adjoint.engine._core'] = None\nimport adjoint; print(adjoint.accelerated)"
    assert run_python(code, ADJOINT_PURE="") == "False"


def test_importing_adjoint_imports_neither_numpy_nor_torch():
    code = "import adjoint, sys; print([name for name in ('numpy', 'torch', 'jax') if name in sys.modules])"
    assert run_python(code) == "[]"


def test_make_node_of_the_core_checks_its_arguments(engines):
    make_node = engines[0].engine.value.make_node
    a, mul = engines[0].Value(1.0), engines[0].ops.mul
    for arguments in (
        (int, 1.0),
        (engines[0].Value, "x"),
        (engines[0].Value, 1.0, mul, (a, "x"), (1.0,)),
        (engines[0].Value, 1.0, mul, (a, a), (1.0,)),
        (engines[0].Value, 1.0, mul, (a, a), (1.0, None)),
    ):
        with pytest.raises(TypeError):
            make_node(*arguments)


def test_the_core_serves_one_value_class_in_a_process(engines):
    native = engines[0]
    with pytest.raises(RuntimeError, match="one Value class in a process"):
        native.engine.native.core.accelerate(native.Value, (), None, None)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del native.Value(1.0).data
    with pytest.raises(AttributeError, match="not writable"):
        del native.engine.native.core.modes.recording


def test_nodes_keep_their_numbers_regardless_of_the_order_in_which_they_are_freed():
    """Create and free nodes in random order, so that memory is reused in every possible state."""
    rng, living = random.Random(1), {}
    for i in range(200_000 if adjoint.accelerated else 20_000):
        key = rng.randrange(5000)
        if i % 50_000 > 40_000:  # occasionally free most of them at once
            living.pop(key, None)
        else:
            living[key] = adjoint.Value(float(i)) if rng.random() < 0.5 else living.get(key, 1.0) * 1.0
        if key in living and not isinstance(living[key], float):
            living[key].grad = living[key].data
    assert all(isinstance(x, float) or x.grad == x.data for x in living.values())


@pytest.mark.long
def test_the_memory_of_a_large_graph_is_returned_or_reused(engines):
    code = """
import adjoint, resource
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20
def use(length):
    x = adjoint.Value(1.0)
    for _ in range(length):
        x = x * 1.0
start = rss()
use(2_000_000)
kept = rss() - start
for _ in range(3):
    use(2_000_000)
print(kept < 140, rss() - start < 140)
"""
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux's /proc to see the memory of a process")
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("AddressSanitizer keeps freed memory to watch over it")
    assert run_python(code, ADJOINT_PURE="") == "True True"


def test_a_core_built_from_another_table_is_ignored_with_a_warning(engines):
    """Simulate a stale core: the real one with the digest of another table that has the same number of rows."""
    code = """
import sys, types, warnings
from adjoint.engine import _core
stale = types.ModuleType("adjoint.engine._core")
stale.__dict__.update(vars(_core), table_digest=_core.table_digest ^ 1)
for name in [name for name in sys.modules if name.startswith("adjoint")]:
    del sys.modules[name]
sys.modules["adjoint.engine._core"] = stale
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    import adjoint
    x = adjoint.Value(3.0)
    (x * x).backward()
    print(adjoint.accelerated, x.grad, [str(w.message) for w in given if "stale" in str(w.message)])
"""
    shown = run_python(code, ADJOINT_PURE="")
    assert shown.startswith("False 6.0 ['the native core of adjoint is stale")
    assert "pip install -e ." in shown


def test_a_core_built_from_other_c_sources_is_an_error_that_says_what_to_do(engines):
    code = """
import sys, types
from adjoint.engine import _core
stale = types.ModuleType("adjoint.engine._core")
stale.__dict__.update(vars(_core), accelerate=lambda value, ops: value)
for name in [name for name in sys.modules if name.startswith("adjoint")]:
    del sys.modules[name]
sys.modules["adjoint.engine._core"] = stale
try:
    from adjoint import Value
except ImportError as error:
    print(error)
"""
    shown = run_python(code, ADJOINT_PURE="")
    assert "the native core of adjoint is stale: its C sources have changed" in shown
    assert "pip install -e ." in shown


def test_a_changed_derivative_changes_the_fingerprint_of_the_table():
    same = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    other = op("cube", lambda m, x: x * x * x, lambda m, y, x: 2 * x * x)
    again = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert fingerprint([same]) == fingerprint([again])
    assert fingerprint([same]) != fingerprint([other])

"""Lines of random programs that call a public function with arguments drawn from its signature.

The functions are those of adjoint, of `adjoint.linalg` and the other submodules, NumPy's functions of the same arrays,
and the methods of Values. A new function takes part by itself if the table below knows its parameters.
"""

import functools
import inspect
import math
from collections.abc import Callable

import numpy as np
from public_functions import WITHOUT, differentiable_functions

from adjoint import Tensor, Value
from adjoint.engine import ops
from adjoint.errors import AdjointError, MissingRuleError
from random_programs.build import Builder, Failure, Node
from random_programs.program import Step, numbers
from random_programs.steps import INTEGERS, constant, quiet, second

# Functions that need arguments of their own, draw random numbers, or read one triangle of a matrix.
OTHERS = {"astype", "dropout", "einsum", "cholesky", "eigh", "eigvalsh"}
METHODS_OF_VALUES_ONLY = {"backward", "detach", "explore", "item", "numpy", "register_hook", "tolist", "zero_grad"}

Parameters = tuple[inspect.Parameter | None, ...]
ARRAYS = {"x", "a", "arr", "array", "A", "m", "v", "input", "prediction", "ary", "weight", "y"}
SECONDS = {"z", "b", "x2", "other", "target", "B", "w", "x1", "h"}


def axis_of(build: Builder, x: np.ndarray) -> str:
    """Return an axis of an array as Python: None, a number from either end, or several."""
    if not x.ndim:
        return build.one_of("None", "()")
    one = str(build.random.randrange(-x.ndim, x.ndim))
    some = build.random.sample(range(x.ndim), build.random.randint(0, x.ndim))
    several = tuple(axis - x.ndim * build.chance(0.5) for axis in some)
    return build.one_of("None", one, one, one, repr(several))


def one_axis(build: Builder, x: np.ndarray) -> str:
    return str(build.random.randrange(-x.ndim, x.ndim)) if x.ndim else "0"


def shape_of(build: Builder, x: np.ndarray) -> str:
    """Return a shape with as many elements, or one to which the array broadcasts."""
    if build.chance(0.3):
        return repr((*build.one_of((), (2,), (1,), (0,)), *(build.side() if n == 1 else n for n in x.shape)))
    divisors = [n for n in range(1, x.size + 1) if x.size % n == 0] or [0]
    first = build.random.choice(divisors)
    rest = x.size // first if first else 2
    return build.one_of(repr((first, rest)), repr((first, rest)), "-1", repr((x.size,)), repr((1, -1)))


def _integers(build: Builder, x: np.ndarray) -> str:
    size = min(x.shape) if x.ndim and x.size else 1
    shape = build.one_of((2,), (), (1,), (3,), (2, 2))
    drawn = np.array([build.random.randrange(0, size) for _ in range(math.prod(shape))]).reshape(shape)
    return numbers(drawn.astype(build.one_of(*INTEGERS)))


def _one_of(*choices: str) -> Callable[[Builder, np.ndarray], str]:
    return lambda build, x: build.one_of(*choices)


# How to draw an argument for each name of a parameter, given the first array.
PARAMETERS: dict[str, Callable[[Builder, np.ndarray], str]] = {
    name: draw
    for names, draw in {
        "axis dim": axis_of,
        "axis1 axis2 start_axis start source destination end_axis start_dim end_dim": one_axis,
        "keepdims descending upper full_matrices causal log_target count_include_pad compute_uv": _one_of(
            "True", "False"
        ),
        "largest bias rowvar full reverse swap": _one_of("True", "False"),
        "shape newshape": shape_of,
        "k offset n shift decimals": _one_of("-1", "0", "1", "2"),
        "repeats repetitions reps times": _one_of("2", "1", "(2, 1)", "0", "3"),
        "correction ddof": _one_of("0", "1"),
        "indices index": _integers,
        "sections indices_or_sections": _one_of("1", "2", "3", "[1]", "[1, 2]"),
        "min a_min low": _one_of("-0.5", "None", "-1"),
        "max a_max high": _one_of("0.5", "1", "1.25"),
        "pad_width": _one_of("1", "(1, 2)", "0"),
        "value constant_values": _one_of("0.0", "1.5"),
        "beta alpha delta margin negative_slope scale threshold lambd": _one_of("0.5", "1.0", "2.0"),
        "reduction": _one_of("'mean'", "'sum'", "'none'"),
        "mode": _one_of("'reduced'", "'constant'", "'edge'", "'reflect'", "'full'", "'same'", "'valid'"),
        "approximate": _one_of("'tanh'", "'none'"),
        "ord": _one_of("1", "2", "3", "None", "np.inf", "'fro'"),
        "axes": lambda build, x: build.one_of(repr(tuple(build.random.sample(range(x.ndim), x.ndim))), "1", "0"),
        "label_smoothing": _one_of("0.0", "0.25"),
        "q": _one_of("0.25", "0.5", "[0.1, 0.9]"),
    }.items()
    for name in names.split()
}


@functools.cache
def public_functions() -> tuple[tuple[str, Parameters], ...]:
    """Return the public functions of arrays, each as Python writes it, with its parameters."""
    functions = {f"adjoint.{name}": function for name, function in differentiable_functions().items()}
    for module, room in {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}.items():
        functions |= {f"{module}.{name}": getattr(room, name) for name in sorted(set(room.__all__))}
    found = []
    for full, function in functions.items():
        module, _, name = full.rpartition(".")
        if name not in OTHERS and (module[:2] != "np" or is_known(function)):
            parameters = parameters_of(function, name)
            if parameters is not None:
                found.append((full, parameters))
    for name in dir(Tensor):
        if not name.startswith("_") and name not in METHODS_OF_VALUES_ONLY | OTHERS | WITHOUT.keys():
            method = getattr(Tensor, name, None)  # None for a name of PyTorch that is refused
            if callable(method):
                parameters = parameters_of(method, name)
                if parameters is not None:
                    found.append((f".{name}", parameters))
            elif name in ("T", "mT"):
                found.append((f".{name}", ()))
    return tuple(found)


def parameters_of(function: Callable, name: str) -> Parameters | None:
    """Return the parameters, with None for those that cannot be drawn; None if one of them is required."""
    if isinstance(function, np.ufunc):
        return positional(function.nin)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    bare = all(p.name == "self" or p.kind is p.VAR_POSITIONAL for p in parameters)
    if name in ops.TABLE and bare:  # a row of the table, whose operands have no names
        return positional(len(ops.TABLE[name].operands))
    if not parameters or any(p.default is p.empty and not drawable(p, k) for k, p in enumerate(parameters)):
        return None
    return tuple(p if drawable(p, k) else None for k, p in enumerate(parameters))


def positional(count: int) -> Parameters:
    return tuple(inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("x", "z", "w")[:count])


def drawable(parameter: inspect.Parameter, place: int) -> bool:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return parameter.name in ("shape", "axes", "arrays", "arys")
    if parameter.kind is parameter.VAR_KEYWORD:
        return False
    name = parameter.name
    return name == "self" or place == 0 or name in PARAMETERS or name in SECONDS | {"condition", "arrays", "tup"}


def is_known(function: Callable) -> bool:
    """Whether NumPy's function gives Values for Values."""
    if not isinstance(function, (np.ufunc, type(np.sum))):
        return False  # it does not dispatch on its arguments
    x = Value(np.array([[1.5, 0.5], [0.25, 2.0]]))
    for arguments in ((x,), (x, x), ([x, x],), (x, 1), (x, (2, 2)), (np.array([[True, False]] * 2), x, x)):
        try:
            result = function(*arguments)
        except MissingRuleError as error:
            if "does not take" in str(error):
                continue
            return False
        except Exception:  # other arguments may be right
            continue
        return isinstance(result, (Value, tuple, list))
    return False


def call(build: Builder) -> None:
    """Call a public function, NumPy's function or a method."""
    name, parameters = build.random.choice(public_functions())
    a = build.operand(varies=True)
    if name.startswith(".") and a.number and not hasattr(Value, name[1:]):
        return
    _call(build, name, parameters, a)


def _call(build: Builder, name: str, parameters: Parameters, a: Node) -> None:
    if name.endswith(("nanquantile", "nanpercentile")) and not a.value.size:
        return  # NumPy's result then lacks the axis of the quantiles
    nodes, texts = [a], []
    for k, parameter in enumerate(parameters):
        if parameter is None:
            continue
        text = _argument(build, parameter, k, a, nodes)
        if text is None:
            continue
        keyword = parameter.kind is parameter.KEYWORD_ONLY or (
            parameter.default is not parameter.empty and (len(texts) < k or build.chance(0.5))
        )
        texts.append(f"{parameter.name}={text}" if keyword or any("=" in t for t in texts) else text)
    if any(text.startswith("ddof=") for text in texts):  # another name for correction
        texts = [text for text in texts if not text.startswith("correction=")]
    if name.startswith("."):
        is_property = not callable(getattr(Tensor, name[1:], None))
        line = f"{a.name}{name}" if is_property else f"{a.name}{name}({', '.join(texts[1:])})"
        as_plain = f"adjoint{name}({', '.join(texts)})"
        if is_property:
            as_plain = f"adjoint.{'transpose' if name == '.T' else 'matrix_transpose'}({a.name})"
    else:
        line = as_plain = f"{name}({', '.join(texts)})"
    try:
        expected = quiet(build, as_plain)
    except AdjointError:
        return  # the arguments do not fit
    except Exception as error:
        if name.startswith("adjoint."):
            step = Step(build.fresh(), line, tuple(dict.fromkeys(node.name for node in nodes)))
            raise Failure(build.program(step), "forward", f"{type(error).__name__}: {error}") from error
        return
    if isinstance(expected, (tuple, list)):
        if not len(expected):
            return
        place = build.random.randrange(len(expected))
        if hasattr(expected, "_fields"):
            line, expected = f"{line}.{expected._fields[place]}", getattr(expected, expected._fields[place])
        else:
            line, expected = f"{line}[{place}]", expected[place]
    expected = np.asarray(expected)
    if expected.dtype.kind != "f":
        return
    if not np.isfinite(expected).all() and build.chance(0.8):
        return
    build.add(line, tuple(nodes), expected, may_refuse=name.startswith("np."))


def _argument(build: Builder, parameter: inspect.Parameter, place: int, a: Node, nodes: list[Node]) -> str | None:
    name = parameter.name
    if name in ("arrays", "tup", "arys"):
        others = [build.operand(shape=a.shape, new=0.3) for _ in range(build.random.randint(0, 2))]
        nodes += others
        inner = ", ".join(node.name for node in (a, *others))
        return inner if parameter.kind is parameter.VAR_POSITIONAL else f"[{inner}]"
    if place == 0 and name != "condition":
        return a.name
    if name == "condition":
        drawn = [build.chance(0.5) for _ in range(a.value.size)]
        return numbers(np.array(drawn, bool).reshape(a.shape)) if a.value.size < 60 else "True"
    if name in SECONDS or (name in ARRAYS and parameter.default is parameter.empty):
        if build.chance(0.15):
            return constant(build, a.shape)
        b = a if build.chance(0.05) else second(build, a)
        nodes.append(b)
        return b.name
    if parameter.default is not parameter.empty and build.chance(0.4):
        return None
    return PARAMETERS[name](build, a.value) if name in PARAMETERS else None

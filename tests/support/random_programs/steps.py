"""Lines of random programs: operators, einsum, indices, updates, and lists of Values."""

import numpy as np

from adjoint import Value
from adjoint.engine import ops
from random_programs.build import Builder, Node
from random_programs.program import numbers

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4")


def operator(build: Builder) -> None:
    """Add an operator of two results, or of a result and a constant."""
    a = build.operand(varies=True)
    text = build.one_of("+", "-", "*", "/", "*", "+", "**", "@")
    if build.chance(0.1):
        text = build.one_of("-{}", "abs({})", "+{}").format(a.name)
        build.add(text, (a,), build.evaluate(text))
    elif text == "@":
        if a.value.ndim:
            b = build.operand((a.shape[-1],))
            build.add(f"{a.name} @ {b.name}", (a, b), a.value @ b.value)
    elif text == "**":
        power = build.one_of("2", "3", "2.0", "1", "0", "-1", "0.5")
        build.add(f"{a.name} ** {power}", (a,), quiet(build, f"{a.name} ** float({power})"))
    elif build.chance(0.25):
        b = constant(build, a.shape)
        line = build.one_of(f"{a.name} {text} {b}", f"{b} {text} {a.name}")
        if not b.startswith("["):  # a list in front would be joined
            build.add(line, (a,), quiet(build, line))
    else:
        b = second(build, a)
        line = build.one_of(f"{a.name} {text} {b.name}", f"{b.name} {text} {a.name}")
        build.add(line, (a, b), quiet(build, line))


def quiet(build: Builder, line: str):
    """Return the result of NumPy, without its warnings about divisions by zero."""
    with np.errstate(all="ignore"):
        return build.evaluate(line)


def constant(build: Builder, shape: tuple[int, ...]) -> str:
    """Return a number or an array that is no variable, as Python."""
    kind = build.random.randrange(5)
    if kind == 0:
        return repr(build.float())
    if kind == 1:
        return build.one_of("2", "3", "np.float64(1.5)", "np.float32(0.5)", "np.int64(2)", "np.array(1.5)")
    shape = build.one_of(shape, (), shape[1:], tuple(build.one_of(n, 1) for n in shape))
    if kind == 2:
        dtype = build.one_of(*INTEGERS, "bool")
        return numbers(np.array(build.array(shape, 1, 3)).astype(dtype)) if np.prod(shape) < 60 else "2"
    return numbers(build.array(shape)) if np.prod(shape) < 60 else "1.5"


def second(build: Builder, a: Node) -> Node:
    """Return an operand that broadcasts against another one, in either direction."""

    def fits(node: Node) -> bool:
        try:
            return np.prod(np.broadcast_shapes(a.shape, node.shape)) <= 200
        except ValueError:
            return False

    if build.chance(0.5):
        found = [node for node in build.nodes if fits(node)]
        return build.one_of(*found) if found and build.chance(0.7) else build.new_leaf(())
    shape = tuple(build.one_of(n, n, 1) for n in a.shape)
    if build.chance(0.4):
        shape = shape[build.random.randint(0, len(shape)) :]
    elif build.chance(0.3):
        shape = (build.one_of(1, 2), *(build.side() if n == 1 else m for n, m in zip(a.shape, shape)))
    return build.new_leaf(shape)


def chain(build: Builder) -> None:
    """Apply several methods to what a reduction gives, an array without axes, or to any result."""
    a = build.operand(varies=True)
    rows = [name for name, row in ops.TABLE.items() if len(row.operands) == 1 and hasattr(Value, name)]
    start = build.one_of(".sum()", ".mean()", ".sum()", "") if not a.number else ""
    methods = [f".{build.one_of(*rows)}()" for _ in range(build.random.randint(1, 3))]
    build.add(a.name + start + "".join(methods), (a,))


def einsum(build: Builder) -> None:
    """Add an einsum over random subscripts; an axis of size 1 broadcasts."""
    count = build.one_of(1, 2, 2, 2, 3)
    letters = "ijkl"
    sizes = {letter: build.one_of(1, 2, 3) for letter in letters}
    terms, nodes = [], []
    for _ in range(count):
        term = "".join(build.random.choices(letters[:3], k=build.random.randint(0, 3)))
        own = {letter: build.one_of(sizes[letter], sizes[letter], 1) for letter in term}
        shape = tuple(own[letter] for letter in term)
        nodes.append(build.operand(shape=shape, new=0.4))
        terms.append(term)
    seen = "".join(dict.fromkeys("".join(terms)))
    kept = "".join(build.random.sample(seen, build.random.randint(0, len(seen))))
    subscripts = ",".join(terms) + (f"->{kept}" if build.chance(0.9) else "")
    arguments = ", ".join(node.name for node in nodes)
    try:
        expected = build.evaluate(f"np.einsum({subscripts!r}, {arguments})")
    except (ValueError, TypeError):  # a letter with two sizes
        return
    library = build.one_of("adjoint", "np")
    build.add(f"{library}.einsum({subscripts!r}, {arguments})", tuple(nodes), expected)


def tall(build: Builder) -> Node:
    """Return an array to index; sometimes longer than the largest number of a small integer type."""
    if build.chance(0.15):
        return build.new_leaf(build.one_of((300,), (300, 2), (2, 300), (140,)), varies=True)
    return build.operand(varies=True)


def index(build: Builder, shape: tuple[int, ...]) -> str:
    """Return an index of any kind, as Python."""
    parts = []
    common = build.one_of((2,), (1,), (), (3,), (2, 2), (0,))
    for size in shape[: build.random.randint(1, len(shape))]:
        kind = build.random.randrange(6)
        if kind == 0 and size:
            parts.append(str(build.random.randrange(-size, size)))
        elif kind == 1:
            step = build.one_of("", ":2", ":-1", ":-2")
            ends = [build.one_of("", str(build.random.randint(-size - 1, size + 1))) for _ in range(2)]
            parts.append(f"{ends[0]}:{ends[1]}{step}")
        elif kind in (2, 3) and size:
            dtype = build.one_of(*INTEGERS)
            least = 0 if dtype.startswith("u") else -min(size, 128)
            array = [build.random.randrange(least, min(size, 127)) for _ in range(int(np.prod(common)))]
            parts.append(numbers(np.array(array, int).reshape(common).astype(dtype)))
        elif kind == 4 and len(parts) == 0 and size < 20:
            parts.append(numbers(np.array([build.chance(0.6) for _ in range(size)], bool)))
        else:
            parts.append(":")
    if build.chance(0.15):
        parts.insert(build.random.randint(0, len(parts)), "None")
    if build.chance(0.15):
        parts.append("...")
    return ", ".join(parts)


def getitem(build: Builder) -> None:
    """Read elements at an index."""
    a = tall(build)
    if a.value.ndim and not a.number:
        line = f"{a.name}[{index(build, a.shape)}]"
        try:
            expected = build.evaluate(line)
        except IndexError:  # index arrays that do not broadcast
            return
        build.add(line, (a,), expected, data_dependent="bool" in line or "True" in line or "False" in line)


def updated(x: np.ndarray, places: np.ndarray, values: np.ndarray, how: str) -> np.ndarray:
    """Return a copy of an array with an update at flat positions, by NumPy."""
    flat = x.flatten()
    if how == "set":
        drawn = np.empty(places.shape)
        drawn[...] = values
        flat[places.ravel()] = drawn.ravel()
    else:
        drawn = np.broadcast_to(values, places.shape)
        {"add": np.add, "multiply": np.multiply}[how].at(flat, places.ravel(), drawn.ravel())
    return flat.reshape(x.shape)


def update(build: Builder) -> None:
    """Replace elements at an index, or add to them, with numbers that broadcast."""
    a = tall(build)
    if not a.value.ndim or a.number:
        return
    at = index(build, a.shape)
    try:
        places = np.asarray(np.arange(a.value.size).reshape(a.shape)[build.evaluate(f"np.index_exp[{at}]")])
    except IndexError:
        return
    how = build.one_of("set", "set", "add", "multiply")
    if how != "add" and np.unique(places).size < places.size:
        return  # the order of several updates of one element is undefined
    shape = build.one_of(places.shape, places.shape[1:], (), tuple(build.one_of(n, 1) for n in places.shape))
    if how == "set" and build.chance(0.4):
        shape = (1, *shape)  # NumPy drops leading axes of size 1
    b = build.operand(shape=shape, new=0.5)
    try:
        expected = updated(a.value, places, b.value, how)
    except ValueError:
        return
    refuses = len(b.shape) > places.ndim
    dependent = "True" in at or "False" in at
    build.add(f"{a.name}.at[{at}].{how}({b.name})", (a, b), expected, may_refuse=refuses, data_dependent=dependent)


def gathered(build: Builder) -> None:
    """Put several results into an array: np.array and np.stack of a list, which may hold numbers and arrays."""
    a = build.operand(new=0.5, varies=True)
    others = [build.operand(shape=a.shape, new=0.3) for _ in range(build.random.randint(0, 2))]
    nodes = (a, *others)
    inner = ", ".join(build.one_of(node.name, node.name, f"{node.name} ** 2", "1.5" * (not a.shape) or node.name)
                      for node in nodes)  # fmt: skip
    name = build.one_of("np.array", "np.asarray", "np.stack", "adjoint.stack", "np.array", "adjoint.concat")
    if name == "adjoint.concat" and not a.shape:
        return
    plain = f"{name.replace('adjoint', 'np')}([{inner}])"
    build.add(f"{name}([{inner}])", nodes, build.evaluate(plain), may_refuse=True)


def where(build: Builder) -> None:
    """Choose between two results."""
    a = build.operand(varies=True)
    b = second(build, a)
    mask = numbers(np.array([build.chance(0.5) for _ in range(a.value.size)], bool).reshape(a.shape))
    if a.value.size < 60:
        condition = build.one_of(mask, f"{a.name} > 0.1", mask)
        library = build.one_of("np", "adjoint")
        if condition is mask or not a.number:
            line = f"where({condition}, {a.name}, {b.name})"
            build.add(f"{library}.{line}", (a, b), build.evaluate(f"np.{line}"), data_dependent=condition is not mask)

"""How a compiled function of numbers shows what was found: `jit(f).program`, printed and listed.

`make test-python` runs these tests on the Python engine too, which does not fold.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, jit, nn
from adjoint.compile.numbers.instructions import instructions_of
from adjoint.compile.numbers.replay import DOT, GATHER, ROWS, function_of
from adjoint.compile.numbers.value_names import join_names

native = pytest.mark.skipif(not adjoint.accelerated, reason="only the native core folds")


def step_of_samples(count: int, size: int = 5):
    """Return a compiled training step on some samples, after its first call, and the network."""
    model = nn.MLP(2, [size, 1], seed=0)
    samples = [(i / count, (i * i % 7) / 7, (-1.0) ** i) for i in range(count)]

    @jit
    def step(rate):
        total = Value(0.0)
        for a, b, y in samples:
            total = total + (model([Value(a), Value(b)]) - y) ** 2
        model.zero_grad()
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        return total

    step(0.1)
    return step, model


def test_a_function_that_was_not_called_says_so():
    f = jit(lambda x: x)
    assert not f.program
    assert (
        str(f.program)
        == f.program.listing()
        == "no program yet: jit compiles a function when it is called; call it once"
    )


def test_a_function_has_the_program_of_its_last_new_call():
    w = Value(2.0)
    f = jit(lambda x: w * x)
    f(3.0)
    first = f.program
    assert first
    f(4.0)
    assert f.program is first
    f(3)
    assert f.program is not first


@native
def test_the_sentence_says_what_is_in_lanes_of_how_many():
    sentence = str(step_of_samples(12)[0].program)
    assert " operations in " in sentence
    # for each of 6 neurons a dot product, a tanh, and its derivative
    lanes = sentence.partition(": ")[2].partition(" in lanes of 12")[0]
    assert "6 dot products" in lanes
    assert "6 tanh" in lanes
    assert "6 derivatives of tanh" in lanes
    assert "of single numbers" in sentence


@pytest.mark.skipif(adjoint.accelerated, reason="of the Python engine")
def test_the_sentence_says_that_the_python_engine_does_not_fold():
    assert ", one by one, on the Python engine; " in str(step_of_samples(2)[0].program)
    f = jit(lambda x: x * x)
    f(3.0)
    assert str(f.program).startswith("1 operation on the Python engine; ")


def lines_of(f, full: bool = False) -> list[str]:
    summary, empty, *lines = f.program.listing(full).splitlines()
    assert (summary, empty) == (str(f.program), "")
    return lines


def test_a_listing_names_inputs_by_paths_and_results_by_numbers():
    model = SimpleNamespace(scale=Value(3.0), rates=[Value(1.0), Value(2.0)])

    @jit
    def f(x, y):
        model.scale.data = adjoint.tanh(x) / model.rates[1].data
        model.rates[0].grad = model.rates[1].grad - y
        return adjoint.maximum(y, 4.5), x**3

    f(0.5, 2.0)
    lines = [re.sub(r"\bv\d", "v", line) for line in lines_of(f)]  # the order of independent instructions is free
    assert sorted(lines) == sorted(
        [
            "v = tanh(x)",
            "v = v / model.rates[1]",
            "v = model.rates[1].grad - y",
            "v = maximum(y, 4.5)",
            "v = x ** 3",
            "return v, v",
            "model.scale.data = v",
            "model.rates[0].grad = v",
        ]
    )


def test_a_label_that_one_value_has_is_its_name():
    a, b, c = Value(1.0, label="a"), Value(2.0, label="same"), Value(3.0, label="same")

    @jit
    def f():
        a.data = b.data / c.data

    f()
    assert lines_of(f) == ["v1 = b / c", "a.data = v1"]


@pytest.mark.parametrize(
    ("fn", "line"),
    [
        (lambda x: adjoint.where(x > 1, x, -x), "v3 = x if v1 else v2"),
        (lambda x: (x > 1) & ~(x < 0), "v4 = v1 and v3"),
        (lambda x: (x > 1) & ~(x < 0), "v3 = not v2"),
        (lambda x: x % 3.0, "v1 = x % 3"),
        (lambda x: adjoint.hypot(x, 2.0), "v1 = hypot(x, 2)"),
    ],
)
def test_the_formula_of_an_instruction(fn, line):
    f = jit(fn)
    f(2.0)
    assert line in lines_of(f)


@pytest.mark.parametrize(
    ("fn", "derivative"),
    [
        (lambda v: v.tanh(), "1 − v1²"),
        (lambda v: v**2, "2·w"),
        (lambda v: v**3, "3·w²"),
        (lambda v: v.sin(), "cos(w)"),
        (lambda v: 2.0**v, "v1·log(2)"),
        (lambda v: v.leaky_relu(), "1 if w > 0 else 0.01"),
    ],
)
def test_a_derivative_is_written_with_its_operands(fn, derivative):
    w = Value(1.0, label="w")

    @jit
    def f():
        w.zero_grad()
        fn(w).backward()

    f()
    assert any(derivative in line for line in lines_of(f)), lines_of(f)


def test_a_long_derivative_is_named():
    w = Value(1.0, label="a long label of a parameter")

    @jit
    def f():
        w.silu().backward()

    f()
    assert any("silu'(a long label of a parameter)" in line for line in lines_of(f))


@native
def test_a_listing_has_ranges_for_lanes_and_ellipses_for_what_is_alike():
    step, _ = step_of_samples(30, size=9)
    lines = lines_of(step)
    assert "v10[0:30] = tanh(v1[0:30])" in lines
    assert "… 6 more like this: v4 to v9" in lines
    assert any("neurons[0].w[0]·" in line and line.startswith("v1[0:30] = ") for line in lines)
    assert any(line.startswith("return v") for line in lines)
    assert any(" terms)" in line for line in lines)
    assert any("dot(v" in line for line in lines)  # a gradient is a sum over the samples
    full = lines_of(step, full=True)
    assert not any("more like this" in line for line in full)
    assert sum(line.startswith("v") for line in full) == len(instructions_of(step.program._tape))


def test_long_programs_are_listed_in_part():
    @jit
    def f(x):
        for i in range(1000):
            x = adjoint.sin(x) if i % 2 else adjoint.cos(x)
        return x

    f(1.0)
    lines = lines_of(f)
    assert len(lines) < 200
    assert "… of 1,000 instructions; listing(full=True) has them all" in lines
    assert len(lines_of(f, full=True)) == 1001


def test_elements_of_arrays_and_numbers_of_objects_have_names():
    class Counter:
        steps = 0

    counter, w, totals = Counter(), Value(1.0, label="w"), {"all": 0.0}
    counter.steps = 1

    @jit
    def f(x):
        counter.steps += 1
        totals["all"] += x[0, 0]
        totals["new"] = x[0, 1]
        w.data = x[1, 0] / x[0, 1]

    x = np.ones((2, 2))
    f(x)
    f(x)
    lines = lines_of(f)
    assert any(line.endswith(" = x[1, 0] / x[0, 1]") for line in lines)
    assert any(line.startswith("counter.steps = v") for line in lines)
    assert any(line.startswith("totals['all'] = v") for line in lines)
    assert "totals['new'] = x[0, 1]" in lines


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["w[1]", "w[2]", "w[3]"], ["w[1:4]"]),
        (["w[3]", "w[2]"], ["w[3]", "w[2]"]),
        (["a[0].w[1]", "a[1].w[2]"], ["a[0].w[1]", "a[1].w[2]"]),
        (["a", "a1"], ["a", "a1"]),
    ],
)
def test_names_that_only_a_number_distinguishes_are_joined(names, joined):
    assert join_names(names) == joined


def test_the_instructions_that_were_read_compute_what_the_program_computes():
    """Each instruction, lane by lane, on the numbers that its inputs are named after."""
    step, model = step_of_samples(13)
    slots, scope = step.program.slots(), {"model": model, "rate": 0.2}
    memory = list(memoryview(step.program._tape.layout()[2]).cast("d"))
    for slot, name in slots.inputs.items():
        x = eval(name, scope)
        memory[slot] = x.data if isinstance(x, Value) else x
    for instruction in slots.instructions:
        for lane in range(instruction.lanes):
            memory[instruction.out.slot + lane] = _compute(instruction, memory, lane)
    scope["result"] = step(0.2)
    stored = [pair for store in slots.stores for pair in zip(store.names, store.slots)]
    assert len(stored) == 1 + 2 * len(model.parameters())
    for name, slot in stored:
        found = scope["result"].data if name == "return" else eval(name, scope)
        require_close(found, memory[slot])


def _compute(instruction, memory: list[float], lane: int) -> float:
    def at(span, k=lane):
        return memory[span.slot + (k if span.length > 1 else 0)]

    if instruction.op == GATHER:
        return at(instruction.operands[lane])
    if instruction.op == DOT:
        if instruction.lanes > 1:
            return sum(at(a) * at(b) for a, b in instruction.terms)
        return sum(at(a, k) * at(b, k) for a, b in instruction.terms for k in range(max(a.length, b.length)))
    operands = [at(span) for span in instruction.operands]
    if instruction.part > 2:  # a partial derivative times the first operand
        return function_of(instruction.op - 2 * len(ROWS))(*operands[1:]) * operands[0]
    return function_of(instruction.op)(*operands)

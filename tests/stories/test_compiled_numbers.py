"""Programs of single numbers under `jit`: those of the examples, changes between calls, errors and bad programs."""

import ast
import math
import random
import threading
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from closeness import require_close

import adjoint
from adjoint import Value, data, fit, jit, nn, optim
from adjoint.compile.numbers import recorder
from adjoint.compile.numbers.tape import Tape
from adjoint.errors import TraceError

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = 8 if adjoint.accelerated else 3


def eagerly(step):
    return step


# --- the programs of the examples -----------------------------------------------------------------------------------


class LoopBody(ast.NodeTransformer):
    """Makes a function of the body of each loop that trains, and records the losses that it returns."""

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        if "backward()" not in ast.unparse(node):
            return node
        body = [line for line in node.body if not isinstance(line, ast.If)]  # without the lines that print
        step = ast.parse("@jit\ndef take_step():\n    pass\n    return loss").body[0]
        assert isinstance(step, ast.FunctionDef)
        step.body[:1] = body
        return [
            step,
            *ast.parse(f"for {ast.unparse(node.target)} in range(STEPS):\n    losses.append(take_step().data)").body,
        ]


def losses_of(example: str, compiler, steps: int) -> list[float]:
    """Run an example whose loop takes `steps` steps, each a call of a function; return the losses."""
    path = EXAMPLES / f"{example}.py"
    tree = ast.fix_missing_locations(LoopBody().visit(ast.parse(path.read_text(encoding="utf-8"))))
    names = {"__name__": example, "jit": compiler, "losses": [], "STEPS": steps}
    exec(compile(tree, str(path), "exec"), names)
    return names["losses"]


@pytest.mark.parametrize("example", ["four_points", "xor"])
def test_the_step_of_an_example_has_the_same_losses_compiled(example, capsys):
    steps = 3 * FEW
    expected, printed = losses_of(example, eagerly, steps), capsys.readouterr().out
    require_close(losses_of(example, jit, steps), expected)
    assert len(expected) >= steps
    assert capsys.readouterr().out == printed


def test_fit_on_a_scalar_network_has_the_same_losses_compiled():
    X, y = data.moons(40, noise=0.1, seed=1)

    def losses(compiled):
        model = nn.MLP(2, [8, 1], "relu", output_activation="linear", seed=1)
        options = {"loss": "hinge", "l2": 1e-4, "optimizer": "sgd", "schedule": lambda done: 1 - 0.9 * done}
        return fit(model, (X, 2 * y - 1), lr=1.0, epochs=FEW, jit=compiled, **options)["loss"]

    require_close(losses(True), losses(False))


def test_a_classifier_of_a_spiral_has_the_same_losses_compiled():
    X, y = data.spirals(30, arms=3, noise=0.1, seed=1)
    points, arms = X.tolist(), y.tolist()

    def losses(compiler):
        model = nn.MLP(2, [6, 3], output_activation="linear", seed=1)
        optimizer = optim.Adam(model.parameters(), lr=0.02)

        @compiler
        def step():
            surprises = []
            for point, arm in zip(points, arms):
                scores = model(point)
                surprises.append(sum(score.exp() for score in scores).log() - scores[arm])
            loss = sum(surprises) / len(surprises)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        return [step().data for _ in range(FEW)]

    require_close(losses(jit), losses(eagerly))


def test_the_scalar_gpt_has_the_same_losses_compiled_on_names_of_several_lengths():
    source = (EXAMPLES / "scalar_gpt.py").read_text(encoding="utf-8")
    narrow = source.replace("WIDTH, HEADS, CONTEXT = 16, 4, 16", "WIDTH, HEADS, CONTEXT = 4, 2, 8")
    assert narrow != source
    gpt = {"__name__": "narrow_gpt"}
    exec(compile(narrow, "scalar_gpt.py", "exec"), gpt)

    def trained(compiler):
        model = gpt["GPT"](gpt["converted"](gpt["initial_weights"](random.Random(3)), Value), gpt["ON_VALUES"])
        step = compiler(gpt["training_step"](model))
        names = ("ada", "eve", "bo", "mia", "al", "ava")[: None if adjoint.accelerated else 3]
        losses = [step(gpt["encoded"](name), 0.01) for name in names]
        return losses, [parameter.data for parameter in model.parameters()]

    (expected, weights), (found, ours) = trained(eagerly), trained(jit)
    require_close(found, expected)
    require_close(ours, weights, condition=100)  # Adam divides small gradients by their size


# --- state ----------------------------------------------------------------------------------------------------------


class Line:
    """A line through points, with a step of gradient descent, a rate, and a count of steps."""

    def __init__(self, compiler):
        self.w, self.c, self.rate, self.steps = Value(0.5), Value(-0.25), 0.1, 0
        self.broken = False
        self.step = compiler(self.take_step)

    def take_step(self, xs, ys):
        loss = sum((self.w * x + self.c - y) ** 2 for x, y in zip(xs, ys)) / len(xs)
        self.w.zero_grad()
        self.c.zero_grad()
        loss.backward()
        self.w.data -= self.rate * self.w.grad
        self.steps += 1
        if self.broken:
            raise RuntimeError("in the middle")
        self.c.data -= self.rate * self.c.grad
        return loss

    def state(self):
        return self.w.data, self.w.grad, self.c.data, self.c.grad, self.rate, self.steps


SHORT, LONG = ([0.5, -1.0, 2.0], [1.0, 0.0, -1.0]), ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.5, 0.25])


def nothing(line):
    pass


def change_an_argument(line):
    line.step([0.25, 1.5, -2.0], SHORT[1])


def use_a_new_structure(line):
    line.step(*LONG)


def change_a_number(line):
    line.rate = 0.02


def assign_data(line):
    line.w.data = 1.5


def assign_a_gradient(line):
    line.c.grad = 7.0


def replace_a_parameter(line):
    line.w = Value(-0.75)


def swap_parameters(line):
    line.w, line.c = line.c, line.w


def share_a_parameter(line):
    line.w = line.c


CHANGES = [nothing, change_an_argument, use_a_new_structure, change_a_number, assign_data, assign_a_gradient,
           replace_a_parameter, swap_parameters, share_a_parameter]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_between_calls_has_its_effect(change):
    found = []
    for compiler in (jit, eagerly):
        line = Line(compiler)
        states = []
        for i in range(6):
            if i in (2, 4):
                change(line)
            states += [line.step(*SHORT).data, *line.state()]
        found.append(states)
    require_close(found[0], found[1])


@pytest.mark.parametrize("calls_before", [0, 1, 2])
def test_an_error_in_the_middle_of_a_trace_changes_nothing(calls_before):
    line, expected = Line(jit), Line(eagerly)
    for _ in range(calls_before):
        line.step(*SHORT)
        expected.step(*SHORT)
    before = line.state()
    line.broken = True
    with pytest.raises(RuntimeError, match="in the middle"):
        line.step(*LONG)
    assert line.state() == before
    line.broken = False
    require_close(line.step(*SHORT).data, expected.step(*SHORT).data)
    require_close(line.state(), expected.state())


def test_an_interrupted_trace_changes_nothing():
    line = Line(jit)
    before = line.state()

    def interrupt(gradient):
        raise KeyboardInterrupt

    remove = line.w.register_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        line.step(*SHORT)
    assert line.state() == before
    remove()
    line.step(*SHORT)
    assert line.steps == 1


def test_a_number_of_a_closure_that_changes_is_read_at_each_call():
    rate = 0.5
    w = Value(2.0)

    @jit
    def scaled(x):
        return w * x * rate

    assert scaled(3.0).data == 3.0
    rate = 0.25
    assert scaled(3.0).data == 1.5
    rate = -1.0
    assert scaled(3.0).data == -6.0


def test_equal_and_different_arguments_are_different_programs():
    x, y = Value(5.0), Value(3.0)
    difference = jit(lambda a, b: a[0] - b[0])
    same = [x]
    assert difference(same, same).data == 0.0
    assert difference([x], [y]).data == 2.0
    assert difference([y], [x]).data == -2.0
    assert difference([x], [x]).data == 0.0


def test_numbers_of_lists_dicts_and_objects_change_as_they_do_eagerly():
    def run(compiler):
        state = SimpleNamespace(mean=0.0, seen={"count": 0}, last=[0.0, 0.0])
        w = Value(0.5)

        @compiler
        def step(x):
            y = (w * x).tanh()
            state.mean = 0.9 * state.mean + 0.1 * y.data
            state.seen["count"] += 1
            state.last[0], state.last[1] = state.last[1], x
            return y.data + state.seen["count"]

        return [(step(x), state.mean, dict(state.seen), list(state.last)) for x in (1.0, 2.0, -0.5, 2.0)]

    assert run(jit) == run(eagerly)


def test_another_thread_computes_with_the_numbers_while_a_step_is_traced():
    w = Value(3.0)
    seen = []

    @jit
    def step(x):
        other = threading.Thread(target=lambda: seen.append((w * 2).data))
        w.data = w.data + x
        other.start()
        other.join()
        return w * x

    assert step(1.0).data == 4.0
    assert step(1.0).data == 5.0
    assert seen[0] == 6.0


# --- what cannot be compiled ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "need",
    [
        lambda y: y if y > 0 else -y,
        lambda y: float(y),
        lambda y: math.sqrt(y.data),
        lambda y: [1.0, 2.0][y.data > 0],
        lambda y: max(y, 0.0 * y),
        lambda y: f"{y.data:.3f}",
        lambda y: round(y.data),
        lambda y: range(int(y.data)),
    ],
)
def test_a_number_that_is_not_known_yet_cannot_decide(need):
    w = Value(2.0)
    step = jit(lambda x: need(w * x))
    with pytest.raises(TraceError, match=r"need\(|y"):
        step(1.0)
    assert (w.data, w.grad) == (2.0, 0.0)


def test_the_error_names_the_line_and_the_way_out():
    w = Value(2.0)

    def step(x):
        loss = w * x
        if loss > 1:
            loss = loss * 2
        return loss

    with pytest.raises(TraceError) as caught:
        jit(step)(1.0)
    message = str(caught.value)
    assert "if loss > 1" in message
    assert "test_compiled_numbers.py" in message
    assert "adjoint.where" in message


def test_a_value_that_is_kept_outside_raises_an_error_that_says_so():
    w, kept = Value(2.0), SimpleQueue()  # jit does not look into a queue

    @jit
    def step(x):
        y = w * x
        kept.put(y)
        return y + 1

    assert step(3.0).data == 7.0
    with pytest.raises(TraceError, match="kept outside"):
        kept.get().backward()


# --- bad programs -----------------------------------------------------------------------------------------------------


def test_a_program_of_a_million_operations_runs():
    count = 500_000 if adjoint.accelerated else 5_000
    w = Value(0.5)

    def step(x):
        y = w
        for _ in range(count):
            y = y * x + 1e-6
        y.backward()
        return y

    compiled = jit(step)
    for x in (0.999999, 1.000001):
        w.grad = 0.0
        result, slope = compiled(x).data, w.grad
        w.grad = 0.0
        require_close((result, slope), (step(x).data, w.grad))


def test_programs_without_operations_run():
    w = Value(2.0)
    assert jit(lambda: None)() is None
    assert jit(lambda: 1.5)() == 1.5
    assert jit(lambda x: x)(3.0) == 3.0
    assert jit(lambda: w)() is w
    assert jit(lambda x: "text")(1.0) == "text"
    same = jit(lambda: (w, [w, w.data]))
    assert same()[0] is w
    w.data = 4.0
    assert same()[1][1] == 4.0


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e308, 5e-324])
def test_special_numbers_pass_through_a_program(x):
    def run(compiler):
        w = Value(2.0)

        @compiler
        def step(x):
            y = (w * x).exp() / (w - x) + (x * w).relu() + adjoint.maximum(w, x)
            y.backward()
            return y

        return [step(z).data for z in (1.0, x, 1.0)] + [w.grad]

    assert repr(run(jit)) == repr(run(eagerly))


def test_ints_stay_ints():
    step = jit(lambda k, x: (k + 1, k * 2, k // 2, k % 3, -k, k**2, k / 2, k * x, k > 2))
    for k in (7, -3, 0):
        expected = (k + 1, k * 2, k // 2, k % 3, -k, k**2, k / 2, k * 0.5, k > 2)
        found = step(k, 0.5)
        assert found == expected
        assert [type(x) for x in found] == [type(x) for x in expected]


def test_an_endless_loop_in_a_trace_ends_with_an_error(monkeypatch):
    def short_tape():
        tape = Tape()
        tape.limit = 10_000
        return tape

    monkeypatch.setattr(recorder, "Tape", short_tape)
    w = Value(0.5)

    @jit
    def step(x):
        y = w
        while True:
            y = y * x
            w.data = y.data

    with pytest.raises(TraceError, match="operations"):
        step(1.0)
    assert w.data == 0.5
    assert jit(lambda x: w * x)(3.0).data == 1.5

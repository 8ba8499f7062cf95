"""What `why` says, whom it asks, and how it is shown."""

import sys
from pathlib import Path

import numpy as np
import pytest

import adjoint
from adjoint import Value, detect_anomaly, jit, nn, no_grad, optim, why
from adjoint.errors import ArgumentError, GraphError
from adjoint.see.drawing.notebook import bundle


def line_of(text: str) -> str:
    """Return the place of the only line of this file that has a text, as `why` names it from another folder."""
    lines = Path(__file__).read_text().splitlines()
    (found,) = [i for i, line in enumerate(lines, 1) if line.rstrip().endswith(text)]
    return f"{__file__}:{found}"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_the_text_has_the_sentence_and_the_factors_on_the_way():
    w, x = Value(-2.0), Value(3.0)

    def step():
        h = w * x
        loss = h.relu() * 5  # the closed relu
        loss.backward()

    assert (
        str(why(w, step))
        == f"""\
∂loss/∂w is 0: relu at {(place := line_of("# the closed relu"))} is closed: its input is −6, so its derivative is 0.

the way of the gradient  {"line":{len(place)}}  factor  gradient after it
{"─" * (25 + len(place) + 2 + 6 + 2 + 17 + 3)}
loss = v1 * 5            {place}  5       5
v1 = relu(h)             {place}  0       0                  ←
h = w * x                {line_of("h = w * x")}  3       0"""
    )


def test_a_result_is_found_among_the_variables():
    w = Value(-2.0)
    loss = (w * 3).relu() * 5
    loss.backward()
    assert why(w).sentence == "∂loss/∂w is 0: relu is closed: its input is −6, so its derivative is 0."
    assert "give the function of a step" in why(w).notes[-1]


def test_of_several_results_the_last_one_is_meant_or_that_of_backward():
    w = Value(2.0)
    h = w * 3
    loss, accuracy = h * 2, h * 0.5
    with pytest.raises(ArgumentError, match="several results depend on this Value: accuracy, loss"):
        why(w)
    loss.backward()
    assert why(w).sentence.startswith("∂loss/∂w is 6")
    assert why(h, accuracy).gradient == 0.5


def test_without_any_result_it_says_what_to_give():
    w = Value(2.0)
    with pytest.raises(ArgumentError, match=r"no result is among the variables here; give one, as in why\(w, loss\)"):
        why(w)
    loss = Value(1.0, label="u") * 2
    assert why(w).sentence == "w has no gradient: none of the results among the variables here (loss) depends on it."
    assert why(w, loss).cause == "never used"


def test_what_has_no_gradient_and_what_is_no_result_are_errors():
    w = Value(2.0)
    with pytest.raises(ArgumentError, match=r"why needs a Value, such as model\.weight, not float 2\.0"):
        why(2.0)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match="needs a Value or a function that computes one, not int 3"):
        why(w, 3)


def test_a_graph_that_was_freed_is_named():
    w = Value(2.0)
    loss = w * 3
    loss.backward(retain_graph=False)
    assert why(w, loss).cause == "freed"


def test_the_gradients_of_the_graph_stay_as_they_are():
    w, W = Value(2.0), Value([1.0, 2.0])
    loss = ((w * W).tanh() * 2).sum()
    loss.backward()
    before = w.grad, W.grad.copy()
    assert why(w, loss).kind == why(W, loss).kind == "ordinary"
    assert w.grad == before[0]
    assert (before[1] == W.grad).all()


def test_a_compiled_step_runs_eagerly():
    w = Value(np.array([-1.0, -2.0]))

    @jit
    def step(x):
        loss = (w * x).relu().sum()  # inside jit
        loss.backward()
        return loss

    answer = why(w, step, np.array([1.0, 3.0]))
    assert (answer.cause, answer.line) == ("closed", line_of("# inside jit"))
    assert answer.sentence.endswith("is closed for all 2 elements: its largest input is −1.")


def test_a_compiled_step_of_numbers_runs_eagerly():
    w = Value(-1.0)

    @jit
    def step(x):
        loss = (w * x).relu()  # of numbers inside jit
        loss.backward()
        return loss

    step(2.0)
    assert why(w, step, 2.0).line == line_of("# of numbers inside jit")


def test_a_parameter_is_named_by_its_path():
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.ReLU(), nn.Linear(8, 1, seed=1))
    model[0].bias.data = np.full(8, -100.0)
    loss = (model(np.ones((16, 4))) ** 2).mean()
    answer = why(model[0].weight, loss)
    assert answer.sentence.startswith("∂loss/∂model.0.weight is 0: relu is closed for all 128 elements")


@pytest.mark.parametrize("place", ["holder.w", "weights[1]", "table['w']"])
def test_a_value_is_named_by_its_place_in_an_object(place):
    class Holder:
        def __init__(self):
            self.w = Value(-1.0)

    holder = Holder()
    weights, table = [Value(1.0), Value(-1.0)], {"w": Value(-1.0)}
    w = {"holder.w": lambda: holder.w, "weights[1]": lambda: weights[1], "table['w']": lambda: table["w"]}[place]
    loss = w().relu() * 2
    assert why(w(), loss).sentence.startswith(f"∂loss/∂{place} is 0")


def test_units_that_are_closed_for_all_samples_are_counted():
    W = Value(np.array([[1.0, -1.0, 1.0]]))
    loss = (np.ones((4, 1)) @ W).relu().sum()
    loss.backward()
    assert why(W).notes == [
        "1 of the 3 elements of the gradient are 0.",
        "relu is closed for all samples in 1 of 3 units.",
    ]


def test_many_uses_of_one_line_are_counted():
    w = Value(-1.0)
    loss = sum((w * x).relu() for x in (1.0, 2.0, 3.0))
    assert "(and at 2 more such nodes)" in why(w, loss).sentence


def test_zeros_on_several_ways_are_all_named():
    w = Value(-1.0)
    loss = w.relu() + w * 0.0
    answer = why(w, loss)
    assert "is closed" in answer.sentence + answer.notes[0]
    assert "the other factor of * is 0" in answer.sentence + answer.notes[0]
    assert "Also: " in answer.notes[0]


def test_the_first_operation_of_a_loss_that_is_nan_is_named_beside_a_finite_gradient():
    w = Value(-5.0)
    loss = w.log() * 2
    loss.backward()
    assert why(w).kind == "ordinary"
    assert why(w).notes == ["loss itself is NaN: log(−5) is undefined."]


def test_the_operand_of_a_logarithm_is_traced_one_step_further():
    scores = Value([-1e4, 0.0], label="scores")
    loss = scores.softmax(axis=0).log().sum()
    assert "log(0), for 1 of 2 elements, is at a pole" in why(scores, loss).sentence
    assert "its operand is the result of softmax of −10000 … 0" in why(scores, loss).sentence


@pytest.mark.parametrize("array", [False, True])
def test_a_hook_that_returns_zero_is_named(array):
    w = Value([2.0, 1.0]) if array else Value(2.0)
    h = w * 3
    h.register_hook(lambda gradient: gradient * 0)
    answer = why(w, (h * 2).sum() if array else h * 2)
    assert (answer.kind, answer.cause, answer.node) == ("zero", "hook", h)


def test_a_backward_by_hand_that_adds_nothing_is_named():
    w = Value(2.0)
    out = Value(4.0, (w,), "double")
    out._backward = lambda: None
    loss = out * 3
    assert (why(w, loss).cause, why(w, loss).node) == ("by hand", out)


def test_gradients_that_were_not_reset_are_noted():
    w = Value(0.5)
    optimizer = optim.SGD([w], lr=0.1)

    def step():
        loss = w * w
        loss.backward()

    step()
    assert "unless zero_grad() comes first" in why(w, step).notes[-1]
    optimizer.zero_grad()
    assert not why(w, step).notes


def test_the_worst_of_several_passes_is_reported():
    w = Value(0.0)

    def step():
        (w * 2).backward()
        w.log().backward()  # the worse one

    answer = why(w, step)
    assert (answer.cause, answer.line) == ("pole", line_of("# the worse one"))


def test_data_that_was_assigned_since_is_an_error_with_advice():
    w = Value([1.0, 2.0])
    loss = (w * w).sum()
    w.data = np.array([3.0, 4.0])
    with pytest.raises(GraphError, match=r"Or give the function of the step, as in why\(w, step\)"):
        why(w, loss)


def test_what_the_function_raises_comes_out_and_the_modes_and_tracing_end():
    before = sys.gettrace()

    def step():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        why(Value(1.0), step)
    assert sys.gettrace() is before
    assert (Value(0.0) * 2)._made_at is None


def test_a_step_under_anomaly_detection_is_explained_not_interrupted():
    w = Value(0.0)

    def step():
        with detect_anomaly():
            return w.log()

    assert why(w, step).cause == "pole"


def test_a_result_without_history_names_the_line():
    w = Value([1.0, 2.0])

    def step():
        with no_grad():
            return (w * 2).sum()  # not recorded

    assert (why(w, step).cause, why(w, step).line) == ("no_grad", line_of("# not recorded"))


def test_notebooks_and_consoles_show_it():
    w = Value(-2.0, label="w")
    answer = why(w, w.relu() * 2)
    shown = bundle(answer)
    assert shown["text/plain"] == str(answer)
    assert "relu is closed" in shown["text/html"]
    assert "∂L/∂w is 0" in repr(answer)
    assert answer.__rich__()


def test_the_root_of_a_sum_that_is_zero_is_named():
    z = Value(np.zeros(3))
    answer = why(z, (z * z).sum().sqrt())
    assert (answer.kind, answer.cause, answer.op) == ("not finite", "pole", "sqrt")
    assert "sqrt(0) is at a pole" in answer.sentence


def test_contributions_that_cancel_are_counted():
    w = Value(3.0, label="w")
    assert why(w, w - w).sentence == "∂L/∂w is 0: the 2 contributions to w cancel."


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_arrays_of_other_libraries_are_explained(library):
    given = __import__(library).numpy.array([-1.0, -2.0]) if library == "jax" else __import__("torch").tensor([-1.0])
    w = Value(given)
    loss = (w * 3).relu().sum()
    assert why(w, loss).cause == "closed"


def test_numbers_and_arrays_in_one_graph_are_explained():
    w = Value(2.0)
    loss = (Value(-np.ones(3)) * w).relu().sum()
    assert why(w, loss).sentence == ("∂loss/∂w is 0: relu is closed for all 3 elements: its largest input is −2.")


def test_long_ways_are_shortened_around_the_cause():
    w = Value(1.0)
    loss = w
    for i in range(100):
        loss = loss.relu() if i == 50 else loss * (-1.0 if i == 30 else 1.0)
    text = str(why(w, loss))
    assert "relu" in text
    assert "(88 more steps)" in text


def test_a_chain_of_a_hundred_thousand_nodes_is_no_problem():
    w = Value(1.0)
    loss = w
    for _ in range(100_000):
        loss = loss * 1.0
    assert why(w, loss).cause == "backward not called"


def test_numbers_need_no_numpy():
    assert adjoint.why.__module__ == "adjoint.see.reasons.asking"

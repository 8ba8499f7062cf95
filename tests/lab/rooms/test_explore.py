"""The room Explore: its numbers are those of PyTorch, and mistakes are errors."""

import contextlib
import io
import json

import pytest
from expressions import in_torch, random_expression

from adjoint.errors import AdjointError
from adjoint.lab.programs import write_programs
from adjoint.lab.rooms.explore import PRESETS, Explore
from adjoint.see.expression import Expression

room = Explore(lambda event, key: None)
CASES = [(preset["expression"], preset["numbers"]) for preset in PRESETS]
CASES += [random_expression(seed) for seed in range(50)]


def explore(expression, numbers, **fields):
    answer = room.handle("set", {"expression": expression, "numbers": numbers, **fields})
    json.dumps(answer, allow_nan=False)
    return answer


@pytest.mark.parametrize(("expression", "numbers"), CASES)
def test_values_and_gradients_agree_with_pytorch(expression, numbers):
    scene = explore(expression, numbers)["scene"]
    value, gradients = in_torch(expression, numbers)
    nodes = {node["name"]: node for node in scene["nodes"]}
    assert scene["nodes"][scene["root"]]["data"] == pytest.approx(value, rel=1e-12, abs=1e-14)
    assert {name: nodes[name]["grad"] for name in numbers} == pytest.approx(gradients, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(("expression", "numbers"), CASES[:30])
def test_the_numbers_for_a_moving_slider_agree_with_the_whole_scene(expression, numbers):
    scene = explore(expression, numbers)["scene"]
    last = len(scene["steps"])
    for at in (None, 0, 1, last // 2, last):
        place = {} if at is None else {"at": at}
        moved = room.handle("move", {"expression": expression, "numbers": numbers, **place})
        assert moved["nodes"] == [[node["data"], node["grad"]] for node in scene["nodes"]]
        backward = [step for step in scene["steps"] if step["phase"] == "backward"]
        names = ("local", "incoming", "contribution", "before", "after")
        assert moved["steps"] == [[step[name] for name in names] for step in backward]
        step = scene["steps"][(last if at is None else at) - 1] if at != 0 else {}
        assert moved["explanation"] == {name: step[name] for name in ("text", "math") if name in step}


def test_the_sigmoid_neuron_has_eight_forward_steps_and_its_known_numbers():
    preset = next(preset for preset in PRESETS if preset["title"] == "sigmoid neuron with loss")
    scene = explore(preset["expression"], preset["numbers"])["scene"]
    forward = [step for step in scene["steps"] if step["phase"] == "forward"]
    assert len(forward) == 8
    assert forward[4]["text"].endswith("= 0.401312")
    assert forward[7]["text"].endswith("= 0.179213")


def test_every_step_has_a_sentence_and_an_equation():
    known = {"mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msub", "msqrt", "mtable", "mtr", "mtd"}

    def elements(tree):
        yield tree[0]
        for part in tree[1:]:
            if isinstance(part, list):
                yield from elements(part)

    for expression, numbers in [*CASES, ("abs(a) + sqrt(b) + a**b + relu(a) + atan2(a, b)", {"a": 2.0, "b": 3.0})]:
        for step in explore(expression, numbers)["scene"]["steps"]:
            assert step["text"]
            assert {*elements(step["math"])} <= known


def test_names_without_a_number_get_an_initial_one():
    assert explore("a*b", {})["numbers"] == {"a": 2.0, "b": -3.0}
    assert explore("a*b", {"b": 5.0})["numbers"] == {"a": 2.0, "b": 5.0}


def test_infinity_and_nan_are_strings_in_json():
    scene = explore("1/a", {"a": 0.0})["scene"]
    assert scene["nodes"][scene["root"]]["data"] == "Infinity"
    assert explore("log(a)", {"a": -1.0})["scene"]["nodes"][1]["data"] == "NaN"


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"expression": "tanh(a"}, "never closed"),
        ({"expression": "a + import"}, "syntax error"),
        ({"expression": "__import__('os')"}, "unknown function __import__"),
        ({"expression": "a.real"}, "only names, numbers"),
        ({"expression": "a" * 3000}, "at most 2000 characters"),
        ({"expression": 3}, "expression must be"),
        ({}, "expression is missing"),
        ({"expression": "a", "numbers": {"a": "2"}}, "a must be a number"),
        ({"expression": "a", "numbers": {"a": 1e9}}, "from -1e[+]06 to 1e[+]06"),
        ({"expression": "a", "numbers": [2]}, "numbers must be an object"),
    ],
)
def test_an_invalid_message_is_an_error(message, error):
    with pytest.raises(AdjointError, match=error):
        room.handle("set", message)


def test_an_unknown_action_is_an_error():
    with pytest.raises(AdjointError, match="did you mean 'nudge'"):
        room.handle("nudg", {})


def test_a_nudge_compares_the_predicted_with_the_actual_change():
    found = room.handle("nudge", {"expression": "a**2", "numbers": {"a": 3.0}, "name": "a", "h": 0.5})
    assert found == {"before": 9.0, "after": 12.25, "gradient": 6.0, "predicted": 3.0, "real": 3.25}


def output_of(program):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    return printed.getvalue()


@pytest.mark.parametrize(("expression", "numbers"), [CASES[0], CASES[1], *CASES[10:14]])
def test_the_programs_run_and_print_what_the_page_shows(expression, numbers):
    value, gradients = in_torch(expression, numbers)
    for text in write_programs(Expression(expression), numbers).values():
        lines = output_of(text).splitlines()
        assert float(lines[0]) == pytest.approx(value, rel=1e-12, abs=1e-14)
        shown = dict(line.removeprefix("d out / d ").split(" = ", 1) for line in lines[1 : 1 + len(numbers)])
        assert {name: float(x) for name, x in shown.items()} == pytest.approx(gradients, rel=1e-10, abs=1e-13)


def test_programs_avoid_name_clashes_and_errors_of_python():
    numbers = {"a": 2.0, "out": -1.0, "torch": 0.5, "print": 1.0}
    text = "maximum(a, 2*pi) + elu(out, 0.5) + leaky_relu(torch, a) + 1/0*print"
    for program in write_programs(Expression(text), numbers).values():
        printed = output_of(program)
        assert printed.startswith("inf\n")
        assert "d out1 / d out = " in printed


def test_a_program_needs_a_variable():
    with pytest.raises(AdjointError, match="no variable to differentiate"):
        room.handle("program", {"expression": "1 + 2"})


def test_an_exported_page_contains_its_recording_and_makes_no_requests():
    html = room.handle("export", {"expression": "a*b", "numbers": {"a": 2, "b": 3}, "at": 1})["html"]
    assert html.count("<script") == 2
    assert "http://" not in html.replace("http://www.w3.org", "")
    recording = html.split('id="adjoint-recording">')[1].split("</script>")[0]
    assert json.loads(recording)["at"] == 1
    assert "default-src 'none'" in html
    with pytest.raises(AdjointError, match="at must be a whole number from 0 to 4"):
        room.handle("export", {"expression": "a*b", "at": 9})

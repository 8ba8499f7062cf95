"""The room Explore: its numbers are those of PyTorch, and mistakes are errors."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
from closeness import require_close
from expressions import in_torch, random_expression

from adjoint import guards
from adjoint.errors import AdjointError
from adjoint.see.expression import MOST_CHARACTERS, Expression
from adjoint_lab.programs import write_programs
from adjoint_lab.rooms.explore import PRESETS, Explore

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
    require_close(scene["nodes"][scene["root"]]["data"], value, scale=1.0)
    require_close([nodes[name]["grad"] for name in numbers], [gradients[name] for name in numbers], scale=1.0)


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
    with contextlib.redirect_stdout(printed), guards(missing_history=False):  # the result may be an input
        exec(program, {})
    return printed.getvalue()


@pytest.mark.parametrize(("expression", "numbers"), [*CASES[:4], *CASES[12:16]])
def test_the_programs_run_and_print_what_the_page_shows(expression, numbers):
    value, gradients = in_torch(expression, numbers)
    for text in write_programs(Expression(expression), numbers).values():
        lines = output_of(text).splitlines()
        require_close(float(lines[0]), value, scale=1.0)
        shown = dict(line.split(" / d ")[1].split(" = ", 1) for line in lines[1 : 1 + len(numbers)])
        require_close([float(shown[name]) for name in numbers], [gradients[name] for name in numbers], scale=1.0)


def test_programs_avoid_name_clashes_and_errors_of_python():
    numbers = {"a": 2.0, "out": -1.0, "torch": 0.5, "print": 1.0}
    text = "maximum(a, 2*pi) + elu(out, 0.5) + leaky_relu(torch, a) + 1/0*print"
    for program in write_programs(Expression(text), numbers).values():
        printed = output_of(program)
        assert printed.startswith("inf\n")
        assert "d out1 / d out = " in printed


def test_programs_keep_the_names_of_statements_and_print_their_gradients():
    text = "a = 2; b = -3; c = 10; f = -2; d = a*b; e = d + c; k = e; unused = maximum(a, 7)*g; L = k*f"
    expression = Expression(text)
    programs = write_programs(expression, expression.given | {"g": 1.0})
    assert '\nd = a * b\nd.label = "d"\ne = d + c\ne.label = "e"\nk = e\n' in programs["adjoint"]
    assert "\nd = a * b\nd.retain_grad()\ne = d + c\ne.retain_grad()\nk = e\n" in programs["torch"]
    gradients = {"a": 6.0, "b": -4.0, "c": -2.0, "f": 4.0, "d": -2.0, "e": -2.0}
    for program in programs.values():
        result, *lines = output_of(program).splitlines()[:7]
        assert float(result) == -8.0
        assert {line.split(" = ")[0]: float(line.split(" = ")[1]) for line in lines} == {
            f"d L / d {name}": x for name, x in gradients.items()
        }


@pytest.mark.parametrize("text", ["a = 2", "L = a", "k = +a; L = k", "print = a*a; print_ = print*a; out = print_"])
def test_the_result_of_a_program_may_be_an_input_or_any_name(text):
    value, gradients = in_torch("a", {"a": 2.0}) if "*" not in text else in_torch("a*a*a", {"a": 2.0})
    for program in write_programs(Expression(text), {"a": 2.0}).values():
        lines = output_of(program).splitlines()
        assert float(lines[0]) == value
        assert float(lines[1].split(" = ")[1]) == gradients["a"]


@pytest.mark.parametrize("text", ["1 + 2", "a = 2; 3"])
def test_a_program_needs_a_variable(text):
    with pytest.raises(AdjointError, match="no variable to differentiate"):
        room.handle("program", {"expression": text})


# --- statements ------------------------------------------------------------------------------------------------


def test_numbers_in_the_text_are_those_of_the_inputs():
    answer = explore("a = 4; y = 2*pi; L = a*x - y", {"a": 1.0, "x": 5.0})
    assert answer["numbers"] == {"a": 4.0, "y": 6.283185307179586, "x": 5.0}
    scene = answer["scene"]
    assert scene["inputs"] == ["a", "y", "x"]
    assert scene["nodes"][scene["root"]]["name"] == "L"
    with pytest.raises(AdjointError, match="a must be a number from"):
        explore("a = 1e9; a*a", {})


def test_inputs_outside_of_the_graph_have_no_slider_and_a_note():
    answer = explore("d = a*b; e = c + 1; e*2", {})
    assert answer["scene"]["inputs"] == ["c"]
    assert answer["notes"] == "The result does not use d; the graph does not show it."
    assert [node["name"] for node in answer["scene"]["nodes"]] == ["c", "e", "out"]
    with pytest.raises(AdjointError, match="unknown name 'a'"):
        room.handle("nudge", {"expression": "d = a*b; c", "name": "a", "h": 0.5})


@pytest.mark.parametrize("text", ["L = a", "a = 3"])
def test_the_result_may_be_an_input(text):
    answer = explore(text, {"a": 3.0})
    assert answer["scene"]["nodes"][0]["data"] == 3.0
    moved = room.handle("move", {"expression": text, "numbers": {"a": 3.0}, "at": 0})
    assert (moved["nodes"], moved["steps"], moved["explanation"]) == ([[3.0, 1.0]], [], {})
    assert room.handle("nudge", {"expression": text, "numbers": {"a": 3.0}, "name": "a", "h": 0.5})["real"] == 0.5


def test_the_title_of_an_exported_page_has_all_statements():
    html = room.handle("export", {"expression": "d = a*b\nL = d + 1  # <b>", "numbers": {}})["html"]
    assert "<title>d = a*b; L = d + 1</title>" in html


def test_an_exported_page_contains_its_recording_and_makes_no_requests():
    html = room.handle("export", {"expression": "a*b", "numbers": {"a": 2, "b": 3}, "at": 1})["html"]
    assert html.count("<script") == 2
    assert "http://" not in html.replace("http://www.w3.org", "")
    recording = html.split('id="adjoint-recording">')[1].split("</script>")[0]
    assert json.loads(recording)["at"] == 1
    assert "default-src 'none'" in html
    with pytest.raises(AdjointError, match="at must be a whole number from 0 to 4"):
        room.handle("export", {"expression": "a*b", "at": 9})


def test_the_documented_parameters_of_an_address_are_those_that_the_page_reads():
    root = Path(__file__).parents[3]
    code = (root / "web/src/rooms/explore/address.ts").read_text()
    read = {*re.findall(r'params\.get\("(\w+)"\)', code)} | {
        f"{start}NAME" for start in re.findall(r'startsWith\("(\S+)"\)', code)
    }
    read |= {*re.findall(r'^const EMBED = "(\w+)"', (root / "web/src/shared/fragment.ts").read_text(), re.MULTILINE)}
    section = (root / "docs/lab.md").read_text().partition("### Addresses")[2].partition("\n## ")[0]
    assert {*re.findall(r"^\| `(\S+)` \|", section, re.MULTILINE)} == read
    assert f"at most {MOST_CHARACTERS:,} characters" in section

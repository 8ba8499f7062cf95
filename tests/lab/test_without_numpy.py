"""The rooms of the lab where NumPy is not installed, as in a page: the same messages, to the last bit."""

import json

import pytest
from tests.support.without_numpy import output_of

ROOMS = """
import json
from adjoint.errors import AdjointError

TIMES = ("rate", "rates", "compile_seconds", "seconds")


class Page:
    def __init__(self, kind):
        self.events = {}
        self.room = kind(lambda message, key: self.events.update({message.get("event"): message}))

    def send(self, do, **fields):
        try:
            answer = self.room.handle(do, fields)
        except AdjointError as error:
            answer = {"error": str(error)}
        show(type(self.room).__name__, do, fields, answer)
        return answer

    def show_event(self, name):
        show(type(self.room).__name__, self.events[name])


def show(*given):
    print(json.dumps(without_times(given)))


def without_times(x):
    if isinstance(x, dict):
        return {key: without_times(part) for key, part in x.items() if key not in TIMES}
    return [without_times(part) for part in x] if isinstance(x, (list, tuple)) else x


CSV = "income,age,class\\n" + "\\n".join(f"{1000 * i},{40 + 7 * (i % 3)},{i % 2}" for i in range(12))
"""

TRAIN = """
from adjoint_lab.rooms.train import Train

page = Page(Train)
for engine in ("scalar", "compiled"):
    page.send("set", configuration={"dataset": "xor", "engine": engine})
    for _ in range(200):
        page.room.handle("step", {})
        if page.events["snapshot"]["accuracy"]["train"] == 1:
            break
    assert page.events["snapshot"]["accuracy"]["train"] == 1
    page.show_event("snapshot")
    page.show_event("curves")
    for configuration in RUNS:
        page.send("set", configuration={**configuration, "engine": engine})
        page.send("step")
        page.send("step")
        page.show_event("snapshot")
    page.send("csv", text=CSV, name="people.csv", configuration={"engine": engine, "hidden": [3]})
    page.send("step")
    page.send("set", configuration={"dataset": "points", "engine": engine, "hidden": [4], "batch_size": None})
    for x, label in ((0.5, 1), (-0.5, 0), (0.25, 1)):
        page.send("add", x1=x, x2=-x, **{"class": label})
    page.send("undo")
    page.send("step")
    page.send("tune", lr=0.3, engine="scalar")
    page.send("step")
    page.send("sample", index=1)
    page.show_event("snapshot")
page.send("csv", text="a,b\\n1,x", name="wrong.csv", configuration={})
page.room.close()
"""
FEW_RUNS = """
RUNS = [{"dataset": "moons", "hidden": [4]}, {"dataset": "spirals", "classes": 3, "hidden": [6], "samples": 30}]
"""
ALL_RUNS = """
RUNS = [
    {"dataset": "moons"},
    {"dataset": "spirals", "classes": 3, "samples": 30},
    {"dataset": "and", "activation": "gelu"},
    {"dataset": "or", "activation": "softplus", "output": "tanh", "loss": "mse"},
    {"dataset": "blobs", "hidden": [3], "optimizer": "rmsprop", "l2": 0.01, "samples": 20},
    {"dataset": "circles", "hidden": [4], "loss": "mse", "optimizer": "sgd", "lr": 1e6},
    {"dataset": "four_points"},
]
"""

MISTAKES = """
from adjoint_lab.faults import FAULTS
from adjoint_lab.rooms.mistakes import Mistakes

page = Page(Mistakes)
page.send("list")
for name in list(FAULTS)[::EVERY]:
    page.send("choose", mistake=name, seed=2, on=True, playing=False)
    for _ in range(3):
        page.send("step")
    page.show_event("snapshot")
page.room.close()
"""

READING = """
from adjoint_lab.rooms.explore import Explore
from adjoint_lab.rooms.learn import Learn
from adjoint_lab.rooms.quiz import Quiz
from adjoint_lab.rooms.quiz.catalog import TEMPLATES

page = Page(Explore)
page.send("set", expression="loss = (tanh(a*b) + relu(c))**2", inputs={"a": 0.5, "b": -2.0, "c": 1.0})
page = Page(Quiz)
page.send("list")
for template in list(TEMPLATES.values())[::EVERY]:
    question = f"{template.name}.3.{template.hardest}"
    page.send("ask", question=question)
    page.send("reveal", question=question)
page = Page(Learn)
page.send("course")
page.send("lesson", lesson="nudge")
page.send("graph", expression="f = a*b + tanh(c)", numbers={"a": 1.0, "b": 2.0, "c": -1.0})
"""

CHECKS = """
from adjoint_learn.child import result_of
from adjoint_learn.course import load
from adjoint_learn.isolated import request_of
from adjoint_learn.verification import solutions

course = load()
for exercise in course.exercises:
    if exercise.needs or exercise.name not in (NAMES or exercise.name):
        continue
    for source in (exercise.solution, exercise.stub):
        request = request_of(course, exercise, source, modules=solutions(course, exercise))
        result = result_of(request)
        show(exercise.name, result.status, "" if result.passed else result.message)
        assert result.passed == (source == exercise.solution), (exercise.name, result.message)
"""


def messages_of(program: str, *, numpy: bool) -> list:
    return [json.loads(line) for line in output_of(ROOMS + program, numpy=numpy).splitlines()]


def require_same_messages(program: str) -> list:
    found = messages_of(program, numpy=False)
    assert found == messages_of(program, numpy=True)
    return found


def test_the_rooms_send_the_same_messages_without_numpy():
    program = FEW_RUNS + TRAIN + MISTAKES.replace("EVERY", "4") + READING.replace("EVERY", "12")
    found = require_same_messages(program + CHECKS.replace("NAMES", "['slope']"))
    assert {"Train", "Mistakes", "Explore", "Quiz", "Learn", "slope"} <= {message[0] for message in found}
    errors = [message for message in found if "error" in message[-1]]
    assert [message[2].get("name") for message in errors] == ["wrong.csv"]


@pytest.mark.full
@pytest.mark.parametrize(
    "program",
    [ALL_RUNS + TRAIN, MISTAKES.replace("EVERY", "1"), READING.replace("EVERY", "1"), CHECKS.replace("NAMES", "[]")],
    ids=["train", "mistakes", "reading", "checks"],
)
def test_every_setting_mistake_question_and_check_is_the_same_without_numpy(program):
    require_same_messages(program)


MISSING = """
from adjoint_lab.rooms.learn import Learn
from adjoint_lab.rooms.train import Train

page = Page(Train)
choices = page.room.handle("choices", {})
show(choices["engines"], choices["missing_engine"])
page.send("tune", engine="array")
state = page.room.handle("set", {"configuration": {"dataset": "xor", "engine": "array"}})
page.room.handle("step", {})
show(state["engine"], page.events["snapshot"]["warnings"])
page.room.handle("set", {"configuration": {"dataset": "moons"}})
page.send("sample", index=0)
page.room.close()
page = Page(Learn)
exercises = page.room.handle("lesson", {"lesson": "speed"})["lesson"]["exercises"]
show({exercise["name"]: exercise["missing"] for exercise in exercises if exercise["missing"]})
"""


def test_the_rooms_say_what_needs_numpy():
    engines, tune, run, graph, exercises = messages_of(MISSING, numpy=False)
    reason = "The array engine needs NumPy, which is not installed. Use the compiled engine, or"
    assert engines[0] == ["scalar", "compiled"]
    assert engines[1].startswith(reason)
    assert tune[-1]["error"].startswith(reason)
    assert run[0] == "compiled"
    assert run[1][0].startswith(reason)
    assert run[1][0].endswith("This run uses the engine compiled.")
    assert "A graph of its layers needs NumPy" in graph[-1]["error"]
    assert set(exercises[0]) == {"unbroadcast", "matmul"}
    assert exercises[0]["matmul"].startswith("This exercise needs numpy: `")

"""The room Mistakes: each mistake has the described symptom, and the described check detects it."""

import re
import threading

import numpy as np
import pytest
from closeness import require_close
from rooms import Page

from adjoint import Value
from adjoint.errors import LabError
from adjoint_lab.detection import COMPARISON
from adjoint_lab.faults import FAULTS
from adjoint_lab.rooms import mistakes
from adjoint_lab.rooms.mistakes import Mistakes, story
from adjoint_lab.rooms.quiz.catalog import CHOICES, LESSON_TOPICS
from adjoint_lab.trials import Trial
from adjoint_lab.wrong_lines import assigning_backward
from adjoint_learn.course import BUILT_IN


def run(name, steps=40, seed=0):
    """The healthy run, and the run with the mistake."""
    both = Trial(FAULTS[name], seed, False), Trial(FAULTS[name], seed, True)
    for trial in both:
        while trial.steps < steps and not trial.stopped:
            trial.step()
    return both


def loss(trial):
    return trial.evaluate()["loss"]["train"]


def accuracy(trial):
    return trial.evaluate()["accuracy"]["train"]


def detection(trial):
    found = trial.fault.find(trial)
    assert found
    return found


def is_found(trial):
    """Return whether a guard warns of the mistake, or else the gradient check fails."""
    return detection(trial)["is_guard"] or "WRONG" in detection(trial)["text"]


def test_both_runs_start_with_the_same_data_and_if_possible_the_same_weights():
    for name, fault in FAULTS.items():
        healthy, broken = Trial(fault, 3, False), Trial(fault, 3, True)
        assert healthy.inputs == broken.inputs, name
        if fault.begin is None:
            assert all(a.w == b.w for a, b in zip(healthy.weights(), broken.weights())), name


def test_gradients_that_are_not_zeroed_accumulate_and_a_guard_warns():
    healthy, broken = run("unzeroed")
    assert loss(broken) > 2 * loss(healthy)
    assert detection(broken)["is_guard"]
    assert "optimizer.zero_grad()" in detection(broken)["text"]
    assert healthy.warnings == []


def test_the_wrong_backward_keeps_only_the_last_contribution():
    a = Value(3.0)
    b = a * 2
    assigning_backward(b + b)
    assert b.grad == 1.0
    assert a.grad == 2.0  # not 4


def test_assigning_loses_contributions_and_the_gradient_check_finds_it():
    healthy, broken = run("assigned")
    assert loss(broken) > 2 * loss(healthy)
    assert broken.gradients()[0].norm < healthy.gradients()[0].norm / 10
    assert "by central differences" in detection(broken)["text"]
    assert "WRONG" in detection(broken)["text"]


def test_a_second_backward_doubles_the_gradients():
    healthy, broken = run("twice", steps=1)
    for once, twice in zip(healthy.gradients(), broken.gradients()):
        assert (np.array(twice.w) == 2 * np.array(once.w)).all()
        assert (np.array(twice.b) == 2 * np.array(once.b)).all()


def test_steps_that_are_twice_as_long_diverge_where_single_ones_converge():
    healthy, broken = run("twice")
    assert loss(healthy) < 0.4
    assert loss(broken) > 1e6
    for guard in ("not_finite_loss", "diverging_loss"):
        broken.warnings.append(f"The loss is inf. (adjoint.guards({guard}=False) switches this warning off.)")
        assert is_found(broken)
        assert guard not in detection(broken)["by"]  # that is only a symptom


def test_a_kept_graph_repeats_its_first_gradient_forever():
    healthy, broken = run("kept", steps=60)
    first = Trial(FAULTS["kept"], 0, False)
    before = first.weights()
    first.step()
    for start, now, gradient in zip(before, broken.weights(), first.gradients()):
        require_close(now.w, np.array(start.w) - 60 * 0.2 * np.array(gradient.w))
    assert loss(healthy) < 0.5
    assert loss(broken) > 50
    assert is_found(broken)


def test_weights_assigned_before_backward_are_updated_one_step_late():
    _, broken = run("data", steps=1)
    first = Trial(FAULTS["data"], 0, False)
    start = first.weights()
    assert all(a.w == b.w for a, b in zip(start, broken.weights()))  # the first step had no gradient yet
    first.step()
    broken.step()
    for a, b in zip(first.weights(), broken.weights()):
        require_close(a.w, b.w)


def test_late_gradients_diverge_where_those_of_the_same_step_converge():
    healthy, broken = run("data")
    assert loss(healthy) < 0.4
    assert loss(broken) > 1e6
    assert is_found(broken)


@pytest.mark.parametrize("name", ["assigned", "twice", "kept", "data"])
def test_the_gradient_check_fails_with_the_wrong_lines_and_passes_without_them(name):
    trial = Trial(FAULTS[name], 0, True)
    assert "WRONG" in detection(trial)["text"]
    trial.switch(False)
    assert "WRONG" not in detection(trial)["text"]


def test_gradients_explode_with_large_weights():
    for seed in range(3):
        healthy, broken = run("exploding", steps=1, seed=seed)
        for a, b in zip(healthy.gradients(), broken.gradients()):
            assert b.norm > 100 * a.norm
        assert detection(broken)["text"].count("exploding") == 6
        assert "exploding" not in detection(healthy)["text"]
    healthy, broken = run("exploding", steps=60)
    assert broken.stopped
    assert loss(healthy) < 0.5


def test_a_learning_rate_that_is_too_large_diverges_and_a_guard_warns():
    healthy, broken = run("fast", steps=100)
    assert broken.stopped
    assert not healthy.stopped
    assert detection(broken)["is_guard"]
    assert "lr=3" in detection(broken)["text"]


def test_a_learning_rate_that_is_too_small_makes_almost_no_progress():
    healthy, broken = run("slow")
    initial = loss(Trial(FAULTS["slow"], 0, True))
    assert initial - loss(broken) < 0.02 * (initial - loss(healthy))
    assert "one part in" in detection(broken)["text"]


def test_zero_weights_receive_no_gradient():
    _, broken = run("zeros")
    assert [layer.norm for layer in broken.gradients()[:2]] == [0.0, 0.0]
    assert broken.gradients()[2].norm > 0
    assert detection(broken)["text"].count("no gradient") == 2


def test_equal_weights_stay_equal():
    healthy, broken = run("equal", steps=80)
    assert accuracy(healthy) > 0.95
    assert accuracy(broken) < 0.8
    assert loss(broken) > 5 * loss(healthy)
    for layer in broken.weights()[:-1]:
        assert all(w == layer.w[0] for w in layer.w)
    assert "differ by at most 0 in their weights" in detection(broken)["text"]


def test_the_comparison_of_neurons_shows_code_that_runs():
    for trial, is_broken in zip(run("equal"), (False, True)):
        for layer in trial.scalar_network().layers[:-1]:
            assert (float(eval(COMPARISON, {"np": np, "layer": layer})) == 0) is is_broken
    assert detection(trial)["by"] == COMPARISON


def test_dead_relus_stay_dead_and_diagnose_reports_them():
    healthy, broken = run("dead")
    assert loss(broken) > 0.9
    assert loss(healthy) < 0.5
    assert [layer.norm for layer in broken.gradients()[:2]] == [0.0, 0.0]
    assert detection(broken)["text"].count("dead, no gradient\n") == 2


def test_the_gradient_vanishes_through_sigmoids():
    healthy, broken = run("vanishing")
    norms = [layer.norm for layer in broken.gradients()]
    assert norms == sorted(norms)
    assert norms[0] < 1e-3 * healthy.gradients()[0].norm
    assert "vanishing" in detection(broken)["text"]


def test_the_story_of_a_diverged_run_does_not_mention_its_gradients():
    healthy, broken = run("fast", steps=300)
    assert broken.stopped
    text = story(healthy, broken)
    assert "the loss was no longer finite" in text
    assert "gradient" not in text


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "exploding"])  # that run ends sooner
def test_the_story_has_the_numbers_of_both_runs(name):
    healthy, broken = run(name, steps=6)
    text = story(healthy, broken)
    assert text.startswith("After 6 steps the loss is ")
    assert f"{loss(broken):.3g}; in the healthy run it is {loss(healthy):.3g}" in text


def test_the_story_rounds_an_accuracy_as_the_page_does(monkeypatch):
    healthy, broken = run("unzeroed", steps=1)
    metrics = broken.evaluate()
    monkeypatch.setattr(broken, "evaluate", lambda: {**metrics, "accuracy": {"train": 0.625, "test": None}})
    assert "The accuracy is 63%," in story(healthy, broken)


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.is_in_step and name != "fast"])
def test_fixing_a_line_of_the_step_lets_the_run_learn_again(name):
    trial = Trial(FAULTS[name], 0, True)
    for _ in range(3):
        trial.step()
    trial.switch(False)
    for _ in range(100):
        trial.step()
    assert loss(trial) < 0.5


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(mistakes, "PACE", 1e4)
    monkeypatch.setattr(mistakes, "MAX_STEPS", 8)
    with Page(Mistakes) as page:
        yield page


def test_every_mistake_is_listed_with_both_lines(page):
    listed = page.ask("list")["mistakes"]
    assert [entry["name"] for entry in listed] == list(FAULTS)
    assert all(entry["wrong"] != entry["right"] and entry["explanation"] for entry in listed)


@pytest.mark.parametrize("name", FAULTS)
def test_the_room_plays_both_runs_to_the_end(page, name):
    state = page.ask("choose", mistake=name)
    assert state["mistake"] == name
    last = page.wait(run=state["run"], step=8, playing=False)
    assert last["story"]
    assert last["curves"]["healthy"]["steps"] == list(range(9))
    assert last["healthy"]["loss"] != last["broken"]["loss"]
    assert (last["finding"] is None) == (name == "fast")  # this run diverges later


def test_the_switch_takes_effect_during_training_or_restarts_both_runs(page):
    run = page.ask("choose", mistake="unzeroed", playing=False)["run"]
    assert page.ask("switch", on=False)["run"] == run
    run = page.ask("choose", mistake="dead", playing=False)["run"]
    state = page.ask("switch", on=False)
    assert state["run"] == run + 1
    last = page.wait(run=run + 1, step=8, playing=False)
    assert last["healthy"]["loss"] == last["broken"]["loss"]


def test_a_step_after_the_last_is_an_error(page):
    run = page.ask("choose", mistake="slow")["run"]
    page.wait(run=run, step=8, playing=False)
    with pytest.raises(LabError, match="reset to start over"):
        page.ask("step")
    page.ask("reset")
    page.ask("step")
    assert page.wait(run=run + 1, step=1)["healthy"]["step"] == 1


@pytest.mark.parametrize(
    ("do", "fields", "error"),
    [
        ("choose", {"mistake": "deed"}, "did you mean 'dead'"),
        ("choose", {}, "mistake is missing"),
        ("choose", {"mistake": "dead", "seed": -1}, "seed must be"),
        ("switch", {"on": "no"}, "on must be true or false"),
        ("crash", {}, "unknown request to the room mistakes"),
    ],
)
def test_an_invalid_request_is_an_error(page, do, fields, error):
    with pytest.raises(LabError, match=error):
        page.ask(do, **fields)


def test_closing_ends_the_thread_during_training():
    before = set(threading.enumerate())
    page = Page(Mistakes)
    page.ask("play")
    page.room.close()
    assert set(threading.enumerate()) == before


def test_the_lessons_link_to_mistakes_and_questions_that_exist():
    texts = [path.read_text(encoding="utf-8") for path in BUILT_IN.rglob("*.md")]
    links = re.findall(r"lab:(mistakes|quiz)\?(\w+)=([\w,]+)", "\n".join(texts))
    assert links
    known = {("mistakes", "mistake"): FAULTS, ("quiz", "lesson"): LESSON_TOPICS, ("quiz", "topic"): CHOICES}
    for room, parameter, names in links:
        assert {*names.split(",")} <= {*known[room, parameter]}, (room, parameter, names)

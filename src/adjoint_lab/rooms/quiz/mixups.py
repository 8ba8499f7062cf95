"""Questions for a value or gradient of a graph, with the usual wrong answers, computed from the same graph."""

from collections.abc import Iterator, Sequence
from typing import Any

from adjoint.see import BackwardStep, number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Target, Wrong


def gradient_question(
    graph: QuestionGraph, name: str, because: str, *, prompt: str = "", wrong: Sequence[Wrong] = (), **question: Any
) -> NumberQuestion:
    """Return a question for the gradient of a node."""
    root = graph.explanation.root.name
    return NumberQuestion(
        prompt=prompt or f"What is the gradient of {name}, ∂{root}/∂{name}?",
        answer=graph.gradient(name),
        because=because,
        steps=graph.steps_to(name),
        graph=graph,
        target=Target("gradient", name),
        wrong=[*wrong, *_gradient_mixups(graph, name)],
        **question,
    )


def _gradient_mixups(graph: QuestionGraph, name: str) -> Iterator[Wrong]:
    right, received = graph.gradient(name), graph.edges_into(name)
    if len(received) > 1:
        sends = join_names([f"{step.node.name} sends {number(_plain(step.contribution))}" for step in received])
        for step in received:
            part = _plain(step.contribution)
            yield Wrong(part, f"That is only one of the contributions: {sends}. They add up.")
    if right:
        yield Wrong(-right, "The absolute value is correct, but the sign is not.")
    yield Wrong(sum(map(_local, received)), _without_incoming(received))
    if len(received) == 1:
        node = received[0].node
        stops = f"That is the gradient of {node.name}. It still has to pass through {node.formula}."
        yield Wrong(graph.gradient(node.name), stops)
    yield from _wrong_rules(graph, name, received)

    root = graph.explanation.root.name
    yield Wrong(graph.value(name), f"That is the value of {name}. The gradient says how fast {root} changes with it.")
    yield Wrong(graph.value(root), f"That is the value of {root}, not how fast it changes with {name}.")
    if right:
        yield Wrong(0.0, f"0 would mean that {name} has no influence on {root}.")


def _without_incoming(received: list[BackwardStep]) -> str:
    if len(received) > 1:
        return "Those are only the local derivatives. Multiply each by the incoming gradient."
    node = received[0].node.name
    return f"That is only the local derivative. Multiply it by the incoming gradient, {node}.grad."


def _wrong_rules(graph: QuestionGraph, name: str, received: list[BackwardStep]) -> Iterator[Wrong]:
    """Yield the results of applying the wrong rule to one of the operations."""
    right, value = graph.gradient(name), graph.value(name)
    if len(received) == 1 and received[0].node.op == "*" and received[0].local:
        incoming = graph.gradient(received[0].node.name)
        yield Wrong(incoming * value, f"A product passes on the other factor, not {name} itself.")
    if len(received) == 1 and received[0].node.op == "/" and received[0].operand == 1:
        incoming = graph.gradient(received[0].node.name)
        yield Wrong(incoming / value, f"1/{name} is the derivative for the numerator, and {name} is the denominator.")
    on_the_way = graph.depends(name)
    if any(len(graph.edges_into(node)) > 1 for node in on_the_way):
        return  # there are several paths, and a power may be on only one of them
    for node in graph.explanation.forward:
        exponent = node.operands[-1]
        if node.op == "**" and node.name in on_the_way and isinstance(exponent, float):
            yield Wrong(right / exponent, f"The factor {number(exponent)} of the power rule is missing.")


def _plain(x: object) -> float:
    assert isinstance(x, float)
    return x + 0.0


def _local(step: BackwardStep) -> float:
    return _plain(step.local)


def value_question(
    graph: QuestionGraph, name: str, because: str, wrong: Sequence[Wrong] = (), **question: Any
) -> NumberQuestion:
    """Return a question for the value of a node; all computed values are hidden."""
    on_the_way = [node.name for node in graph.explanation.forward if name in graph.depends(node.name)]
    return NumberQuestion(
        prompt=f"What is the value of {name}?",
        answer=graph.value(name),
        because=because,
        steps=graph.forward_steps(*on_the_way),
        graph=graph,
        target=Target("value", name),
        hidden=tuple(graph.inner),
        wrong=[*wrong, Wrong(-graph.value(name), "The absolute value is correct, but the sign is not.")],
        **question,
    )

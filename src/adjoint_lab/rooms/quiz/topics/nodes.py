"""Questions on single nodes and edges: values, local derivatives, contributions, and the order of both passes."""

from random import Random

from adjoint.see import Node, backward_text, number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names
from adjoint_lab.rooms.quiz.mixups import value_question
from adjoint_lab.rooms.quiz.questions import (
    NodeQuestion,
    NumberQuestion,
    OrderQuestion,
    Question,
    Target,
    Wrong,
    choice,
)
from adjoint_lab.rooms.quiz.templates import Subject, numbers

NODES = Subject("nodes", "Nodes and edges")


@NODES("forward-value", 1, 2)
def forward_value(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level)
    lines = rng.choice([["d = a*b", "L = d + c"], ["d = a + b", "L = d*c"], ["d = a - b", "L = d*c"]])
    if level == 2:
        lines = rng.choice([["d = a*b", "e = d - c", "L = e*a"], ["d = a + b", "e = d*c", "L = e - a"]])
    graph = QuestionGraph(*lines, a=a, b=b, c=c)
    return value_question(graph, "L", "The forward pass computes each node from its operands.")


@NODES("root-gradient", 1, 1)
def root_gradient(rng: Random, level: int) -> Question:
    a, b = numbers(rng, 2, level, 9)
    graph = QuestionGraph("d = a*b", "L = d + a", a=a, b=b)
    value = graph.value("L")
    return choice(
        rng,
        "1",
        {
            "0": "If it were 0, every gradient would be 0, because all others are multiples of it.",
            number(value): "That is the value of L. Its gradient is ∂L/∂L.",
            number(b): "That is the local derivative of the product with respect to a.",
        },
        prompt="The backward pass starts at L. What is the gradient of L itself?",
        because="The derivative of L with respect to itself is 1: ∂L/∂L = 1.",
        steps=graph.steps_to("L"),
        graph=graph,
    )


@NODES("local-derivative", 1, 3)
def local_derivative(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level)
    lines = {
        1: [["d = a*b", "L = d + c"], ["d = a + b", "L = d*c"]],
        2: [["d = a - b", "L = d*c"], ["d = a*b", "L = c - d"], ["d = a**2", "L = d*c"]],
        3: [["d = a/b", "L = d*c"], ["d = a**3", "L = d*c"], ["d = a*b", "L = d**2"]],
    }[level]
    chosen = rng.choice(lines)
    if "/" in chosen[0]:
        b = float(rng.choice([2, 4, 5, -2, -4]))
        a = b * rng.choice([2, 3, -2])
    graph = QuestionGraph(*chosen, a=a, b=b, c=c)
    step = rng.choice([step for step in graph.edges if level == 1 or step.local != 1])
    node, parent = step.node, step.parent
    local = step.local or 0.0
    return NumberQuestion(
        prompt=f"What is the local derivative of {node.name} with respect to {parent.name}, "
        f"∂{node.name}/∂{parent.name}?",
        answer=local,
        because="A local derivative concerns one operation only, without the operations after it.",
        steps=[
            f"{node.name} = {node.formula}",
            f"∂{node.name}/∂{parent.name} = {_and_number(step.formula, number(local))}",
        ],
        graph=graph,
        target=Target("local", node.name, parent.name),
        wrong=[
            Wrong(-local, "The absolute value is correct, but the sign is not."),
            Wrong(
                graph.gradient(parent.name),
                f"That is the whole gradient of {parent.name}, not the derivative of one edge.",
            ),
            Wrong(graph.value(parent.name), f"That is the value of {parent.name}."),
            Wrong(graph.value(node.name), f"That is the value of {node.name}, not how fast it changes."),
            Wrong(0.0, f"0 would mean that {node.name} does not depend on {parent.name}."),
        ],
    )


def _and_number(formula: str, result: str) -> str:
    return formula if formula == result else f"{formula} = {result}"


@NODES("contribution", 2, 4)
def contribution(rng: Random, level: int) -> Question:
    a, b, c, f = numbers(rng, 4, level, 6)
    lines = ["d = a*b", "e = d + c", "L = e*f"] if level < 4 else ["d = a*b", "e = a*c", "s = d + e", "L = s*f"]
    graph = QuestionGraph(*lines, a=a, b=b, c=c, f=f)
    step = rng.choice([graph.edge("d", "a"), graph.edge("d", "b")] if level < 4 else graph.edges_into("a"))
    node, parent = step.node.name, step.parent.name
    incoming = graph.gradient(node)
    tells = f"The gradient of {node} is {number(incoming)}. " if level == 2 else ""
    sends = incoming * (step.local or 0.0)
    return NumberQuestion(
        prompt=f"{tells}What does {node} send to {parent} in the backward pass?",
        answer=sends,
        because=f"A node sends its own gradient times the local derivative: {node}.grad · ∂{node}/∂{parent}.",
        steps=[*graph.steps_to(node), backward_text(step)],
        graph=graph,
        target=Target("contribution", node, parent),
        shown=(node,) if level == 2 else (),
        wrong=[
            Wrong(step.local, f"That is only the local derivative. Multiply it by {node}.grad."),
            Wrong(incoming, f"That is {node}.grad. On the way to {parent} it is multiplied by the local derivative."),
            Wrong(incoming * graph.value(parent), f"A product passes on the other factor, not {parent} itself."),
            Wrong(-sends, "The absolute value is correct, but the sign is not."),
            Wrong(
                graph.gradient(parent),
                f"That is the sum of all contributions to {parent}. {node} sends only one of them.",
            ),
        ],
    )


# --- the order of the passes ---

_ORDERS = {
    2: [
        ["d = a*b", "e = d + c", "L = e*d"],
        ["d = a + b", "e = a*d", "L = e + d"],
    ],
    3: [
        ["d = a*b", "e = d + c", "g = d*e", "L = g + e"],
        ["d = a + b", "e = d*c", "g = e + d", "L = g*e"],
    ],
    4: [
        ["d = a*b", "e = d*c", "g = d + a", "h = e*g", "L = h + d"],
        ["d = a + b", "e = d*c", "g = e + d", "h = g*e", "L = h + d"],
    ],
}


def _order_graph(rng: Random, level: int) -> QuestionGraph:
    lines = rng.choice(_ORDERS[min(max(level, 2), 4)])
    given = dict(zip("abc", numbers(rng, 3, level, 9)))
    return QuestionGraph(*lines, **given)


def _needs(graph: QuestionGraph, name: str) -> list[str]:
    """Return the computed operands of a node."""
    return [x.name for x in graph.nodes[name].operands if isinstance(x, Node) and not x.is_leaf]


def _users(graph: QuestionGraph, name: str) -> list[str]:
    """Return the nodes that use a node."""
    return [other for other in graph.inner if name in _needs(graph, other)]


@NODES("forward-order", 1, 2)
def forward_order(rng: Random, level: int) -> Question:
    graph = _order_graph(rng, level + 1)
    names = sorted(graph.inner)
    rng.shuffle(names)
    return OrderQuestion(
        prompt="Put the computed nodes in an order in which the forward pass can compute them.",
        nodes=names,
        answer=graph.inner,
        after={name: _needs(graph, name) for name in names},
        too_early="{0} is computed from {1}, so {1} must come first.",
        because="A node can be computed when all of its operands are known.",
        steps=graph.forward_steps(),
        graph=graph,
        hidden=tuple(graph.inner),
    )


@NODES("backward-order", 3, 5)
def backward_order(rng: Random, level: int) -> Question:
    graph = _order_graph(rng, level)
    names = sorted(graph.inner)
    rng.shuffle(names)
    users = {name: _users(graph, name) for name in names}
    lines = [
        f"{name} waits for {join_names(users[name])}" if users[name] else f"{name} is where the pass starts"
        for name in reversed(graph.inner)
    ]
    return OrderQuestion(
        prompt="Put the computed nodes in an order in which the backward pass can visit them.",
        nodes=names,
        answer=graph.inner[::-1],
        after=users,
        too_early="{0} comes before {1}, but {1} uses {0} and still has to send it a contribution.",
        because="A node passes its gradient on when it is complete: after all nodes that use it.",
        steps=lines,
        graph=graph,
    )


@NODES("visited-next", 2, 4)
def visited_next(rng: Random, level: int) -> Question:
    graph = _order_graph(rng, level)
    backward = graph.inner[::-1]
    users = {name: _users(graph, name) for name in backward}
    choices = []
    for i in range(1, len(backward) - 1):
        visited, rest = backward[:i], backward[i:]
        ready = [name for name in rest if not set(users[name]) - set(visited)]
        if len(ready) < len(rest):
            choices.append((visited, rest, ready))
    visited, rest, ready = rng.choice(choices)
    wrong = []
    for name in rest:
        if name not in ready:
            missing = [user for user in users[name] if user not in visited]
            wrong.append(
                Wrong(name, f"{name} is also used by {join_names(missing)}, whose contribution is still missing.")
            )
    return NodeQuestion(
        prompt=f"The backward pass has visited {join_names(visited)}. Which node can be next?",
        nodes=rest,
        answers=ready,
        because=f"A node is ready when all nodes that use it have been visited. {_is_ready(ready, users)}",
        steps=[f"{name} is used by {join_names(users[name])}" for name in rest],
        graph=graph,
        wrong=wrong,
    )


def _is_ready(ready: list[str], users: dict[str, list[str]]) -> str:
    if len(ready) > 1:
        return f"{join_names(ready)} are both ready; either can be next."
    return f"{ready[0]} is used only by {join_names(users[ready[0]])}."


# --- graphs and expressions ---

_SHAPES = [
    ["({0} + {1})*{2}", "{0} + {1}*{2}", "{0}*{1} + {2}", "({0} + {1})*({0} + {2})"],
    ["{0}*({1} - {2})", "{0}*{1} - {2}", "({0} - {1})*{2}", "{0} - {1}*{2}"],
    ["tanh({0}*{1}) + {2}", "tanh({0}*{1} + {2})", "tanh({0})*{1} + {2}", "tanh({0}*({1} + {2}))"],
    ["({0}*{1} + {2})**2", "({0}*{1})**2 + {2}", "{0}*{1} + {2}**2", "({0}*({1} + {2}))**2"],
    ["relu({0} + {1})*{2}", "relu({0} + {1}*{2})", "relu(({0} + {1})*{2})", "relu({0}) + {1}*{2}"],
    ["{0}*{0} + {1}*{2}", "({0} + {1})*{2}", "{0}*({0} + {1})*{2}", "{0}*{0}*{1} + {2}"],
]


@NODES("which-expression", 1, 3)
def which_expression(rng: Random, level: int) -> Question:
    names = rng.choice(["abc", "xyz", "uvw", "pqr", "wxb", "rst"])
    shapes = rng.choice(_SHAPES[: 2 * level])
    texts = [shape.format(*names) for shape in shapes]
    right = rng.choice(texts)
    values = [float(size) for size in rng.sample(range(1, 6), 3)]
    graph = QuestionGraph(f"L = {right}", **dict(zip(names, values)))
    last = _last_operation(right, names)
    wrong = {
        text: f"It ends with {_last_operation(text, names)}; the graph ends with {last}."
        if _last_operation(text, names) != last
        else f"It ends with {last}, like the graph, but with different operands."
        for text in texts
        if text != right
    }
    return choice(
        rng,
        right,
        wrong,
        prompt="Which expression gives this graph?",
        because=f"Read the graph from its end: its last operation is {last}, the outermost part of the expression.",
        steps=graph.forward_steps(),
        graph=graph,
        formulas=[""],
        in_formulas=True,
    )


def _last_operation(text: str, names: str) -> str:
    op = QuestionGraph(f"L = {text}", **dict.fromkeys(names, 2.0)).explanation.root.op
    return {"+": "a sum", "-": "a difference", "*": "a product", "**": "a square"}.get(op, op)

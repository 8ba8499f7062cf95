from engine import Value

from adjoint_learn.nodes import parents_first, thirty_doublings


def check(check, learner):
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(2.0, label="c")
    d = a * b
    e = d + c
    same_nodes(check, "trace(a * b + c)", learner.trace(e), [a, b, c, d, e])
    same_nodes(check, "trace(a * b)", learner.trace(d), [a, b, d])
    same_nodes(check, "trace(a)", learner.trace(a), [a])
    square = a * a
    same_nodes(check, "trace(a * a)", learner.trace(square), [a, square])
    f = e * d
    same_nodes(check, "trace((d + c) * d)", learner.trace(f), [a, b, c, d, e, f])
    nodes = [a]
    for _ in range(3):
        nodes.append(nodes[-1] + nodes[-1])
    same_nodes(check, "trace(x) after three doublings", learner.trace(nodes[-1]), nodes)
    for _ in range(20):
        nodes = [a, b, c]
        for _ in range(6):
            nodes.append(check.random.choice(nodes[-3:]) + check.random.choice(nodes))
        same_nodes(check, "trace(a random graph)", learner.trace(nodes[-1]), parents_first(nodes[-1]))
    nodes = thirty_doublings()
    same_nodes(check, "trace(x) after thirty doublings", learner.trace(nodes[-1]), nodes)
    check.note("thirty doublings `x = x + x` have 31 nodes, and a billion paths from the result back to the first")


def same_nodes(check, what, got, expected):
    check.true(f"`{what}` should be a list of nodes.", isinstance(got, list | tuple | set), got=got)
    places = {id(node): i for i, node in enumerate(expected)}
    found = sorted(places.get(id(node), -1) for node in got)
    if found != list(range(len(expected))):
        count = f"`len({what})` is {len(got)}, and should be {len(expected)}."
        count = count if len(got) != len(expected) else f"`{what}` has other nodes than the graph."
        check.fail(f"{count} {advice(got, expected)}", found)
    check.held += 1


def advice(got, expected):
    found = {id(node) for node in got}
    missing = [node for node in expected if id(node) not in found]
    if len(found) < len(got):
        return "A node is in your list more than once."
    if missing:
        return f"The node `{missing[0].label or missing[0]}` is missing."
    return "It has nodes of another graph. Does your list keep them from an earlier call?"

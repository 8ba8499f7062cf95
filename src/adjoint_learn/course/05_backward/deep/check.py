import sys

from adjoint_learn.nodes import thirty_doublings

HIGHEST = 3000  # a recursion limit that is too low for a chain of 3,000 sums; some notebooks set it


def check(check, learner):
    Value = learner.Value
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    d = a * b
    d.label = "d"

    def claim(what, root):
        check.parents_first(f"topological_order({what})", learner.topological_order(root), root)

    claim("a * b", a * b)
    claim("a", a)
    claim("a * a", a * a)
    claim("d * (d + a)", d * (d + a))
    claim("(d + a) * d", (d + a) * d)
    claim("((d + a) + d) * d", ((d + a) + d) * d)
    claim("x after thirty doublings", thirty_doublings()[-1])
    for _ in range(30):
        nodes = [a, b, d]
        for _ in range(8):
            nodes.append(check.random.choice(nodes[-4:]) + check.random.choice(nodes))
        claim("a random graph", nodes[-1])
    x = a
    for _ in range(3000):
        x = x + b
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, HIGHEST))  # also if the program has raised the limit
    try:
        claim("a chain of 3,000 sums", x)
        raised = sys.getrecursionlimit() > HIGHEST
    finally:
        sys.setrecursionlimit(limit)
    check.true("Leave Python's recursion limit as it is. A loop works with every limit.", not raised)
    check.note("a chain of 3,000 sums has 3,002 nodes, and your order has all of them")

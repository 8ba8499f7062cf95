from adjoint_learn.nodes import thirty_doublings


def check(check, learner):
    Value = learner.Value
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    d = a * b
    d.label = "d"

    def claim(what, root):
        check.parents_first(f"topological_order({what})", learner.topological_order(root), root)

    claim("a * b + c", a * b + c)
    claim("a * b", a * b)
    claim("a", a)
    claim("a * a", a * a)
    claim("d * (d + a)", d * (d + a))
    claim("(d + a) * d", (d + a) * d)
    claim("d * ((d + a) + d)", d * ((d + a) + d))
    claim("x after thirty doublings", thirty_doublings()[-1])
    for _ in range(30):
        nodes = [a, b, c]
        for _ in range(8):
            nodes.append(check.random.choice(nodes[-4:]) + check.random.choice(nodes))
        claim("a random graph", nodes[-1])
    check.note("in 38 graphs, each node comes after its parents")

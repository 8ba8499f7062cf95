CASES = {"a + 1": 3.0, "a * 2": 4.0, "1 + a": 3.0, "2 * a": 4.0, "a + 0.5": 2.5, "-1.5 * a": -3.0}


def check(check, learner):
    def read(code, **names):
        return check.evaluate(code, Value=learner.Value, sum=sum, **names)

    a, b = read("Value(2.0)"), read("Value(-3.0)")
    check.close("(a + b).data", read("(a + b).data", a=a, b=b), -1.0, because="`a` and `b` are Values already.")
    check.true(
        "`(a + b)._prev` should be `(a, b)`.",
        [id(x) for x in read("(a + b)._prev", a=a, b=b)] == [id(a), id(b)],
        got=read("(a + b)._prev", a=a, b=b),
        because="If `other` is a Value already, keep it.",
    )
    for code, number in CASES.items():
        c = read(code, a=a)
        check.true(f"`{code}` should be a Value.", isinstance(c, learner.Value), got=c)
        check.close(f"({code}).data", read("c.data", c=c), number)
        parents = list(read("c._prev", c=c))
        check.true(
            f"`({code})._prev` should have two parents: `a`, and a Value for the number.",
            len(parents) == 2 and all(isinstance(parent, learner.Value) for parent in parents),
            got=tuple(parents),
        )
        check.true(f"One parent of `{code}` should be `a` itself.", any(x is a for x in parents), got=tuple(parents))
    check.close("sum([a, b, a]).data", read("sum([a, b, a]).data", a=a, b=b), 1.0)
    for _ in range(5):
        inputs = {name: round(check.random.uniform(-3, 3), 2) for name in "xy"}
        check.statements(learner.Value, "u = 3*x + 1; v = u*y + x*2; w = 1 + v*0.5", gradients=False, **inputs)
    check.note("`sum([a, b, a])` works too: Python starts it with `0 + a`")

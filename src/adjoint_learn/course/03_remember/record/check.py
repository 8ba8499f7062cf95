OPERATIONS = {"+": lambda x, y: x + y, "*": lambda x, y: x * y}


def check(check, learner):
    def read(code, **names):
        return check.evaluate(code, Value=learner.Value, **names)

    for op, number in OPERATIONS.items():
        code = f"a {op} b"
        a, b = read("Value(2.0)"), read("Value(-3.0)")
        c = read(code, a=a, b=b)
        check.true(
            f"`{code}` should be a new Value that holds the number {number(2.0, -3.0):g}.",
            isinstance(c, learner.Value),
            got=c,
            because="A plain number cannot remember where it came from." if isinstance(c, float) else "",
        )
        check.close(f"({code}).data", read("c.data", c=c), number(2.0, -3.0))
        check.close(f"c = {code}; a.data", read("a.data", a=a), 2.0, because=f"`{code}` must not change `a`.")
        check.equal(f"({code})._op", read("c._op", c=c), op)
        same_parents(check, code, read("c._prev", c=c), [a, b])
        same_parents(check, f"b {op} a", read(f"(b {op} a)._prev", a=a, b=b), [b, a])
        same_parents(check, f"a {op} a", read(f"(a {op} a)._prev", a=a), [a, a])
    for _ in range(5):
        inputs = {name: round(check.random.uniform(-3, 3), 2) for name in "abcf"}
        check.statements(learner.Value, "d = a*b; e = d + c; L = e*f", gradients=False, **inputs)
    check.note("`L = (a*b + c) * f` has the same values as in adjoint, and `L` remembers all its ancestors")


def same_parents(check, code, got, expected):
    check.true(
        f"`({code})._prev` should be a tuple with the two parents of `{code}`, in this order.",
        isinstance(got, tuple | list) and [id(x) for x in got] == [id(x) for x in expected],
        got=got,
        because="A set has no order, and keeps a value that is used twice only once." if isinstance(got, set) else "",
    )

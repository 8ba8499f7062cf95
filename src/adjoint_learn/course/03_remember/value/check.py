def check(check, learner):
    def read(code, **names):
        return check.evaluate(code, Value=learner.Value, repr=repr, len=len, **names)

    a, b = read("Value(2.0)"), read("Value(-3.5)")
    check.close("Value(-3.5).data", read("b.data", b=b), -3.5)
    check.close("a = Value(2.0); b = Value(-3.5); a.data", read("a.data", a=a), 2.0)
    check.equal("len(Value(2.0)._prev)", read("len(a._prev)", a=a), 0)
    check.equal("Value(2.0)._op", read("a._op", a=a), "")
    c = read('Value(7.0, (a, b), "+", label="c")', a=a, b=b)
    check.close('Value(7.0, (a, b), "+", label="c").data', read("c.data", c=c), 7.0)
    parents = read("c._prev", c=c)
    check.true(
        '`Value(7.0, (a, b), "+", label="c")._prev` should be the parents `(a, b)`.',
        isinstance(parents, tuple | list) and [id(parent) for parent in parents] == [id(a), id(b)],
        got=parents,
    )
    check.equal('Value(7.0, (a, b), "+", label="c")._op', read("c._op", c=c), "+")
    check.equal('Value(7.0, (a, b), "+", label="c").label', read("c.label", c=c), "c")
    for x in (2.0, -3.5):
        text = read(f"repr(Value({x}))")
        check.true(f"`repr(Value({x}))` should contain the number {x}.", str(x) in text, got=text)
    check.note(f"Python shows your first value as {read('repr(a)', a=a)}")

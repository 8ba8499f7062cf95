import re

from engine import Value

EXPRESSIONS = [
    "a",
    "a + b",
    "a * b + c",
    "(a + b) * c",
    "(a + c) * (b + a) * b",
    "a * 2 + b",
    "(b * a + 0.5) * (c + a)",
]


def check(check, learner):
    for code in EXPRESSIONS:
        numbers = {"a": 2.0, "b": -3.0, "c": 10.0}
        values = {name: Value(x, label=name) for name, x in numbers.items()}
        got = learner.formula(check.evaluate(code, **values))
        what = f"formula({code})"
        check.true(f"`{what}` should be a text.", isinstance(got, str) and got, got=got)
        for _ in range(3):
            given = ", ".join(f"{name} = {x:g}" for name, x in numbers.items())
            because = f"This is your formula of `{code}`, computed with {given}."
            check.close(got, number(check, what, got, numbers), eval(code, dict(numbers)), because=because)
            # With other numbers the text must still be right: it has names, not the numbers of the first run.
            numbers = {name: round(check.random.uniform(-5, 5), 1) for name in numbers}
        names = re.findall(r"[a-z]", code)
        check.true(
            f"The names in `{what}` should be {', '.join(names)}, in this order.",
            re.findall(r"[a-z]", got) == names,
            got=got,
        )
    d = Value(4.0, label="a") * Value(5.0, label="b")
    d.label = "d"
    got = learner.formula(d + Value(1.0, label="c"))
    check.true(
        "With `d = a * b`, labeled d, `formula(d + c)` should show how `d` was computed.",
        re.findall(r"[a-z]", got) == ["a", "b", "c"],
        got=got,
    )
    check.note(f"your formula of the last graph is {got}")


def number(check, what, text, numbers):
    """Return what the learner's text gives as a program of the inputs."""
    try:
        return eval(text, {"__builtins__": {}}, dict(numbers))
    except Exception as error:
        return check.fail(f"`{what}` is `{text}`, which is not a formula ({type(error).__name__}).", text)

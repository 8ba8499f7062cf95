from adjoint.errors import installed_numpy


def check(check, learner):
    cases = [(784, 10), (1000, 1), (1, 3), (2, 5), (3, 3)]
    cases += [(check.random.randint(1, 9), check.random.randint(1, 9)) for _ in range(10)]
    for inputs, outputs in cases:
        got = learner.plan(inputs, outputs)
        what = f"plan({inputs}, {outputs})"
        is_pair = isinstance(got, tuple | list) and len(got) == 2
        check.true(f"`{what}` should be a pair such as `('reverse', 1)`", is_pair, got=got)
        mode, passes = got
        check.true(f"The mode in `{what}` should be 'forward' or 'reverse'", mode in ("forward", "reverse"), got=mode)
        needed = {"forward": inputs, "reverse": outputs}
        because = f"Forward mode needs {inputs} pass{'es' * (inputs > 1)} and reverse mode {outputs}."
        if inputs != outputs:
            check.equal(f"{what}[0]", mode, min(needed, key=needed.__getitem__), because=because)
        check.equal(f"{what}[1]", passes, needed[mode], because=because)
    if np := installed_numpy():
        compare_modes(check, np)


def compare_modes(check, np):
    from adjoint import jvp, vjp

    inputs, outputs = 2, 5
    A = np.arange(10.0).reshape(outputs, inputs)
    columns = [jvp(lambda x: A @ x, np.zeros(inputs), basis)[1] for basis in np.eye(inputs)]
    _, pullback = vjp(lambda x: A @ x, np.zeros(inputs))
    rows = [pullback(basis)[0] for basis in np.eye(outputs)]
    assert np.array_equal(np.stack(columns, axis=1), np.stack(rows))
    check.note(
        "for 2 inputs and 5 outputs, adjoint found the same ten derivatives in 2 passes forward and in 5 in reverse"
    )

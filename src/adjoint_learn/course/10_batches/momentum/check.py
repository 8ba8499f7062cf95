from adjoint import Value, optim


def check(check, learner):
    got = learner.momentum([1.0], [2.0], [0.0], 0.1, 0.9)
    is_pair = isinstance(got, tuple | list) and len(got) == 2
    check.true("`momentum` should return two lists, the parameters and the velocities.", is_pair, got=got)
    what = "momentum([1], [2], [0], 0.1, 0.9)"
    check.close(f"the velocities of {what}", got[1], [2.0])
    check.close(f"the parameters of {what}", got[0], [0.8])
    got = learner.momentum([0.8], [2.0], [2.0], 0.1, 0.9)
    check.close("the velocities of momentum([0.8], [2], [2], 0.1, 0.9)", got[1], [3.8])
    check.close("the parameters of momentum([0.8], [2], [2], 0.1, 0.9)", got[0], [0.42])
    params, velocities = [1.0, -2.0, 0.5], [0.0, 0.0, 0.0]
    values = [Value(p) for p in params]
    optimizer = optim.SGD(values, lr=0.05, momentum=0.8)
    for step in range(1, 6):
        grads = [round(check.random.uniform(-2, 2), 2) for _ in params]
        for value, g in zip(values, grads):
            value.grad = g
        optimizer.step()
        params, velocities = learner.momentum(list(params), grads, list(velocities), 0.05, 0.8)
        check.close(f"three parameters after {step} steps", params, [value.data for value in values])
    check.note("five steps agree with adjoint's `optim.SGD(…, momentum=0.8)`")

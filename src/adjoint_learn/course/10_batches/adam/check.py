from adjoint import Value, optim


def check(check, learner):
    got = learner.adam([1.0, 1.0], [4.0, -0.01], [0.0, 0.0], [0.0, 0.0], 1, 0.1)
    is_triple = isinstance(got, tuple | list) and len(got) == 3
    check.true("`adam` should return three lists: the parameters, the ms and the vs.", is_triple, got=got)
    what = "after the first step with the gradients 4 and -0.01"
    check.close(f"the ms {what}", got[1], [0.4, -0.001], tolerance=1e-9)
    check.close(f"the vs {what}", got[2], [0.016, 1e-7], tolerance=1e-12)
    because = "In the first step each parameter moves by the rate, 0.1, whatever the size of its gradient."
    check.close(f"the parameters {what}", got[0], [0.9, 1.1], tolerance=1e-5, because=because)
    params, ms, vs = [1.0, -2.0, 0.5], [0.0] * 3, [0.0] * 3
    values = [Value(p) for p in params]
    optimizer = optim.Adam(values, lr=0.05)
    for step in range(1, 8):
        grads = [round(check.random.uniform(-2, 2), 2) * size for size in (1.0, 100.0, 0.01)]
        for value, g in zip(values, grads):
            value.grad = g
        optimizer.step()
        params, ms, vs = learner.adam(list(params), grads, list(ms), list(vs), step, 0.05)
        check.close(f"three parameters after {step} steps", params, [value.data for value in values], tolerance=1e-7)
    check.note("seven steps agree with adjoint's `optim.Adam`, for gradients of the sizes 0.01, 1 and 100")

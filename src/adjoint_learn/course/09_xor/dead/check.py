CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def check(check, learner):
    layer = [
        ([0.5, 1.0], 0.25),
        ([-0.5, -1.0], 0.25),
        ([2.0, -1.0], -1.5),
        ([1.0, 1.0], 0.5),
        ([-1.0, 1.0], 0.5),
        ([1.0, 1.0], -1.5),
        ([-1.0, -1.0], -0.5),
    ]
    check.close(
        "count_dead(seven neurons, the corners)",
        learner.count_dead(layer, CORNERS),
        1,
        because="Only ([-1, -1], -0.5) is 0 at all four corners.",
    )
    check.close(
        "count_dead([([-1, -1], 0)], the corners)",
        learner.count_dead([([-1.0, -1.0], 0.0)], CORNERS),
        1,
        because="Its sums are 0, -1, -1 and -2.",
    )
    for _ in range(20):
        layer = [([check.random.uniform(-1, 1) for _ in range(3)], check.random.uniform(-1, 1)) for _ in range(8)]
        examples = [[check.random.uniform(0, 1) for _ in range(3)] for _ in range(5)]
        check.close(
            "count_dead(eight random neurons, five examples)",
            learner.count_dead(layer, examples),
            dead(layer, examples),
        )
    check.note("20 random layers of eight neurons were counted correctly")


def dead(layer, examples):
    outputs = [[max(0.0, sum(map(float.__mul__, w, x)) + b) for x in examples] for w, b in layer]
    return sum(not any(row) for row in outputs)

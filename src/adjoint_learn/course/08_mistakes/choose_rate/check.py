import math

INFINITE, NAN = math.inf, math.nan
EXAMPLES = [
    ("one seed for each rate", {0.01: [[4.0, 3.0, 2.5]], 0.1: [[4.0, 2.0, 0.3]], 1.0: [[4.0, 7.0, 8.0]]}, 0.1),
    (
        "0.02 is the only rate with three usable seeds",
        {
            0.02: [[4.0, 1.0], [4.0, 1.0], [4.0, 1.0]],
            0.1: [[4.0, 0.9], [4.0, 0.5], [4.0, 4.0]],
            0.2: [[4.0, 0.1], [4.0, 5.0], [4.0, 6.0]],
            0.5: [[4.0, 3.0], [4.0, 0.001], [4.0, 8.0]],
        },
        0.02,
    ),
    (
        "0.5 is good from two seeds, and stuck from the third",
        {0.05: [[7.7, 0.02], [6.2, 0.03], [3.8, 0.02]], 0.5: [[7.7, 0.001], [6.2, 0.002], [3.8, 8.0]]},
        0.05,
    ),
    (
        "0.3 dips and then climbs",
        {0.1: [[4.0, 2.0, 1.0], [4.0, 1.5, 0.9]], 0.3: [[4.0, 0.1, 3.0], [4.0, 0.2, 2.0]]},
        0.1,
    ),
    (
        "0.1 has the best average, and 0.02 the best worst seed",
        {0.02: [[4.0, 1.0], [4.0, 1.0], [4.0, 1.0]], 0.1: [[4.0, 0.1], [4.0, 0.1], [4.0, 1.5]]},
        0.02,
    ),
    ("1.0 ends in nan", {1.0: [[4.0, NAN], [4.0, 0.2]], 0.1: [[4.0, 0.5], [4.0, 0.6]]}, 0.1),
    ("1.0 ends in nan for the second seed", {1.0: [[4.0, 0.2], [4.0, NAN]], 0.1: [[4.0, 0.5], [4.0, 0.6]]}, 0.1),
    ("1.0 ends in inf", {0.1: [[4.0, 0.5]], 1.0: [[4.0, INFINITE]]}, 0.1),
]


def check(check, learner):
    for what, curves, expected in EXAMPLES:
        check.close(f"choose(curves) where {what}", learner.choose(curves), expected)
    for _ in range(20):
        curves = {}
        for rate in check.random.sample([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0], 4):
            curves[rate] = [[check.random.uniform(0, 8) for _ in range(5)] for _ in range(3)]
        if check.random.random() < 0.5:
            check.random.choice(curves[min(curves)])[-1] = NAN
        check.close("choose(curves) of random curves", learner.choose(curves), best(curves))
    check.note("28 sets of curves, some with nan and inf")


def best(curves):
    worst = {rate: max(INFINITE if c[-1] != c[-1] else c[-1] for c in seeds) for rate, seeds in curves.items()}
    return min(worst, key=lambda rate: worst[rate])

import random


def check(check, learner):
    for count, share in ((10, 0.2), (10, 0.5), (7, 0.3), (100, 0.25)):
        points = [f"p{i}" for i in range(count)]
        given = list(points)
        got = learner.split(given, share, random.Random(1))
        what = f"split({count} points, {share}, rng)"
        is_pair = isinstance(got, tuple | list) and len(got) == 2 and all(isinstance(x, list | tuple) for x in got)
        check.true(f"`{what}` should be two lists.", is_pair, got=got)
        training, test = map(list, got)
        check.equal("points after your function", given, points, because="Shuffle a copy.")
        both = sorted(set(training) & set(test))
        check.true("No point should be in both lists.", not both, got=both)
        check.equal(
            f"the sizes of {what}", [len(training), len(test)], [count - int(share * count), int(share * count)]
        )
        because = "Every point should be in one of the lists."
        check.equal(f"the points of {what}", sorted(training + test), sorted(points), because=because)
    points = list(range(100))
    _, test = learner.split(points, 0.25, random.Random(1))
    check.true("The test points should be drawn at random.", sorted(test) not in (points[:25], points[75:]), got=test)
    _, other = learner.split(points, 0.25, random.Random(2))
    check.true("Another `rng` should give another split.", list(other) != list(test))
    check.note("the test points are kept aside, and none of them is used for training")

import random


def check(check, learner):
    for count, size in ((10, 5), (10, 4), (3, 8), (100, 7)):
        got = learner.batches(count, size, random.Random(count))
        what = f"batches({count}, {size}, rng)"
        is_lists = isinstance(got, list | tuple) and all(isinstance(batch, list | tuple) for batch in got)
        check.true(f"`{what}` should be a list of lists.", is_lists, got=got)
        sizes = [size] * (count // size) + [count % size] * (count % size > 0)
        found = [len(batch) for batch in got]
        check.equal(f"the sizes of the lists of {what}", found, sizes)
        flat = [i for batch in got for i in batch]
        because = "Each number below count should be in exactly one list."
        check.equal(f"the sorted numbers of {what}", sorted(flat), list(range(count)), because=because)
    one, other = (learner.batches(100, 7, random.Random(seed)) for seed in (1, 2))
    check.true("With 100 points, the order should be random.", [i for batch in one for i in batch] != list(range(100)))
    check.true("Another `rng` should give another order.", one != other)
    check.true("The same `rng` should give the same order.", learner.batches(100, 7, random.Random(1)) == one)
    check.note("each point is used once in an epoch")

import math


def check(check, learner):
    check.close("find_base(1.0)", learner.find_base(1.0), math.e, tolerance=1e-6)
    check.close("find_base(0.5)", learner.find_base(0.5), math.exp(0.5), tolerance=1e-6)
    for base in (2.0, 3.0, round(check.random.uniform(1.2, 8.0), 3)):
        s = math.log(base)
        check.close(f"find_base({s:.4f})", learner.find_base(s), base, tolerance=1e-6)
    check.note("the base whose slope at 0 is 1 is e = 2.71828…, and eˣ is its own derivative")

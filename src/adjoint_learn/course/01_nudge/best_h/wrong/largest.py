"""You take the largest h. The curve bends within a large nudge, so its error is large. Measure the error of each
candidate."""


def best_h(f, x, exact, candidates):
    return max(candidates)

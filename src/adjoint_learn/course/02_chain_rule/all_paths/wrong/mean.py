"""You take the mean of the contributions. A value that is used twice has twice the influence, so its contributions
are added and not averaged."""


def gradient(uses):
    return sum(result_grad * local for result_grad, local in uses) / max(len(uses), 1)

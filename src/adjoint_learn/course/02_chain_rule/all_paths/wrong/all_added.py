"""You add everything. Along one use, slopes are multiplied: the gradient of the result times the local derivative.
Only the uses are added up."""


def gradient(uses):
    return sum(result_grad + local for result_grad, local in uses)

"""A line search that finds a step with the strong Wolfe conditions; the algorithm is PyTorch's, from minFunc."""

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

_DECREASE = 1e-4  # the loss must fall by this part of what the slope promises
_CURVATURE = 0.9  # the slope must fall to this part of the slope at the start


class Point(NamedTuple):
    """A point of the line: the length of the step, and the loss, the gradient and the slope along the line there."""

    t: float
    loss: float
    gradient: Any  # a vector
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, t: float, size: float, tolerance: float, most: int
) -> tuple[Point, int]:
    """Return a point that meets the conditions, or the best one found, and the number of evaluations.

    `t` is the first step to try and `size` the largest element of the direction. The search ends after `most` steps,
    or if an interval of steps moves every parameter by less than `tolerance`.
    """

    def is_high(point: Point) -> bool:
        return point.loss > start.loss + _DECREASE * point.t * start.slope

    def is_flat(point: Point) -> bool:
        return abs(point.slope) <= -_CURVATURE * start.slope

    # Take longer steps until two of them have a minimum between them.
    count, previous, point = 0, start, evaluate(t)
    ends = [start, point]
    while count < most:
        ends = [previous, point]
        if is_high(point) or (count > 1 and point.loss >= previous.loss):
            break
        if is_flat(point):
            return point, count + 1
        if point.slope >= 0:
            break
        t = _interpolate(previous, point, point.t + 0.01 * (point.t - previous.t), 10 * point.t)
        previous, point = point, evaluate(t)
        ends = [start, point]
        count += 1

    # Make the interval smaller.
    is_near_end = False
    low = 0 if ends[0].loss <= ends[1].loss else 1
    while count < most and not abs(ends[1].t - ends[0].t) * size < tolerance:
        least, largest = sorted((ends[0].t, ends[1].t))
        t, margin = _interpolate(ends[0], ends[1], least, largest), 0.1 * (largest - least)
        if min(largest - t, t - least) < margin:  # at the second time, move away from the end
            is_moved = is_near_end or t >= largest or t <= least
            if is_moved:
                t = largest - margin if abs(t - largest) < abs(t - least) else least + margin
            is_near_end = not is_moved
        else:
            is_near_end = False
        point = evaluate(t)
        count += 1
        if is_high(point) or point.loss >= ends[low].loss:
            ends[1 - low] = point
            low = 0 if ends[0].loss <= ends[1].loss else 1
        else:
            if is_flat(point):
                return point, count + 1
            if point.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = point
    return ends[low], count + 1


def _interpolate(a: Point, b: Point, least: float, largest: float) -> float:
    """Return the minimum of the cubic polynomial through two points, limited to an interval.

    Without one it is the middle of the interval, as in PyTorch. Between points so close that their losses differ by
    little more than rounding, rounding decides which of the two it is: another CPU may then take other steps.
    """
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (least + largest) / 2
    a, b = (a, b) if a.t <= b.t else (b, a)
    d2 = sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, least), largest)

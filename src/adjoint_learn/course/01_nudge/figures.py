import math

from adjoint_learn.sketches import BLUE, GREEN, ORANGE, RED, Sketch


def f(x):
    return 3 * x**2 - 4 * x + 5


def parabola():
    sketch = Sketch((-1, 4), (0, 38), "x", "f(x)")
    sketch.curve(f, BLUE)
    sketch.path([(1.9, 20 - 14 * 1.1), (4, 34)], ORANGE, dashed=True)
    sketch.dot(3, 20, "slope 14", ORANGE, dx=12, dy=14)
    sketch.path([(-0.2, f(2 / 3)), (1.6, f(2 / 3))], GREEN, dashed=True)
    sketch.dot(2 / 3, f(2 / 3), "slope 0", GREEN, dx=-24, dy=-14)
    sketch.marks([(0, "0"), (2 / 3, "2/3"), (3, "3")], [(0, "0"), (20, "20")])
    return sketch.svg("The curve 3x² − 4x + 5 with its tangents at 3 and at 2/3")


def descent():
    sketch = Sketch((-0.2, 3.3), (0, 26), "x", "f(x)")
    sketch.curve(f, BLUE)
    x, points = 3.0, []
    for _ in range(11):
        points.append((x, f(x)))
        x -= 0.1 * (6 * x - 4)
    sketch.path(points, ORANGE)
    for i, (x, y) in enumerate(points):
        sketch.dot(x, y, "start" if i == 0 else "", ORANGE, dx=-46, dy=2)
    sketch.marks([(0, "0"), (2 / 3, "2/3"), (3, "3")], [(0, "0"), (20, "20")])
    return sketch.svg("Ten steps of gradient descent on 3x² − 4x + 5 from 3")


def errors():
    sketch = Sketch((0, -15), (-12, 0), "h", "error")
    points = []
    for i in range(61):
        h = 10 ** (-i / 4)
        error = abs((math.sin(1 + h) - math.sin(1 - h)) / (2 * h) - math.cos(1))
        points.append((math.log10(h), math.log10(max(error, 1e-12))))
    sketch.path(points, RED)
    sketch.marks(
        [(-n, f"1e-{n}" if n else "1") for n in (0, 5, 10, 15)], [(-n, f"1e-{n}" if n else "1") for n in (0, 4, 8, 12)]
    )
    sketch.word(-1.2, -1, "the curve bends", dx=14)
    sketch.word(-11.5, -1, "rounding", dx=-40)
    return sketch.svg("The error of the central difference of sin at 1 for different h, on logarithmic axes")

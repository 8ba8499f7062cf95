"""Functions element by element that are no rows of the table, and special functions, for `adjoint check`."""

from collections.abc import Callable
from typing import Any

import adjoint
from adjoint import special


def _positive(x: Any) -> Any:
    return x * x + 0.3


GROUPS: dict[str, dict[str, Callable[..., Any]]] = {
    "element by element": {
        "deg2rad": lambda x: adjoint.deg2rad(x),
        "div": lambda x: adjoint.div(x, _positive(x)),
        "divmod": lambda x: adjoint.divmod(x, 0.71)[1],
        "fmax": lambda x: adjoint.fmax(x, 0.1),
        "fmin": lambda x: adjoint.fmin(x, 0.1),
        "heaviside": lambda x: adjoint.heaviside(x, x * x),
        "lerp": lambda x: adjoint.lerp(x, x * x, x - 0.3),
        "logaddexp2": lambda x: adjoint.logaddexp2(x, -x),
        "mod": lambda x: adjoint.mod(x, 0.71),
        "nan_to_num": lambda x: adjoint.nan_to_num(x),
        "positive": lambda x: adjoint.positive(x),
        "rad2deg": lambda x: adjoint.rad2deg(x),
        "reciprocal": lambda x: adjoint.reciprocal(_positive(x)),
        "rsqrt": lambda x: adjoint.rsqrt(_positive(x)),
        "sinc": lambda x: adjoint.sinc(x),
    },
    "special functions": {
        "digamma": lambda x: adjoint.digamma(_positive(x)),
        "erfc": lambda x: adjoint.erfc(x),
        "erfinv": lambda x: adjoint.erfinv(x / 2.5),
        "i0": lambda x: adjoint.i0(x),
        "lgamma": lambda x: adjoint.lgamma(_positive(x)),
        "logit": lambda x: adjoint.logit(adjoint.sigmoid(x) * 0.9),
        "special.beta": lambda x: special.beta(_positive(x), 1.5),
        "special.betainc": lambda x: special.betainc(1.5, 2.0, adjoint.sigmoid(x)),
        "special.betaln": lambda x: special.betaln(_positive(x), _positive(-x)),
        "special.entr": lambda x: special.entr(_positive(x)),
        "special.expit": lambda x: special.expit(x),
        "special.gamma": lambda x: special.gamma(_positive(x)),
        "special.gammainc": lambda x: special.gammainc(1.5, _positive(x)),
        "special.gammaincc": lambda x: special.gammaincc(1.5, _positive(x)),
        "special.i0e": lambda x: special.i0e(x),
        "special.i1": lambda x: special.i1(x),
        "special.i1e": lambda x: special.i1e(x),
        "special.kl_div": lambda x: special.kl_div(_positive(x), 1.5),
        "special.log_expit": lambda x: special.log_expit(x),
        "special.log_ndtr": lambda x: special.log_ndtr(x),
        "special.logsumexp": lambda x: special.logsumexp(x, axis=1, b=_positive(x)),
        "special.multigammaln": lambda x: special.multigammaln(_positive(x) + 1.0, 2),
        "special.ndtr": lambda x: special.ndtr(x),
        "special.ndtri": lambda x: special.ndtri(adjoint.sigmoid(x)),
        "special.polygamma": lambda x: special.polygamma(2, _positive(x)),
        "special.rel_entr": lambda x: special.rel_entr(_positive(x), 1.5),
        "special.xlog1py": lambda x: special.xlog1py(x, _positive(x)),
        "xlogy": lambda x: adjoint.xlogy(x, _positive(x)),
    },
}

"""Statistics, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint.cli.checks import Groups

_NAN = np.array([0.0, np.nan, 0.0, 0.0])  # added to a row: its second element is NaN

GROUPS: Groups = {
    "statistics": {
        "median": lambda x: adjoint.median(x, axis=1),
        "quantile": lambda x: adjoint.quantile(x, [0.2, 0.7], axis=0),
        "percentile": lambda x: adjoint.percentile(x, 30.0, axis=1, method="hazen"),
        "ptp": lambda x: adjoint.ptp(x, axis=0),
        "average": lambda x: adjoint.average(x, axis=1, weights=x * x),
        "cov": lambda x: adjoint.cov(x),
        "corrcoef": lambda x: adjoint.corrcoef(x)[0, 1:],
        "std_mean": lambda x: adjoint.stack(adjoint.std_mean(x, axis=1)),
        "var_mean": lambda x: adjoint.stack(adjoint.var_mean(x, axis=1)),
    },
    "statistics without NaN": {
        "nansum": lambda x: adjoint.nansum(x + _NAN, axis=1),
        "nanprod": lambda x: adjoint.nanprod(x + _NAN, axis=1),
        "nancumsum": lambda x: adjoint.nancumsum(x + _NAN, axis=1),
        "nancumprod": lambda x: adjoint.nancumprod(x + _NAN, axis=1),
        "nanmean": lambda x: adjoint.nanmean(x + _NAN, axis=1),
        "nanmax": lambda x: adjoint.nanmax(x + _NAN, axis=1),
        "nanmin": lambda x: adjoint.nanmin(x + _NAN, axis=1),
        "nanvar": lambda x: adjoint.nanvar(x + _NAN, axis=1),
        "nanstd": lambda x: adjoint.nanstd(x + _NAN, axis=1),
        "nanmedian": lambda x: adjoint.nanmedian(x + _NAN, axis=1),
        "nanquantile": lambda x: adjoint.nanquantile(x + _NAN, 0.3, axis=1),
        "nanpercentile": lambda x: adjoint.nanpercentile(x + _NAN, 30.0, axis=1),
    },
}

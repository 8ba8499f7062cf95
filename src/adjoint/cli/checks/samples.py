"""Differences and integrals of samples, products, polynomials and distances, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint import linalg
from adjoint.cli.checks import Groups

_PLACES = np.array([0.0, 0.5, 2.0, 3.0])

GROUPS: Groups = {
    "samples": {
        "diff": lambda x: adjoint.diff(x, 2),
        "ediff1d": lambda x: adjoint.ediff1d(x),
        "gradient": lambda x: adjoint.gradient(x, _PLACES, axis=1, edge_order=2),
        "trapezoid": lambda x: adjoint.trapezoid(x, _PLACES),
        "cumulative_trapezoid": lambda x: adjoint.cumulative_trapezoid(x, _PLACES),
        "simpson": lambda x: adjoint.simpson(x, _PLACES),
        "cumulative_simpson": lambda x: adjoint.cumulative_simpson(x, x=_PLACES),
        "interp": lambda x: adjoint.interp(x[0], _PLACES, x[1]),
        "convolve": lambda x: adjoint.convolve(x[0], x[1, :3]),
        "correlate": lambda x: adjoint.correlate(x[0], x[1, :3], "full"),
        "polyval": lambda x: adjoint.polyval(x[0], x[1]),
        "vander": lambda x: adjoint.vander(x[0], 3),
    },
    "products of vectors": {
        "inner": lambda x: adjoint.inner(x, x),
        "cross": lambda x: adjoint.cross(x[:, 0], x[:, 1]),
        "kron": lambda x: adjoint.kron(x[0], x[1]),
        "vdot": lambda x: adjoint.vdot(x, x),
        "vecdot": lambda x: adjoint.vecdot(x, x * x),
        "matvec": lambda x: adjoint.matvec(x, x[0]),
        "vecmat": lambda x: adjoint.vecmat(x[:, 0], x),
        "linalg.multi_dot": lambda x: linalg.multi_dot([x[0], x.T, x]),
        "linalg.cross": lambda x: linalg.cross(x[:, 0], x[:, 1]),
        "linalg.vecdot": lambda x: linalg.vecdot(x, x * x),
    },
    "norms and distances": {
        "norm, 3": lambda x: adjoint.norm(x, 3, axis=1),
        "norm, 1/2": lambda x: adjoint.norm(x, 0.5, axis=1),
        "norm, -1": lambda x: adjoint.norm(x, -1, axis=1),
        "norm, inf": lambda x: adjoint.norm(x, np.inf, axis=1),
        "normalize": lambda x: adjoint.normalize(x),
        "cosine_similarity": lambda x: adjoint.cosine_similarity(x[0], x[1]),
        "pairwise_distance": lambda x: adjoint.pairwise_distance(x[0], x[1]),
        "cdist": lambda x: adjoint.cdist(x[:1], x[1:]),
        "linalg.cond": lambda x: linalg.cond(x),
        "linalg.lstsq": lambda x: linalg.lstsq(x.T, x[0]).solution,
        "linalg.vector_norm": lambda x: linalg.vector_norm(x, axis=0),
        "linalg.svd, values": lambda x: linalg.svd(x, compute_uv=False),
        "linalg.eigvalsh, upper": lambda x: linalg.eigvalsh(x[:, :3] + x[:, :3].T, UPLO="U"),
    },
}

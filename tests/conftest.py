"""What every test shares: repeatable random examples, and both engines side by side."""

import importlib
import os
import sys
from importlib import metadata

import pytest
from hypothesis import HealthCheck, settings

import adjoint

# XLA takes longer to optimise the small programs of the tests than they run. Not to optimise, and to emit code the
# plainer way, makes that a third. An XLA that does not know a flag ends the process: so only where it is known.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
if "XLA_FLAGS" not in os.environ and metadata.version("jaxlib").startswith("0.10."):
    os.environ["XLA_FLAGS"] = "--xla_cpu_use_fusion_emitters=false"

collect_ignore = ["outside"]  # programs that run tests, and no tests themselves

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def all_engines():
    """The package on the native core, where it is built, and the package in plain Python, in one process."""
    if not adjoint.accelerated and not _core_is_built():
        return (adjoint,)
    other = _second_copy(pure=adjoint.accelerated)
    assert other.accelerated is not adjoint.accelerated
    return (adjoint, other) if adjoint.accelerated else (other, adjoint)


@pytest.fixture(scope="session")
def engines(all_engines):
    """Both engines: first the native core, then plain Python."""
    if len(all_engines) == 1:
        pytest.skip("the native core is not built here, so there is only one engine")
    return all_engines


def _core_is_built() -> bool:
    return importlib.util.find_spec("adjoint.engine._core") is not None


def _second_copy(pure: bool):
    """Import the package once more, on the other engine, leaving the first copy in place."""
    ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "adjoint"}
    before = os.environ.get("ADJOINT_PURE")
    for name in ours:
        if name != "adjoint.engine._core":
            del sys.modules[name]
    try:
        os.environ["ADJOINT_PURE"] = "1" if pure else ""
        return importlib.import_module("adjoint")
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "adjoint"]:
            del sys.modules[name]
        sys.modules.update(ours)
        if before is None:
            del os.environ["ADJOINT_PURE"]
        else:
            os.environ["ADJOINT_PURE"] = before

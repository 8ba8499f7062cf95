"""Shared by all tests: repeatable random examples, limited threads, and both engines side by side."""

import functools
import gc
import importlib
import os
import sys
from importlib import metadata, util

import pytest
from fuzzing import FUZZING, share
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# Two processes run the tests on two cores. More threads than that only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# XLA takes longer to optimize the small programs of the tests than they run. Fewer optimizations and the plainer
# emitters take a third of the time. An XLA that does not know a flag ends the process, so the version is checked.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
if util.find_spec("jaxlib") and metadata.version("jaxlib").startswith("0.10."):
    os.environ["XLA_FLAGS"] = (
        f"--xla_cpu_use_fusion_emitters=false --xla_cpu_multi_thread_eigen=false {os.environ.get('XLA_FLAGS', '')}"
    )

import adjoint

collect_ignore = ["outside", "proof", "support"]  # programs that run tests, and what tests use

# `make test` draws the same examples each time; `make fuzz` draws others, and more of them (support/fuzzing.py).
settings.register_profile(
    "tests",
    max_examples=share(100),
    derandomize=not FUZZING,
    print_blob=FUZZING,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tests")
# Hypothesis also draws constants of the modules that are loaded: other ones in another order of tests.
if hasattr(providers, "is_local_module_file"):
    providers.is_local_module_file = lambda path: False


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep what is imported and collected, millions of objects, out of each later pass of the garbage collector."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Skip the tests of float16 that need XLA, on a processor for which XLA cannot compile it (one without F16C)."""
    try:
        return (yield)
    except Exception as error:
        if "Failed to materialize symbols" in str(error) and not _xla_has_float16():
            pytest.skip("XLA cannot compile float16 for this processor")
        raise


@functools.cache
def _xla_has_float16() -> bool:
    import jax

    try:
        jax.jit(lambda x: (2 * x).sum())(jax.numpy.ones(3, "float16"))
    except jax.errors.JaxRuntimeError:
        return False
    return True


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
    return util.find_spec("adjoint.engine._core") is not None


def _second_copy(pure: bool):
    """Import the package a second time, on the other engine, and leave the first copy in place."""
    ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "adjoint"}
    before = os.environ.get("ADJOINT_PURE")
    for name in ours:
        if name != "adjoint.engine._core":
            del sys.modules[name]
    try:
        os.environ["ADJOINT_PURE"] = "1" if pure else ""
        copy = importlib.import_module("adjoint")
        for name in ("Value", "accelerated", "ops"):  # public names are loaded when they are first used: use them now
            getattr(copy, name)
        for name in (
            "engine.anomaly",
            "engine.backward_guards",
            "engine.chain_rule",
            "errors.kinds",
            "errors.warning_kinds",
        ):
            importlib.import_module(f"adjoint.{name}")
        return copy
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "adjoint"]:
            del sys.modules[name]
        sys.modules.update(ours)
        if before is None:
            del os.environ["ADJOINT_PURE"]
        else:
            os.environ["ADJOINT_PURE"] = before

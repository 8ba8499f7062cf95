"""Compiled programs in files, so that the next process need not compile them again."""

import os

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.optional_jax import load_jax, require_jax


def compilation_cache(directory: str | os.PathLike[str] | None) -> None:
    """Keep the programs that `jit` compiles in a directory, and load them from there in later processes.

    The directory is created if it does not exist. The programs that are compiled after this call are kept, by JAX's
    persistent compilation cache. None turns it off.

    >>> import adjoint
    >>> adjoint.compilation_cache("/tmp/programs")
    >>> adjoint.compilation_cache(None)
    """
    require_jax("compilation_cache")
    if directory is not None and not isinstance(directory, (str, os.PathLike)):
        raise ArgumentError(f"compilation_cache needs a directory or None, not {describe(directory)}")
    jax = load_jax()
    path = None if directory is None else os.path.abspath(os.path.expanduser(os.fspath(directory)))
    jax.config.update("jax_compilation_cache_dir", path)
    if path is not None:  # by default, JAX keeps only programs that took more than a second to compile
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # JAX reads the setting when it compiles the first program, which may be long ago
    from jax.experimental.compilation_cache.compilation_cache import reset_cache

    reset_cache()

"""Builds the native core: generates the C of every rule from ops.py, then compiles it against NumPy.

Where there is no C compiler the package is installed without the core and runs in plain Python. Set
ADJOINT_SANITIZE to address,undefined or to thread to build the core with these sanitizers.
"""

import os
import sys
from pathlib import Path

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = Path("src/adjoint/engine/_native")
# Bit-for-bit agreement with Python: no fused multiply-add, no reordering of arithmetic except in loops that ask for it.
FLAGS = ["-O3", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd"]
SANITIZE = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined", "-DADJOINT_NO_SLABS"]


class BuildCore(build_ext):
    """build_ext, with ops.h and loops.h generated first."""

    def build_extension(self, ext):
        generated = Path(self.build_temp) / "generated"
        generated.mkdir(parents=True, exist_ok=True)
        for name, text in _c_headers().items():
            (generated / name).write_text(text)
        ext.include_dirs += [str(generated), numpy.get_include()]
        super().build_extension(ext)


def _c_headers() -> dict[str, str]:
    os.environ["ADJOINT_PURE"] = "1"  # the core cannot be needed to build the core
    sys.path.insert(0, "src")
    from adjoint.engine.mathematics.c_loops import loops_header
    from adjoint.engine.mathematics.symbols import c_header

    return {"ops.h": c_header(), "loops.h": loops_header()}


sanitizers = os.environ.get("ADJOINT_SANITIZE")
sanitize = [f"-fsanitize={sanitizers}"] if sanitizers else []
setup(
    cmdclass={"build_ext": BuildCore},
    ext_modules=[
        Extension(
            "adjoint.engine._core",
            [str(NATIVE / "value.c")],
            depends=[
                *map(str, NATIVE.glob("*.h")),
                *(f"src/adjoint/engine/{name}.py" for name in ("ops", "mathematics/symbols", "mathematics/c_loops")),
            ],
            include_dirs=[str(NATIVE)],
            extra_compile_args=FLAGS + (SANITIZE + sanitize if sanitize else []),
            extra_link_args=sanitize,
            optional=True,
        )
    ],
)

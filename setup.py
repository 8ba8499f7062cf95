"""Builds the package: the native core, and the page of the package in an index, which is the README.

The C code of every rule is generated from ops.py, then compiled against NumPy. Where there is no C compiler the package
is installed without the core and runs in plain Python. Environment variables:

    ADJOINT_REQUIRE_CORE=1   fail if the core cannot be built, as for the wheels of a release
    ADJOINT_PURE_WHEEL=1     build no core; the wheel runs on every system (py3-none-any)
    ADJOINT_SANITIZE=…       build the core with these sanitizers: address,undefined or thread
    ADJOINT_REPOSITORY=…     the address of the repository, for links; the workflow of a release sets it
"""

import os
import re
import sys
from pathlib import Path

# pip reads `requires-python` of sources only after it has tried all versions of all dependencies, for minutes.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"adjoint needs Python 3.11 or later, and this is {sys.version.split()[0]}")

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = Path("src/adjoint/engine/_native")
# Bit-for-bit agreement with Python: no fused multiply-add, no reordering of arithmetic except in loops that ask for it.
FLAGS = ["-O3", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd"]
MSVC_FLAGS = ["/O2", "/std:c11", "/fp:precise", "/utf-8"]  # compiler.h switches fused multiply-add off
SANITIZE = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined", "-DADJOINT_NO_SLABS"]


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


class BuildCore(build_ext):
    """build_ext, with ops.h and loops.h generated first."""

    def build_extension(self, ext):
        import numpy

        generated = Path(self.build_temp) / "generated"
        generated.mkdir(parents=True, exist_ok=True)
        for name, text in _c_headers().items():
            (generated / name).write_text(text, encoding="utf-8")
        ext.include_dirs += [str(generated), numpy.get_include()]
        ext.extra_compile_args = [
            *(MSVC_FLAGS if self.compiler.compiler_type == "msvc" else FLAGS),
            *_sanitize(SANITIZE),
        ]
        try:
            super().build_extension(ext)
        except Exception as error:
            print(f"adjoint: the native core could not be built: {error}", file=sys.stderr)
            if ext.optional:
                print("adjoint: the slower Python engine will run; see docs/install.md", file=sys.stderr)
            raise  # setuptools goes on without an optional extension


def _c_headers() -> dict[str, str]:
    os.environ["ADJOINT_PURE"] = "1"  # the core cannot be needed to build the core
    sys.path.insert(0, "src")
    from adjoint.engine.mathematics.c_loops import loops_header
    from adjoint.engine.mathematics.symbols import c_header

    return {"ops.h": c_header(), "loops.h": loops_header()}


def _sanitize(more: list[str]) -> list[str]:
    sanitizers = os.environ.get("ADJOINT_SANITIZE")
    return [*more, f"-fsanitize={sanitizers}"] if sanitizers else []


def _links() -> dict[str, str]:
    return {"Source": REPOSITORY, "Changelog": f"{REPOSITORY}/blob/HEAD/CHANGELOG.md"} if REPOSITORY else {}


def _long_description() -> str:
    """Return the README for other places than the repository: relative links get its address, or become text."""
    parts = re.split(r"^(```.*?^```)", Path("README.md").read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    parts[::2] = map(_with_absolute_links, parts[::2])  # the others are code
    return "".join(parts)


def _with_absolute_links(text: str) -> str:
    target = r"\((?!https?:|mailto:|#)([^()\s]+)\)"
    if not REPOSITORY:
        return re.sub(r"\[([^]]*)\]" + target, r"\1", re.sub(r"!\[[^]]*\]" + target, "", text))
    text = re.sub(r"(!\[[^]]*\])" + target, rf"\1({REPOSITORY}/raw/HEAD/\2)", text)
    return re.sub(r"(\[[^]]*\])" + target, rf"\1({REPOSITORY}/blob/HEAD/\2)", text)


REPOSITORY = os.environ.get("ADJOINT_REPOSITORY", "").rstrip("/")
core = Extension(
    "adjoint.engine._core",
    [str(NATIVE / "value.c")],
    depends=[
        *map(str, NATIVE.glob("*.h")),
        *(f"src/adjoint/engine/{name}.py" for name in ("ops", "mathematics/symbols", "mathematics/c_loops")),
    ],
    include_dirs=[str(NATIVE)],
    extra_link_args=_sanitize([]),
    optional=not is_set("ADJOINT_REQUIRE_CORE"),
)
setup(
    cmdclass={"build_ext": BuildCore},
    ext_modules=[] if is_set("ADJOINT_PURE_WHEEL") else [core],
    project_urls=_links(),
    long_description=_long_description(),
    long_description_content_type="text/markdown",
)

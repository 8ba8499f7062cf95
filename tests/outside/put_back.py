"""Put known bugs back into a copy of the package, one at a time, and see whether the random programs find them.

    python tests/outside/put_back.py [NAME …] [--seed N] [--programs N]

Each bug is a list of replacements in files of `src/adjoint`: the text of today, and the text that was wrong. It counts
as found if a program that fails, made short, matches a regular expression, so that a bug is not found by accident.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "tests" / "support"


class Bug(NamedTuple):
    """A bug that was mended: what was wrong, how to put it back, and what a program that finds it contains."""

    title: str
    replacements: list[tuple[str, str, str]]
    contains: str


_UNCHECKED = [
    (
        "arrays/backends/numpy.py",
        "                if a != b and a != 1:\n",
        "                if False:\n",
    ),
    (
        "arrays/backends/numpy.py",
        "if missing < 0 or not x.size",
        "if not x.size",
    ),
    (
        "arrays/broadcasting.py",
        "        if extra < 0:\n",
        "        if extra < 0 or not all(b in (1, a) for a, b in zip(given[extra:], shape)):\n"
        "            gradient, extra, given = m.broadcast_to(gradient, shape), 0, shape\n"
        "        if extra < 0:\n",
    ),
]
BUGS = {
    "1": Bug("einsum gives a wrong gradient where axes of size 1 meet", _UNCHECKED, "einsum"),
    "2": Bug("at.set gives a wrong gradient to values with a leading axis", _UNCHECKED, r"\.set\("),
    "3": Bug(
        "np.array of Values is taken as a constant",
        [
            ("transforms/linearization.py", "tree_map(_stacked, result)", "result"),
            ("transforms/linearization.py", "if m is not None and m.is_real(x.dtype):", "if m is not None:"),
        ],
        r"np\.a",
    ),
    "4": Bug(
        "a cotangent or tangent without axes cannot be a number Value",
        [
            (
                "transforms/derivatives.py",
                "        return shaping.astype(shaping.reshape(given, ()), data.dtype)\n",
                "        return given\n",
            ),
            (
                "arrays/broadcasting.py",
                "    if is_number_value(gradient):  # a number that can be differentiated again: one for each element\n"
                "        gradient = m.reshape(gradient, ())\n"
                "    elif not",
                "    if is_number_value(gradient) or not",
            ),
        ],
        r"Value\(",
    ),
    "5": Bug(
        "the second derivative of a reduction of a number fails",
        [
            (
                "arrays/value_mathematics.py",
                "        return [shaping.reshape(x, ()) for x in operands]\n",
                "        return operands\n",
            )
        ],
        r"np\.",
    ),
    "6": Bug(
        "the backward pass of einsum does not broadcast axes of size 1",
        [
            (
                "arrays/functions/products.py",
                "    sizes = iter(part.shape)\n"
                "    return m.reshape(part, tuple(next(sizes) if letter in known else 1 for letter in wanted))\n",
                "    kept = tuple(size if letter in known else 1 for letter, size in zip(wanted, xs[i].shape))\n"
                "    return m.broadcast_to(m.reshape(part, kept), xs[i].shape)\n",
            )
        ],
        "einsum",
    ),
    "14": Bug(
        "erf of an array without axes is a float",
        [("arrays/backends/base.py", "if type(x) is float:", "if isinstance(x, float):")],
        "erf|gelu",
    ),
    "15": Bug(
        "small integers as indices overflow",
        [
            ("arrays/backends/numpy.py", "rows.ravel().astype(np.intp, copy=False)", "rows.ravel()"),
            ("arrays/functions/indexing.py", "return index.astype(np.intp)", "return index"),
        ],
        "int8",
    ),
    "18": Bug(
        "a number of a subclass of Value breaks an array operation",
        [("arrays/kinds.py", "return isinstance(x, Value) and not x._is_array", "return type(x) is Value")],
        r"V\(",
    ),
    "18, equality": Bug(
        "a subclass with == merges leaves",
        [("engine/attachments.py", 'type.__setattr__(cls, "__hash__", object.__hash__)', "pass")],
        r"W\(",
    ),
    "cosine": Bug(
        "cosine_similarity takes norms before it broadcasts",
        [
            (
                "arrays/functions/norms.py",
                "x if shape_of(x) == shape else broadcast_to(x, shape) for x in (x1, x2)",
                "x1, x2",
            )
        ],
        "cosine_similarity",
    ),
    "bound": Bug(
        "an infinite lower bound of clip has no gradient",
        [("arrays/functions/indexing.py", "m.less(low, high) if has_high else x < low", "m.less(low, high)")],
        "clip|clamp",
    ),
    "integers": Bug(
        "functions that arrange and choose make floats of integers",
        [("arrays/apply.py", "if keeps_integers and are_integers(datas)", "if False")],
        r"concat|stack|where|roll|flip|pad",
    ),
    "cummin": Bug(
        "cummin of integers negates them, and the smallest has no negative",
        [("arrays/functions/cumulative.py", "~data if are_integers([data]) else -data", "-data")],
        "cummin",
    ),
}  # fmt: skip


def main() -> int:
    """Run the bugs that were asked for, print a table, and return 1 if one was not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(BUGS), metavar="NAME", help=f"of {', '.join(BUGS)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=10_000, help="the most programs to run for each bug")
    asked = parser.parse_args()
    missed = 0
    for name in asked.names:
        found = find(BUGS[name], asked.seed, asked.programs)
        missed += found is None
        print(f"{name:13} {BUGS[name].title}: {'NOT FOUND' if found is None else found.splitlines()[0]}")
        for line in (found or "").splitlines()[1:]:
            print(f"    {line}")
    print(f"{len(asked.names) - missed} of {len(asked.names)} bugs found")
    return 1 if missed else 0


def find(bug: Bug, seed: int, programs: int) -> str | None:
    """Return the first program that finds a bug, as Python, or None."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        for path, today, wrong in bug.replacements:
            file = copy / "adjoint" / path
            text = file.read_text(encoding="utf-8")
            if today not in text:
                raise SystemExit(f"{path} does not contain {today!r} any more: change it in {Path(__file__).name}")
            file.write_text(text.replace(today, wrong, 1), encoding="utf-8")
        command = f"from random_programs.campaign import search; search({seed}, {programs}, {bug.contains!r})"
        paths = os.pathsep.join([str(copy), str(SUPPORT)])
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
        done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout or None


if __name__ == "__main__":
    sys.exit(main())

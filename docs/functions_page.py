"""The page "NumPy and PyTorch, function by function", generated from the code.

What works on Values by NumPy's names is read from the tables of `numpy_names`, what adjoint has from its public
names, and the rest from the tables of `peer_functions.py`. Run this file to print the page.
"""

import importlib
import re
import types
from collections.abc import Iterator

import numpy as np
import peer_functions as peers

import adjoint
from adjoint.arrays import numpy_names
from adjoint.engine import ops

INTRODUCTION = """# NumPy and PyTorch, function by function

This page lists the functions of NumPy, of PyTorch and of `scipy.special`, and what adjoint has for each of them.
NumPy's own functions accept Values: `np.sum(v)` is `adjoint.sum(v)`. Those marked *without gradient* give plain arrays.
The last table of each section says why the others are absent. `make docs` generates the page from the code.
"""
NOTES = {
    "torch.nn.functional": "Functions that `torch` has too, such as `relu` and `softmax`, are in the section above.",
    "numpy.fft": "NumPy's own functions give complex arrays; for Values they raise an error that names ours.",
    "torch.Tensor": "These are the methods of tensors that are not also functions of `torch`; `v` is a Value.",
}
MODULES = ("", "special", "linalg", "fft", "nn")


def page() -> str:
    """Return the page as Markdown."""
    return INTRODUCTION + "".join(section(library) for library in LIBRARIES)


def section(library: str) -> str:
    """Return the tables of one library: what adjoint has, and why the rest is absent."""
    found, absent = entries(library)
    lines = [
        f"\n## {library}\n",
        f"adjoint has {len(found)} of {len(found) + sum(map(len, absent.values()))} functions.\n",
    ]
    lines += [f"{NOTES[library]}\n"] if library in NOTES else []
    lines += [f"| `{library}` | adjoint |", "|---|---|"]
    lines += [f"| `{name}` | {ours.replace('|', chr(92) + '|')} |" for name, ours in found.items()]
    if absent:
        lines += ["", f"| absent from adjoint | functions of `{library}` |", "|---|---|"]
        lines += [f"| {reason} | {' '.join(f'`{name}`' for name in names)} |" for reason, names in absent.items()]
    return "\n".join(lines) + "\n"


def entries(library: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return what adjoint has for each function of a library, and the others by the reason for their absence."""
    found, absent = {}, {}
    for name in LIBRARIES[library]():
        ours = peers.NAMES[library].get(name) or (of_numpy if library.startswith("numpy") else of_others)(library, name)
        if ours:
            found[name] = ours
        else:
            absent.setdefault(reason(library, name), []).append(name)
    return found, absent


def reason(library: str, name: str) -> str:
    """Return why adjoint lacks a function; a function without a decision is an error."""
    for text, patterns in peers.DECISIONS:
        if any(re.fullmatch(pattern, name) for pattern in patterns.get(library, "").split()):
            return text
    raise KeyError(f"docs/peer_functions.py has neither a name nor a decision for {library}.{name}")


# --- what adjoint has --------------------------------------------------------------------------------------------


def of_numpy(library: str, name: str) -> str:
    """Return what NumPy's function gives for a Value, as the tables of `numpy_names` say."""
    function = getattr(importlib.import_module(library), name)
    known = getattr(function, "__name__", name)  # np.amax is another name of np.max
    place = (numpy_names.LINALG if library == "numpy.linalg" else numpy_names.FUNCTIONS).get(known)
    row = numpy_names.UFUNCS.get(known, known)
    if known in numpy_names.QUESTIONS:
        return "*without gradient*"
    if library == "numpy.fft":
        return f"`fft.{name}`" if name in adjoint.fft.__all__ else ""
    if isinstance(function, np.ufunc) and (row in ops.TABLE or known == "matmul"):
        return f"`adjoint.{row}`"
    if place is None:
        return ""
    own = place.partition(".")[2] or known
    return public_name(own) or public_name(name) or f"`np.{name}`"


def of_others(library: str, name: str) -> str:
    """Return the public function with the name of PyTorch's or SciPy's, or of a loss without "_loss"."""
    if library == "torch.Tensor":
        return f"`v.{name}`" if hasattr(adjoint.Tensor, name) else ""
    if library == "scipy.special":
        return f"`special.{name}`" if name in adjoint.special.__all__ else ""
    return public_name(name) or public_name(name.removesuffix("_loss"))


def public_name(name: str) -> str:
    """Return a public function in the form in which users write it, or nothing."""
    for module in MODULES:
        room = getattr(adjoint, module) if module else adjoint
        found = getattr(room, name, None) if name in dir(room) else None
        if callable(found) and not isinstance(found, (type, types.ModuleType)):
            return f"`{module or 'adjoint'}.{name}`"
    return ""


# --- the functions of the libraries -----------------------------------------------------------------------------


def functions_of(module: str) -> Iterator[str]:
    """Yield the names of the functions of a module of NumPy."""
    room = importlib.import_module(module)
    for name in sorted(set(room.__all__)):
        found = getattr(room, name)
        if callable(found) and not isinstance(found, (type, types.ModuleType)):
            yield name


LIBRARIES = {
    "numpy": lambda: functions_of("numpy"),
    "numpy.linalg": lambda: functions_of("numpy.linalg"),
    "numpy.fft": lambda: functions_of("numpy.fft"),
    "torch": peers.TORCH.split,
    "torch.nn.functional": peers.FUNCTIONAL.split,
    "torch.Tensor": peers.TENSOR.split,
    "scipy.special": peers.SPECIAL.split,
}

if __name__ == "__main__":
    print(page())

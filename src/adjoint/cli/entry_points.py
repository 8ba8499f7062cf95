"""Commands of other packages, which the command line finds by their entry points.

A package adds a command by an entry point of the group `adjoint.commands`, whose value is a module:

    [project.entry-points."adjoint.commands"]
    prune = "my_package.prune_command"

The module has the docstring that `--help` prints, and the functions `add_options(parser)` and `run(asked) -> int`. It
is imported when its command is chosen: a package that is broken does not affect other commands.
"""

import ast
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, distributions
from importlib.util import find_spec
from typing import Any

from adjoint.errors import AdjointError

GROUP = "adjoint.commands"


def commands_of_packages() -> dict[str, EntryPoint]:
    """Return the commands of all installed packages by name. Of two with one name, the first on `sys.path` counts."""
    found: dict[str, EntryPoint] = {}
    for package in distributions():
        try:
            entries = package.entry_points.select(group=GROUP)
        except Exception:  # the file of a package that is damaged, which may have nothing to do with adjoint
            continue
        for entry in entries:
            found.setdefault(entry.name, entry)
    return dict(sorted(found.items()))


def entry_of(name: str, module: str) -> EntryPoint:
    """Return the entry point of a command, such as one of this package."""
    return EntryPoint(name, module, GROUP)


def load_command(entry: EntryPoint) -> Any:
    """Import the module of a command; whatever is wrong with it becomes an error that names the package."""
    package = entry.dist.name if entry.dist else entry.value
    try:
        module = entry.load()
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise AdjointError(f"the command {entry.name} of {package} cannot be loaded: {reason}") from error
    for name in ("add_options", "run"):
        if not callable(getattr(module, name, None)):
            raise AdjointError(f"the command {entry.name} of {package} is incomplete: {entry.value} has no {name}()")
    return module


def docstring(entry: EntryPoint) -> str:
    """Return the docstring of the module of a command, without importing its package."""
    try:
        return ast.get_docstring(ast.parse(_source(entry.module))) or ""
    except Exception:  # whatever is wrong is reported when the command is chosen
        return ""


def _source(module: str) -> str:
    """Return the source of a module. `find_spec` of its full name would import the packages that contain it."""
    package, *parts = module.split(".")
    spec: Any = find_spec(package)
    for part in parts:
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return spec.loader.get_source(spec.name)

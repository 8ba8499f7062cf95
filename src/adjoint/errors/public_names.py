"""The public names of a package, loaded when they are first used, with an error that explains unknown ones."""

from collections.abc import Callable

import lazy_loader


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package whose names are in its `__init__.pyi`."""
    load, list_names, names = lazy_loader.attach_stub(package, file)

    def load_or_explain(name: str) -> object:
        if name.startswith("_") or name in names:
            return load(name)
        from adjoint.errors.foreign_names import unknown_name  # only errors need it

        raise unknown_name(package, name)

    return load_or_explain, list_names, names

"""The API reference: a page for each public name, and index pages that list the names with one line each.

The reference is generated from the public names, which are written once, in the `__init__.pyi` files and the `__all__`
lists of the package. A new public name therefore appears in the reference without any other change.

The address of a page follows from the public name alone: `adjoint.nn.LSTM` is `reference/nn/LSTM.html`, and
`adjoint.grad` is `reference/adjoint/grad.html`. A name keeps its address when it moves to another index page.
"""

import ast
import html
import inspect
import re
from collections.abc import Iterator
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from types import ModuleType

import griffe
from mkdocs.structure.files import Files
from reference_text import fence_doctests

import adjoint

_ROOT = Path(__file__).parents[1]

# The index pages: file name, title, introduction, and contents. An entry of the contents is a heading, a public name,
# or a module, which stands for the public names that it defines and that no earlier entry lists.
_INDEXES = [
    ("values", "Values", "A number or an array that records how it was computed.",
     ["engine.value", "arrays.tensor", "engine.modes", "engine.native", "engine.rule", "engine.randomness",
      "arrays.dtypes"]),
    ("arrays", "Array functions", "Functions of Values and of plain arrays, for every supported array library.",
     ["## Reductions", "arrays.functions.reductions", "## Shapes", "arrays.functions.shaping",
      "## Indexing", "arrays.functions.indexing", "## Products", "arrays.functions.products",
      "## New arrays", "compat.torch_creation", "## Functions with PyTorch's parameters", "compat",
      "## Other functions", "arrays.functions"]),
    ("linalg", "Linear algebra", "", ["linalg"]),
    ("special", "Special functions", "", ["special"]),
    ("stats", "Distributions", "With `logpdf pdf cdf logcdf sf logsf ppf`, or `logpmf pmf cdf …`.", ["stats"]),
    ("fft", "Fourier transforms", "Functions of arrays and of pairs of arrays, the real and imaginary parts.", ["fft"]),
    ("transforms", "Transforms", "Functions that return the derivative of a function, and the gradient check.",
     ["transforms"]),
    ("compile", "Compilation", "", ["compile"]),
    ("distributed", "Several processes", "Everything in `adjoint.distributed`.", ["distributed"]),
    ("nn", "Neural networks", "Modules and layers, activations, losses, initialization, and networks of single Values.",
     ["## Modules and layers", "nn.module", "nn.Sequential", "nn.Linear", "nn.layers", "nn.shape_layers",
      "nn.embeddings", "nn.convolutions", "nn.pools", "nn.normalization_layers", "nn.attention_layers", "nn.recurrent",
      "## Activations", "nn.activation_layers", "## Losses", "nn.losses", "nn.likelihood_losses", "nn.margin_losses",
      "nn.alignments", "nn.criteria", "## Initialization", "nn.init", "## Networks of single Values", "nn.scalar",
      "## Other names", "nn"]),
    ("optim", "Optimizers", "Everything in `adjoint.optim`.", ["optim"]),
    ("data", "Data", "Everything in `adjoint.data`.", ["data"]),
    ("metrics", "Metrics", "Everything in `adjoint.metrics`.", ["metrics"]),
    ("training", "Training", "", ["training", "errors.guard_warnings"]),
    ("files", "Files and other libraries", "", ["files"]),
    ("sklearn", "scikit-learn", "Everything in `adjoint.sklearn`.", ["sklearn"]),
    ("see", "Drawing, explaining, plotting", "", ["see"]),
    ("errors", "Errors and warnings", "Every error is an `AdjointError` and also a built-in exception.", ["errors"]),
]  # fmt: skip

# Options of mkdocstrings that differ for all names of an index page, or for one name.
_OPTIONS = {
    "errors": "      show_bases: true\n",
    "adjoint.nn.init": "      members: false\n",
    "adjoint.see.plots": "      heading: adjoint.plots\n      toc_label: adjoint.plots\n      members: false\n",
}

_FRONT = '---\ntitle: "{title}"\nsearch:\n  boost: {boost}\n---\n'


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page of the reference."""
    names, entries = _public_names(), {}
    for index, title, introduction, contents in _INDEXES:
        lines = [f"# {title}\n", introduction, ""]
        for entry in contents:
            if entry.startswith("#"):
                lines += ["", entry, ""]
                continue
            chosen = _take(names, entry)
            if chosen and not lines[-1].startswith("|"):
                lines += ["| Name | Description |", "|---|---|"]
            lines += [f"| {_link(name)} | {_summary(name)} |" for name in chosen]
            entries |= dict.fromkeys(chosen, index)
        yield f"reference/{index}.md", "\n".join(lines)
    assert not names, f"public names without a page of the reference: {names}"
    yield "reference/operations.md", _operations_page()
    entries |= {f"adjoint.{row}": "operations" for row in adjoint.ops.TABLE if f"adjoint.{row}" not in entries}
    for name, index in entries.items():
        yield _address(name), _page(name, index)


def place(files: Files) -> None:
    """Let the menu show the index page of a name as active, and the foot of a page lead to the next name."""
    for source in [each for each in files.src_uris if re.fullmatch(r"reference/\w+\.md", each)]:
        index = before = files.src_uris[source].page
        for address in re.findall(r"\]\(([\w/]+\.md)\)", files.src_uris[source].content_string):
            page = files.src_uris[f"reference/{address}"].page
            if page.parent is None:
                page.parent, page.previous_page = index, before
                if before is not index:
                    before.next_page = page
                before = page


def with_short_title(content: str) -> str:
    """Return the HTML of a page of a name, with the package before the name in small print."""

    def short(found: re.Match[str]) -> str:
        heading = re.sub(r">((?:\w+\.)+)(\w+)<", r"><small>\1</small>\2<", found[0], count=1)
        return heading.replace('<span class="doc doc-labels"', '<span data-search-exclude="yes" class="doc doc-labels"')

    return re.sub(r'<h1 id="adjoint\.[\w.]+".*?</h1>', short, content, count=1, flags=re.DOTALL)


# --- the page of a name ----------------------------------------------------------------------------------------------


def _page(name: str, index: str) -> str:
    """Return the Markdown of the page of a public name."""
    found, computed = _static(name), _object(name)
    boost = 1 if found.is_module else 2 * 3 ** _extensions(_short(name).lower())
    front = _FRONT.format(title=_short(name), boost=boost)
    is_documented = found.docstring or not callable(computed) or isinstance(computed, type)
    options = _OPTIONS.get(index, "") + _OPTIONS.get(name, "")
    text = f"::: {name}\n    options:\n      heading_level: 1\n{options}" if is_documented else _computed_page(name)
    return f"{front}\n{text}"


def _computed_page(name: str) -> str:
    """Return the page of a function that another function makes: its source has neither signature nor docstring."""
    function, short = _object(name), _short(name)
    signature = inspect.signature(function)
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    plain = signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    lines = ["<!-- -->\n", f"# {name} {{#{name}}}\n", f"```python\n{short}{plain}\n```\n"]
    if row := adjoint.ops.TABLE.get(short if name == f"adjoint.{short}" else ""):
        lines += ["```text", *str(row).split("    "), "```\n"]
    return "\n".join([*lines, fence_doctests(inspect.getdoc(function) or "")])


def _link(name: str, text: str = "") -> str:
    """Return a link to the page of a name, which also has the anchor that the name had on its index page."""
    return f'[<code id="{name}">{text or _short(name)}</code>]({_address(name).removeprefix("reference/")})'


def _address(name: str) -> str:
    """Return the file of the page of a name. Many file systems do not distinguish `Tensor` and `tensor`."""
    package, _, short = name.removeprefix("adjoint.").rpartition(".")
    is_class_too = name in _in_two_cases()
    return f"reference/{package.replace('.', '/') or 'adjoint'}/{short}{'_function' if is_class_too else ''}.md"


@cache
def _extensions(start: str) -> int:
    """Return how many names extend each other after this one, up to 3: 1 for `LSTM`, because of `LSTMCell`.

    The search looks for words that begin with the query, and shows rare words first. Without a larger boost for the
    shorter name, it would show `LSTMCell` before `LSTM`.
    """
    longer = {word for word in _words() if word.startswith(start)} - {start}
    return min(3, 1 + max(map(_extensions, longer))) if longer else 0


@cache
def _words() -> set[str]:
    """Return the names, without their packages, and the names of methods, all in small letters."""
    names = _all_names()
    methods = {method for name in names if (found := _static(name)).is_class for method in found.members}
    return {_short(name).lower() for name in names} | {method.lower() for method in methods if method[0] != "_"}


@cache
def _all_names() -> set[str]:
    return {*_public_names(), *(f"adjoint.{row}" for row in adjoint.ops.TABLE)}


@cache
def _in_two_cases() -> set[str]:
    """Return the functions with the name of a class in small letters."""
    return {name.lower() for name in _all_names() if name != name.lower()} & _all_names()


def _summary(name: str) -> str:
    """Return the first sentence about a name, for a row of a table."""
    computed = _object(name)
    own = callable(computed) or isinstance(computed, ModuleType) or type(computed).__module__.startswith("adjoint")
    docstring = _static(name).docstring
    text = docstring.value if docstring else (inspect.getdoc(computed) or "") if own else ""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[^.]\.)\s+(?=[A-Z`])", paragraph, maxsplit=1)[0].rstrip(":").replace("|", "\\|")


def _short(name: str) -> str:
    return "plots" if name == "adjoint.see.plots" else name.rpartition(".")[2]


def _object(name: str) -> object:
    """Return what a public name stands for."""
    package = name.rpartition(".")[0]
    return reduce(getattr, name.removeprefix(f"{package}.").split("."), import_module(package))


def _static(name: str) -> griffe.Object:
    """Return what the source says about a name."""
    found = reduce(lambda inside, part: inside.members[part], name.split(".")[1:], _source())
    return found.final_target if found.is_alias else found


@cache
def _source() -> griffe.Object:
    return griffe.load("adjoint", search_paths=[str(_ROOT / "src")])


# --- the public names ------------------------------------------------------------------------------------------------


def _public_names() -> dict[str, str]:
    """Return every public name except the rows of the table, with the module that defines it."""
    found = {}
    for package in ("adjoint", "adjoint.nn"):
        folder = _ROOT / "src" / package.replace(".", "/")
        prefix = package.removeprefix("adjoint").lstrip(".")
        for node in ast.parse((folder / "__init__.pyi").read_text()).body:
            if isinstance(node, ast.ImportFrom):
                module = f"{prefix}.{node.module or ''}".strip(".")
                found |= {f"{package}.{alias.name}": module for alias in node.names if module != "engine.ops"}
    packages = {
        "adjoint.data",
        "adjoint.distributed",
        "adjoint.errors",
        "adjoint.fft",
        "adjoint.linalg",
        "adjoint.metrics",
        "adjoint.nn",
        "adjoint.optim",
        "adjoint.sklearn",
        "adjoint.ops",
        "adjoint.see",
        "adjoint.special",
        "adjoint.stats",
        "adjoint.training",
    }
    found = {name: module for name, module in found.items() if name not in packages}
    init = found.pop("adjoint.nn.init")
    found["adjoint.nn.init"] = f"{init}.init"
    found |= {f"adjoint.nn.init.{name}": f"{init}.init" for name in adjoint.nn.init.__all__}
    found["adjoint.see.plots"] = plots = found.pop("adjoint.plots")
    found |= {f"adjoint.see.plots.{name}": plots for name in _listed("see.plots")}
    for package in sorted(packages - {"adjoint.nn", "adjoint.ops"}):
        listed = package.removeprefix("adjoint.")
        found |= {f"{package}.{name}": listed for name in _listed(listed)}
    return found


def _listed(package: str) -> list[str]:
    """Return the names that a package exports, without modules: its `__all__`, or else the classes of its files."""
    module = import_module(f"adjoint.{package}")
    inside = f"{module.__name__}."
    members = {name: getattr(module, name) for name in dir(module)}  # some are loaded when they are asked for
    classes = [name for name, x in members.items() if isinstance(x, type) and f"{x.__module__}.".startswith(inside)]
    return [name for name in getattr(module, "__all__", classes) if not isinstance(getattr(module, name), ModuleType)]


def _take(names: dict[str, str], entry: str) -> list[str]:
    """Remove a public name, or the names that a module and the modules inside it define, and return them."""
    chosen = [
        name
        for name, home in names.items()
        if name == f"adjoint.{entry}" or home == entry or home.startswith(f"{entry}.")
    ]
    for name in chosen:
        del names[name]
    return chosen


def _operations_page() -> str:
    """Return the rows of the table: each with its formula and its derivatives, as it prints itself."""
    rows = []
    for name, op in adjoint.ops.TABLE.items():
        formula, *slopes = (
            f"<code>{html.escape(part).replace('|', '&#124;')}</code>" for part in str(op).split("    ")
        )
        rows.append(f"| {_link(f'adjoint.{name}')} | {formula} | {'<br>'.join(slopes)} |")
    return "\n".join(
        [
            "# Elementwise operations\n",
            "Each operation is a method of a `Value`, such as `v.tanh()`, and a function, such as `adjoint.tanh(v)`.",
            "The functions also take plain numbers and arrays. `adjoint.ops` is the table of all operations: a formula",
            "and its partial derivatives are everything that the engine knows about an operation.\n",
            "| name | formula | partial derivatives |",
            "|---|---|---|",
            *rows,
        ]
    )

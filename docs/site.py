"""Hook of `make docs`: adds the README, the changelog, the course, the API reference and `functions_page.py` to docs/.

`make site` sets `extra.lab` to the address of the lab: then the pages link to it, and their graphs have sliders.

The reference is generated from the public names, which are written once, in the `__init__.pyi` files and the `__all__`
lists of the package. A new public name therefore appears in the reference without any other change.
"""

import ast
import html
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import course_pages
import functions_page
import live_graphs
import palette
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation

_ROOT = Path(__file__).parents[1]
_PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}

_WIDE = "---\nhide: [navigation, toc]\n---\n"  # the first page has no columns at its sides

# The pages of the reference: file name, title, introduction, and contents. An entry of the contents is a public name,
# or a module, which stands for the public names that it defines and that no earlier entry lists.
_REFERENCE = [
    ("values", "Values", "A number or an array that records how it was computed.",
     ["engine.value", "arrays.tensor", "engine.modes", "engine.native", "engine.rule", "engine.randomness",
      "arrays.dtypes"]),
    ("arrays", "Array functions", "Functions of Values and of plain arrays, for every supported array library.",
     ["arrays.functions.reductions", "arrays.functions.shaping", "arrays.functions.indexing",
      "arrays.functions.products", "arrays.functions"]),
    ("linalg", "Linear algebra", "", ["linalg"]),
    ("special", "Special functions", "", ["special"]),
    ("stats", "Distributions", "With `logpdf pdf cdf logcdf sf logsf ppf`, or `logpmf pmf cdf …`.", ["stats"]),
    ("fft", "Fourier transforms", "Functions of arrays and of pairs of arrays, the real and imaginary parts.", ["fft"]),
    ("transforms", "Transforms", "Functions that return the derivative of a function, and the gradient check.",
     ["transforms"]),
    ("compile", "Compilation", "", ["compile"]),
    ("distributed", "Several processes", "Everything in `adjoint.distributed`.", ["distributed"]),
    ("nn", "Neural networks", "Modules and layers, activations, losses, initialization, and networks of single Values.",
     ["nn.module", "nn.Sequential", "nn.Linear", "nn.layers", "nn.convolutions", "nn.pools", "nn.norms", "nn.attention",
      "nn.recurrent", "nn.activations", "nn.losses", "nn.likelihood_losses", "nn.margin_losses",
      "nn.alignments", "nn.criteria", "nn.init", "nn.scalar", "nn"]),
    ("optim", "Optimizers", "Everything in `adjoint.optim`.", ["optim"]),
    ("data", "Data", "Everything in `adjoint.data`.", ["data"]),
    ("metrics", "Metrics", "Everything in `adjoint.metrics`.", ["metrics"]),
    ("training", "Training", "", ["training", "errors.guard_warnings"]),
    ("files", "Files and other libraries", "", ["files"]),
    ("sklearn", "scikit-learn", "Everything in `adjoint.sklearn`.", ["sklearn"]),
    ("see", "Drawing, explaining, plotting", "", ["see"]),
    ("errors", "Errors and warnings", "Every error is an `AdjointError` and also a built-in exception.", ["errors"]),
]  # fmt: skip

# Options of mkdocstrings that differ for all names of a page, or for one name.
_OPTIONS = {
    "errors": "    options:\n      show_bases: true\n",
    "adjoint.see.plots": "    options:\n      heading: adjoint.plots\n      toc_label: adjoint.plots\n",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those that MkDocs found in docs/."""
    for source, page in _PAGES.items():
        content = re.sub(r"\[([^\]]*)\]\(([^)#]+)\)", _link_on_site, (_ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=_WIDE + content if page == "index.md" else content))
    files.append(File.generated(config, "functions.md", content=functions_page.page()))
    for page, content in course_pages.pages(config.extra["lab"]):
        files.append(File.generated(config, page, content=content))
    for page, content in reference_pages():
        files.append(File.generated(config, page, content=content))
    files.append(File.generated(config, "palette.css", content=palette.palette()))
    files.append(File.generated(config, "images/icon.svg", content=(_ROOT / "web/icon.svg").read_text()))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """On the static site, let the logo lead to its start page, graphs have sliders, and colors follow the lab."""
    if config.extra["lab"]:
        config.extra["homepage"] = config.extra["lab"]
        config.extra_javascript += ["scheme.js", "graphs.js"]
    return config


def on_nav(nav: Navigation, config: MkDocsConfig, **_: object) -> Navigation:
    """Add the lab to the tabs."""
    if lab := config.extra["lab"]:
        nav.items.insert(0, Link("Lab", f"{lab}#explore"))
    return nav


def on_page_content(content: str, config: MkDocsConfig, **_: object) -> str:
    """Show the graphs in the comments of a page."""
    return live_graphs.with_live_graphs(content) if config.extra["lab"] else content


def on_post_page(output: str, **_: object) -> str:
    """Name the search, which the theme leaves without a name, for screen readers."""
    search = 'data-md-component="search" role="dialog"'
    return output.replace(search, f'{search} aria-label="Search"')


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return the text of a page without its links to source code, which the site does not contain."""
    return re.sub(r"\[([^\]]*)\]\(\.\./(?:src|examples|benchmarks)[^)]*\)", r"\1", markdown)


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page of the API reference."""
    names = _public_names()
    yield "reference/operations.md", _operations_page()
    for page, title, introduction, contents in _REFERENCE:
        chosen = [name for entry in contents for name in _take(names, entry)]
        entries = "\n".join(f"::: {name}\n{_OPTIONS.get(page, '')}{_OPTIONS.get(name, '')}" for name in chosen)
        yield f"reference/{page}.md", f"# {title}\n\n{introduction}\n\n{entries}"
    assert not names, f"public names without a page of the reference: {names}"


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
    found["adjoint.see.plots"] = found.pop("adjoint.plots")
    for package in sorted(packages - {"adjoint.nn", "adjoint.ops"}):
        listed = package.removeprefix("adjoint.")
        found |= {f"{package}.{name}": listed for name in _listed(listed)}
    return found


def _listed(package: str) -> list[str]:
    """Return the names that a package exports, without modules: its `__all__`, or else the classes of its files."""
    module = import_module(f"adjoint.{package}")
    inside = f"{module.__name__}."
    classes = [
        name for name, x in vars(module).items() if isinstance(x, type) and f"{x.__module__}.".startswith(inside)
    ]
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
    import adjoint

    rows = []
    for name, op in adjoint.ops.TABLE.items():
        formula, *slopes = (
            f"<code>{html.escape(part).replace('|', '&#124;')}</code>" for part in str(op).split("    ")
        )
        rows.append(f'| <code id="adjoint.{name}">{name}</code> | {formula} | {"<br>".join(slopes)} |')
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


def _link_on_site(link: re.Match) -> str:
    """Return a Markdown link with its target as the site needs it.

    Links to pages and pictures are adjusted. A link to source code becomes plain text, because the site does not
    contain the source. Everything else, such as a web address or `f[0](x)` in a program, stays unchanged.
    """
    text, target = link.groups()
    if not (_ROOT / target).exists():
        return link[0]
    if target in _PAGES:
        return f"[{text}]({_PAGES[target]})"
    return f"[{text}]({target.removeprefix('docs/')})" if target.startswith("docs/") else text

"""For `make docs`: the pages that lie beside docs/ become pages of the site, the README its front page."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parents[1]
_PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that MkDocs has found."""
    for source, page in _PAGES.items():
        content = re.sub(r"\[([^\]]*)\]\(([^)#]+)\)", _from_the_site, (_ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=content))
    return files


def _from_the_site(link: re.Match) -> str:
    """Return a link to a page or a picture as it is from the site; one to source code, which is no page, as its text.

    What leads to no file, such as an address of the web or `f[0](x)` in a program, stays as it is.
    """
    text, target = link.groups()
    if not (_ROOT / target).exists():
        return link[0]
    if target in _PAGES:
        return f"[{text}]({_PAGES[target]})"
    return f"[{text}]({target.removeprefix('docs/')})" if target.startswith("docs/") else text

"""Hook of `make docs`: adds the README, the changelog, the course, the API reference and `functions_page.py` to docs/.

`make site` sets `extra.lab` to the address of the lab: then the pages link to it, and their graphs have sliders.
"""

import re
from pathlib import Path

import course_pages
import functions_page
import live_graphs
import palette
import reference_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation

_ROOT = Path(__file__).parents[1]
_PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}

_WIDE = "---\nhide: [navigation, toc]\n---\n"  # the first page has no columns at its sides


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those that MkDocs found in docs/."""
    for source, page in _PAGES.items():
        content = re.sub(r"\[([^\]]*)\]\(([^)#]+)\)", _link_on_site, (_ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=_WIDE + content if page == "index.md" else content))
    files.append(File.generated(config, "functions.md", content=functions_page.page()))
    for page, content in course_pages.pages(config.extra["lab"]):
        files.append(File.generated(config, page, content=content))
    for page, content in reference_pages.pages():
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


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Add the lab to the tabs, and the place of the pages that the menu does not list."""
    reference_pages.place(files)
    if lab := config.extra["lab"]:
        nav.items.insert(0, Link("Lab", f"{lab}#explore"))
    return nav


def on_page_content(content: str, config: MkDocsConfig, **_: object) -> str:
    """Show the graphs in the comments of a page, and the name in the heading of a page of the reference."""
    content = reference_pages.with_short_title(content)
    return live_graphs.with_live_graphs(content) if config.extra["lab"] else content


def on_post_page(output: str, **_: object) -> str:
    """Name the search, which the theme leaves without a name, for screen readers."""
    search = 'data-md-component="search" role="dialog"'
    return output.replace(search, f'{search} aria-label="Search"')


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return the text of a page without its links to source code, which the site does not contain."""
    return re.sub(r"\[([^\]]*)\]\(\.\./(?:src|examples|benchmarks)[^)]*\)", r"\1", markdown)


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

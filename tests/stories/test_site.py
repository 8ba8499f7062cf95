"""`make site` builds a folder of static files that is complete, strict and small."""

import base64
import dataclasses
import hashlib
import json
import re
import subprocess
import sys
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from static_site import ROOT, builder, built_site

from adjoint_lab.rooms.explore import PRESETS
from adjoint_learn.course import load
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import Figure

# --- without a build -------------------------------------------------------------------------------------------------


def policy_of(page: str) -> dict[str, list[str]]:
    """Return the Content-Security-Policy of a page."""
    (content,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    return {name: sources for name, *sources in (part.split() for part in content.split(";"))}


def test_a_policy_permits_the_inline_scripts_of_its_page_and_no_others():
    head = '<head><meta charset="utf-8"><script>run()</script><script src="a.js"></script>'
    page = builder("site_policy").with_policy(head, is_documentation=True)
    digest = base64.b64encode(hashlib.sha256(b"run()").digest()).decode()
    assert policy_of(page)["script-src"] == ["'self'", f"'sha256-{digest}'"]
    assert page.index("Content-Security-Policy") < page.index("<script>")


def test_only_workers_may_compile_webassembly():
    policies = builder("site_policy")
    assert "wasm-unsafe-eval" in policies.worker_policy()
    assert "wasm" not in policies.with_policy('<meta charset="utf-8">', is_documentation=False)


def test_scenes_contain_the_presets_and_every_graph_of_the_lessons():
    scenes = builder("live_graphs").scenes()
    expressions = [each["expression"] for each in scenes["scenes"]]
    texts = [(lesson.folder / "lesson.md").read_text("utf-8") for lesson in load().lessons]
    lines = [" ".join(text.split()) for text in texts]
    written = [found for text in lines for found in re.findall(r"\]\((?:graph|gradients): *([^)]*[^) ])", text)]
    assert len(written) >= 5
    for content in written:
        assert any(each.startswith(content) for each in expressions), content
    assert [each["expression"] for each in PRESETS] == expressions[: len(PRESETS)]
    assert all(each["scene"]["computable"] for each in scenes["scenes"])
    assert "tanh(a*b)" in expressions  # the frame of docs/hosting.md


@pytest.mark.full
def test_the_sources_of_the_page_work_without_any_other_package(tmp_path):
    archive = tmp_path / "adjoint.tar.gz"
    builder().write_sources(archive)
    with tarfile.open(archive) as sources:
        sources.extractall(tmp_path / "sources")
    program = f"""if True:
        import sys
        sys.path.insert(0, {str(tmp_path / "sources")!r})
        from adjoint import Value
        from adjoint_lab.rooms import explore
        a = Value(3.0)
        (a * a).backward()
        print(a.grad)
    """
    command = [sys.executable, "-I", "-S", "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "6.0\n"
    again = tmp_path / "again.tar.gz"
    builder().write_sources(again)
    assert archive.read_bytes() == again.read_bytes()


@pytest.mark.parametrize(
    ("name", "message"),
    [(None, "is not a folder"), ("", "contains no .whl file"), ("numpy-2.4-cp314-linux_x86_64.whl", "not for Pyodide")],
)
def test_unsuitable_wheels_are_explained(tmp_path, name, message):
    folder = tmp_path / "wheels"
    if name is not None:
        folder.mkdir()
        if name:
            (folder / name).touch()
    with pytest.raises(SystemExit, match=message):
        builder().build(tmp_path / "site", wheels=str(folder))


def test_the_colors_of_the_pages_are_those_of_the_lab():
    palette = builder("palette").palette()
    theme = (ROOT / "web/src/shared/theme.css").read_text("utf-8")
    (accent,) = re.findall(r"--accent: (.*);", theme)
    assert f"--accent: {accent};" in palette
    used = set(re.findall(r"var\((--\w[\w-]*)\)", (ROOT / "docs/reference.css").read_text("utf-8")))
    ours = {name for name in used if not name.startswith(("--md-", "--frame-"))}
    assert ours <= set(re.findall(r"(--[\w-]+):", palette))


# --- the built site --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site() -> Path:
    return built_site()


@pytest.mark.full
def test_wheels_are_listed_for_the_engine_and_not_part_of_the_first_visit(site, tmp_path):
    wheel = tmp_path / "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
    wheel.touch()
    builder().write_engine(tmp_path / "site/engine", [wheel])
    assert json.loads((tmp_path / "site/engine/wheels.json").read_text()) == [wheel.name]
    (tmp_path / "site/service-worker.js").write_text(builder().service_worker(tmp_path / "site"), "utf-8")
    listed = list_of(tmp_path / "site")
    assert f"engine/{wheel.name}" in listed["files"]
    assert f"engine/{wheel.name}" not in listed["first"]
    assert json.loads((site / "engine/wheels.json").read_text()) == []


class Loaded(HTMLParser):
    """The addresses that a page loads by itself."""

    def __init__(self, page: Path):
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.found.append(attributes.get("src") or "")
        elif tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload", "modulepreload"):
            self.found.append(attributes.get("href") or "")


def list_of(site: Path) -> dict:
    """Return the files of the service worker."""
    return json.loads((site / "service-worker.js").read_text("utf-8").partition("\n")[0][len("const SITE = ") : -1])


@pytest.mark.full
def test_the_service_worker_lists_every_file_with_its_hash(site):
    listed = list_of(site)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert set(listed["files"]) == files - {"service-worker.js", "_headers", ".nojekyll"}
    for name, digest in listed["files"].items():
        assert hashlib.sha256((site / name).read_bytes()).hexdigest()[:16] == digest, name
    assert {"index.html", "scenes.json", "engine/pyodide.asm.wasm", "engine/adjoint.tar.gz"} <= set(listed["first"])


@pytest.mark.full
def test_every_page_has_a_policy_that_permits_its_scripts(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        text = page.read_text("utf-8")
        policy = policy_of(text)
        assert policy["default-src"] == ["'none'"], page
        scripts = re.findall(r"<script(?![^>]*(?:src=|json))[^>]*>(.+?)</script>", text, re.DOTALL)
        hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts}
        assert hashes <= set(policy["script-src"]), page
        assert not re.search(r"\son(?:click|load|error|input)=", text), page


@pytest.mark.full
def test_pages_load_files_of_the_site_only(site):
    for page in site.rglob("*.html"):
        for address in filter(None, Loaded(page).found):
            if not address.startswith("data:"):
                assert not address.startswith(("http", "//", "/")), f"{page}: {address}"
                assert (page.parent / re.sub(r"[?#].*", "", address)).exists(), f"{page}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text("utf-8")), style


@pytest.mark.full
def test_the_site_is_small(site):
    assert builder().start_size(site) <= 250_000
    assert builder().visit_size(site) <= 8_000_000


@pytest.mark.full
def test_links_between_the_lab_and_the_pages_lead_to_files(site):
    page = (site / "docs/course/nudge.html").read_text("utf-8")
    assert 'href="../../index.html#learn?exercise=slope"' in page
    assert 'href="../../index.html#explore"' in page
    for text in (site / "docs").rglob("*.html"):
        for address in re.findall(r'href="([^"#]*index\.html)#(?:explore|train|mistakes|quiz|learn)', text.read_text()):
            assert (text.parent / address).resolve() == site / "index.html", text


def test_the_page_has_the_figures_of_the_course_drawn():
    figures = dict(builder()._figures())
    lesson = load().lesson("xor")
    drawn = {name for name in figures if f"/{lesson.folder.name}/" in name}
    assert drawn == {
        f"adjoint_learn/course/{lesson.folder.name}/figures/{block.content}.svg"
        for block in lesson.blocks
        if isinstance(block, Figure) and block.kind == "figure"
    }
    assert all(svg.lstrip().startswith(b"<svg") for svg in figures.values())


def test_a_figure_that_is_drawn_is_read_from_its_file(tmp_path):
    lesson = load().lesson("xor")
    figure = next(block for block in lesson.blocks if isinstance(block, Figure) and block.kind == "figure")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / f"{figure.content}.svg").write_text("<svg/>")
    assert figure_svg(dataclasses.replace(lesson, folder=tmp_path), figure) == "<svg/>"

"""Exports of Explore: pictures, a page that plays without a server, programs that run."""

import base64
import contextlib
import io
import struct
import xml.etree.ElementTree as ET
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect
from seen import graph, is_shown, node, number, preset, sentence, state, value
from serving import TIMEOUT, lab_process
from static_site import OfflineSite

SVG = "{http://www.w3.org/2000/svg}"
NEURON = "sigmoid neuron with loss"


def download(page, name, folder):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_svg_needs_no_style_sheet(new_context, open_lab, tmp_path, scheme):
    page = open_lab(new_context(color_scheme=scheme).new_page(), "explore", **preset(NEURON))
    expect(value(page, "out")).to_have_text("0.1792")
    text = download(page, "SVG", tmp_path).read_text()
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert "var(" not in text
    assert not any(attribute in text for attribute in (" class=", " style=", "tabindex"))
    written = [element.text for element in root.iter(f"{SVG}text")]
    assert {"0.1792", "−0.2877", "w1", "sigmoid"} <= {*written}
    fills = {element.get("fill") for element in root.iter(f"{SVG}text")}
    paper = next(root.iter(f"{SVG}rect")).get("fill")
    assert paper not in fills
    # On an empty page it has its own proportions and is not blank.
    alone = new_context().new_page()
    alone.set_content(f"<body style='margin:0'>{text}</body>")
    box = alone.locator("svg").bounding_box()
    _, _, width, height = map(float, root.get("viewBox").split())
    assert box["width"] / box["height"] == pytest.approx(width / height, rel=0.02)
    assert alone.locator("svg text", has_text="0.1792").is_visible()


def test_the_png_has_twice_the_resolution_of_the_screen(page, open_lab, tmp_path):
    open_lab(page, "explore", **preset(NEURON))
    expect(value(page, "out")).to_have_text("0.1792")
    content = download(page, "PNG", tmp_path).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    _, _, wide, high = map(float, page.locator(".graph").get_attribute("viewBox").split())
    assert (width, height) == pytest.approx((2 * wide, 2 * high), abs=2)
    colors = page.evaluate(
        """async (bytes) => {
          const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
          const bitmap = await createImageBitmap(new Blob([content], { type: "image/png" }));
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
          const context = canvas.getContext("2d");
          context.drawImage(bitmap, 0, 0);
          const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
          return new Set(new Uint32Array(data.buffer)).size;
        }""",
        base64.b64encode(content).decode(),
    )
    assert colors > 50


def test_an_exported_page_plays_after_the_server_has_stopped(browser, lab, visit, tmp_path):
    context = browser.new_context()
    context.set_default_timeout(1000 * TIMEOUT)
    page = context.new_page()
    with ExitStack() as running:
        if isinstance(lab, OfflineSite):
            visit(page, lab.address("explore", **preset(NEURON)))
        else:
            stopped, _ = running.enter_context(lab_process())
            page.goto(stopped.address("explore", **preset(NEURON)))
        expect(value(page, "out")).to_have_text("0.1792")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".place")).to_have_text("backward 12 of 13")
        before = graph(page)["nodes"], sentence(page).text_content()
        page.keyboard.press("End")
        expect(page.locator(".place")).to_have_text("backward 13 of 13")
        seen = graph(page)["nodes"]
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".place")).to_have_text("backward 12 of 13")
        path = download(page, "HTML", tmp_path)
        page.close()
    page, requested, problems = context.new_page(), [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda line: problems.append(line.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    expect(page.locator(".stage-title")).to_have_text("0.5*(sigmoid(w1*x1 + w2*x2 + b) - 1)**2")
    expect(page.locator(".place")).to_have_text("backward 12 of 13")
    assert (graph(page)["nodes"], sentence(page).text_content()) == before
    page.keyboard.press("r")
    expect(page.locator(".graph .waiting")).to_have_count(8)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(value(page, "v5")).to_have_text("0.4013")
    for _ in range(16):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".place")).to_have_text("backward 13 of 13")
    assert graph(page)["nodes"] == seen
    node(page, "w1").hover()
    expect(page.get_by_test_id("details")).to_contain_text("−0.28768")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    svg = download(page, "SVG", tmp_path)
    assert ET.fromstring(svg.read_text()).tag == f"{SVG}svg"
    assert [url for url in requested if not url.startswith("blob:")] == [path.as_uri()]
    assert not problems
    context.close()


def output_of(program):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    return printed.getvalue().splitlines()


def test_the_shown_programs_run_and_print_the_numbers_of_the_page(new_context, open_lab):
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = open_lab(context.new_page(), "explore", **preset(NEURON))
    expect(value(page, "out")).to_have_text("0.1792")
    page.get_by_role("button", name="Copy as Python").click()
    page.get_by_role("textbox", name="w1, number").fill("0.75")  # the program changes with it
    program = page.get_by_test_id("program")
    expect(program).to_contain_text("w1 = Value(0.75")
    seen = graph(page)
    for library in ("adjoint", "PyTorch"):
        page.get_by_role("button", name=library, exact=True).click()
        expect(program).to_contain_text("import torch" if library == "PyTorch" else "from adjoint import")
        result, *gradients = output_of(program.text_content())[:6]
        assert is_shown(seen["nodes"]["out"][0], float(result))
        for line in gradients:
            name, x = line.removeprefix("d out / d ").split(" = ")
            assert is_shown(seen["inputs"][name], float(x))
        page.get_by_role("button", name="Copy", exact=True).click()
        expect(page.get_by_role("status")).to_have_text("copied")
        assert page.evaluate("navigator.clipboard.readText()") == program.text_content()


def test_an_expression_without_names_has_no_program(page, open_lab):
    open_lab(page, "explore", **state("1 + 2"))
    expect(page.locator(".graph .node")).to_have_count(1)
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_role("status")).to_contain_text("no variable to differentiate")
    assert number(value(page, page.locator(".node").get_attribute("data-node")).text_content()) == 3

"""The program of docs/scaling.md, with the changes of its sections one after the other, trains on eight devices."""

import re
from functools import partial

import pytest
from outside_scripts import free_port, output_of, run_outside
from pages import DOCS

PAGE = (DOCS / "scaling.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
TOLERANCE = 0.01  # the losses are about 5, and bfloat16 has three digits


def programs() -> dict[str, str]:
    """Return the first program of the page, and the program after each section that changes it, by the section."""
    program = PROGRAMS[0]
    found = {"One program": program}
    for section in PAGE.split("\n## ")[1:]:
        changes = re.findall(r"^```diff\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        for change in changes:
            lines = change.splitlines(keepends=True)
            before, after = ("".join(line[1:] for line in lines if line[0] in kinds) for kinds in (" -\n", " +\n"))
            assert program.count(before) == 1, f"no place, or several, for this change:\n{change}"
            program = program.replace(before, after)
        if changes:
            found[section.splitlines()[0]] = program
    return found


def losses_of(output: str) -> dict[str, float]:
    return {name: float(loss) for name, loss in re.findall(r"^(.+): loss ([\d.]+)$", output, re.MULTILINE)}


def write(folder, texts) -> str:
    folder.mkdir()
    for i, (name, text) in enumerate(texts.items()):
        (folder / f"{i:02} {name}.py").write_text(text, encoding="utf-8")
    return str(folder)


def test_each_section_changes_few_lines():
    sections = list(programs())
    assert sections[0] == "One program"
    assert sections[-1] == "Save, and resume on other devices"
    for change in re.findall(r"^```diff\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        assert len(re.findall(r"^-", change, re.MULTILINE)) <= 2


def column(number: int) -> dict[str, str]:
    """Return a column of the plan by the names of its rows."""
    rows = [[cell.strip() for cell in row.split("|")] for row in PAGE.split("| GPUs ")[1].split("\n\n")[0].splitlines()]
    return {row[1]: row[1 + number] for row in rows[2:]} | {"GPUs": rows[0][number]}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_numbers_of_the_plan_follow_from_its_formulas(number):
    plan = column(number)
    devices = int(plan["GPUs"])
    layers, width, context = map(int, re.findall(r"\d+", plan["blocks × width, context"].replace(",", "")))
    tokens = int(plan["tokens per GPU and step"].replace(",", ""))
    weights = (50304 + context + 2) * width + layers * (12 * width**2 + 13 * width)
    activations = 32 * width * layers * tokens
    again = 2 * width * layers * tokens + 32 * width * tokens
    computing = 6 * weights * tokens / 400e12 if devices > 1 else 0.068
    moved = 6 * weights * (1 - 1 / devices)
    traffic = moved / (360e9 if devices <= 8 else 320e9)
    rate = devices * tokens / (computing + traffic)

    def shown(row: str, count: int = 0) -> float:
        found, unit = re.findall(r"(\d[\d.,]*) ?(GB|million|thousand|ms|hours|days|%)?", plan[row])[count]
        units = {"GB": 1e9, "million": 1e6, "thousand": 1e3, "ms": 1e-3, "hours": 3600, "days": 86400, "%": 0.01}
        return float(found.replace(",", "")) * units.get(unit, 1.0)

    close = partial(pytest.approx, rel=0.06)  # numbers of one or two digits
    assert shown("tokens per step") == close(devices * tokens)
    assert shown("state if each GPU held all") == close(16 * weights)
    assert shown("state on each GPU") == close(16 * weights / devices)
    assert shown("activations") == close(activations)
    assert shown("activations if blocks are computed again") == close(again)
    assert shown("computing") == close(computing)
    assert shown("tokens per second") == close(rate)
    assert shown("20 tokens per weight take") == close(20 * weights / rate)
    if devices > 1:
        assert shown("traffic") == close(moved)
        assert shown("traffic", 1) == close(traffic)
        assert shown("efficiency without overlap") == close(computing / (computing + traffic))


@pytest.mark.full
def test_the_programs_of_the_page_train_alike_on_eight_devices_and_in_two_processes(tmp_path):
    texts = programs()
    eight = "--xla_force_host_platform_device_count=8"
    folder = write(tmp_path / "one", {**texts, "A loop of your own": "".join(PROGRAMS)})
    output = output_of(run_outside("programs_in_turn.py", folder, XLA_FLAGS=eight))
    losses = list(losses_of(output).values())
    assert len(losses) == len(texts) + 1
    table = re.search(r"^name +shape.*?^total[^\n]*$", output, re.DOTALL | re.MULTILINE)
    assert table
    assert table[0] in PAGE  # what the loop prints
    single, accumulated = [*losses[:3], losses[-1]], losses[3:-1]
    assert max(single) - min(single) < TOLERANCE
    assert max(accumulated) - min(accumulated) < TOLERANCE

    last = list(texts)[-1]
    folder = write(tmp_path / "two", {last: texts[last]})
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "XLA_FLAGS": eight[:-1] + "4"}
    started = [run_outside("programs_in_turn.py", folder, RANK=str(i), **common) for i in range(2)]
    for process in started:
        (loss,) = losses_of(output_of(process)).values()
        assert abs(loss - accumulated[-1]) < TOLERANCE

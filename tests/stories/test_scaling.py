"""The program of docs/scaling.md, with the changes of its sections one after the other, trains on eight devices."""

import re

import pytest
from outside_scripts import free_port, output_of, run_outside
from pages import DOCS

PAGE = (DOCS / "scaling.md").read_text(encoding="utf-8")
TOLERANCE = 0.01  # the losses are about 5, and bfloat16 has three digits


def programs() -> dict[str, str]:
    """Return the first program of the page, and the program after each section that changes it, by the section."""
    program = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[0]
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


@pytest.mark.full
def test_the_programs_of_the_page_train_alike_on_eight_devices_and_in_two_processes(tmp_path):
    texts = programs()
    eight = "--xla_force_host_platform_device_count=8"
    losses = losses_of(output_of(run_outside("programs_in_turn.py", write(tmp_path / "one", texts), XLA_FLAGS=eight)))
    assert len(losses) == len(texts)
    single, accumulated = list(losses.values())[:3], list(losses.values())[3:]
    assert max(single) - min(single) < TOLERANCE
    assert max(accumulated) - min(accumulated) < TOLERANCE

    last = list(texts)[-1]
    folder = write(tmp_path / "two", {last: texts[last]})
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "XLA_FLAGS": eight[:-1] + "4"}
    started = [run_outside("programs_in_turn.py", folder, RANK=str(i), **common) for i in range(2)]
    for process in started:
        (loss,) = losses_of(output_of(process)).values()
        assert abs(loss - accumulated[-1]) < TOLERANCE

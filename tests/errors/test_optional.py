"""Messages about missing libraries name the distribution and its extras as pyproject.toml does."""

import re
import tomllib
from pathlib import Path

from adjoint.errors.optional import DISTRIBUTION, install_command

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TEXTS = [*(ROOT / "src/adjoint").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]


def test_the_distribution_has_the_name_that_messages_use():
    assert PROJECT["name"] == DISTRIBUTION
    assert install_command("lab") == f"pip install '{PROJECT['name']}[lab]'"


def test_every_extra_that_is_named_exists():
    named = set()
    for path in TEXTS:
        named |= set(re.findall(r"install_command\('(\w+)'\)", text := path.read_text(encoding="utf-8")))
        named |= set(re.findall(r'library\("[\w.]+", [^()]*?"(\w+)"\)', text)) - {"lapis"}
        for extras in re.findall(rf"'(?:{DISTRIBUTION}|\.)\[([\w,]+)\]'", text):
            named |= set(extras.split(","))
    assert {"lab", "jax", "notebook"} <= named
    assert named <= set(PROJECT["optional-dependencies"])


def test_no_text_installs_the_package_of_other_people():
    for path in TEXTS:
        assert not re.search(r"pip install ['\"]?adjoint(?!-autograd)\b", path.read_text(encoding="utf-8")), path

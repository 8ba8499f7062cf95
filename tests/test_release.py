"""What a release is made of: pinned workflows, and metadata that agrees with itself."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import adjoint

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").iterdir()}
JOBS = [(name, job) for text in WORKFLOWS.values() for name, job in yaml.safe_load(text)["jobs"].items()]
VERSIONS = ["3.11", "3.12", "3.13", "3.14", "3.15"]


def test_every_action_is_pinned_to_a_commit_with_its_version():
    for name, text in WORKFLOWS.items():
        actions = re.findall(r"uses: (.*)", text)
        assert actions, name
        for action in actions:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), f"{name}: {action}"


def test_jobs_may_read_the_repository_and_nothing_else_except_those_that_publish():
    allowed = {"publish": {"id-token": "write"}, "deploy": {"pages": "write", "id-token": "write"}}
    for text in WORKFLOWS.values():
        assert yaml.safe_load(text)["permissions"] == {}
    for name, job in JOBS:
        assert job["permissions"] == allowed.get(name, {"contents": "read"}), name
    assert {name for name, job in JOBS if "environment" in job} == set(allowed)


def test_the_classifiers_the_wheels_and_the_tests_name_the_same_versions_of_python():
    minor = re.compile(r"Programming Language :: Python :: (3\.\d+)$")
    named = [found[1] for line in PROJECT["project"]["classifiers"] if (found := minor.match(line))]
    built = re.findall(r"cp3(\d+)-\*", PROJECT["tool"]["cibuildwheel"]["build"])
    tested = yaml.safe_load(WORKFLOWS["tests"])["jobs"]["engine"]["strategy"]["matrix"]["python"]
    assert named == tested == [f"3.{version}" for version in built] == VERSIONS


def test_an_older_python_is_refused_before_anything_is_downloaded_for_it():
    """pip of Python 3.10 runs setup.py first; as to `requires-python`, it tries all versions of all dependencies."""
    program = (
        "import runpy, sys; sys.version_info, sys.version = (3, 10, 13), '3.10.13 (main)'; runpy.run_path('setup.py')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "adjoint needs Python 3.11 or later, and this is 3.10.13\n")


def test_wheels_are_tested_on_the_native_core_on_every_system():
    options = PROJECT["tool"]["cibuildwheel"]
    for table in (options, options["pyodide"]):
        assert table["test-command"].startswith("python {project}/tests/outside/installed.py native")
    for table in (options, options["linux"]):  # the variables of a system replace those of all systems
        assert table["environment"]["ADJOINT_REQUIRE_CORE"] == "1"
    systems = {
        entry["platform"]
        for entry in yaml.safe_load(WORKFLOWS["release"])["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    }
    assert systems == {"linux", "macos", "windows", "pyodide"}


def test_the_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == adjoint.__version__
    assert citation["license"] == PROJECT["project"]["license"]


@pytest.mark.parametrize("name", ["check", "test", "bench", "docs"])
def test_what_make_installs_for_contributors_is_a_dependency_group(name):
    assert f"GROUP_{name} := yes" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert name in PROJECT["dependency-groups"]
    assert name not in PROJECT["project"]["optional-dependencies"]

"""Commands of other packages: found by their entry points, listed without an import, loaded when they are chosen."""

import subprocess
import sys
from pathlib import Path

import pytest

from adjoint.cli.command_line import COMMANDS, main

COMMAND = '''\
"""Count 100% of the words.

examples:
  adjoint count a b
"""

from adjoint.errors import ArgumentError


def add_options(command):
    command.add_argument("words", nargs="*")


def run(asked):
    if not asked.words:
        raise ArgumentError("count needs a word")
    print(len(asked.words))
    return 1 if "bad" in asked.words else 0
'''


def install(folder: Path, distribution: str, entries: str, **modules: str) -> None:
    """Write what pip would install: a package with these modules, and the metadata of its distribution."""
    metadata = folder / f"{distribution}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[adjoint.commands]\n{entries}\n")
    package = folder / distribution
    package.mkdir()
    (package / "__init__.py").write_text(f"print('{distribution} is imported')\n")
    for name, source in modules.items():
        (package / f"{name}.py").write_text(source)


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package with the command `count`, and one whose commands cannot be loaded."""
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "counting", "count = counting.command\ntrain = counting.command", command=COMMAND)
    install(
        tmp_path,
        "failing",
        "absent = failing.nowhere\ncrash = failing.crash\nempty = failing.empty\nsyntax = failing.syntax",
        crash='"""Crash."""\nraise RuntimeError("out\\nof order")\n',
        empty='"""Do nothing."""\n',
        syntax="def",
    )
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] in ("counting", "failing")]:
        del sys.modules[name]


def test_help_lists_the_commands_of_other_packages_without_importing_them(plugin, capsys):
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "count count 100% of the words" in shown
    assert "crash crash" in shown
    assert "is imported" not in shown
    assert not {"counting", "failing"} & sys.modules.keys()


def test_a_command_of_another_package_runs(plugin, capsys):
    assert main(["count", "a", "b"]) == 0
    assert capsys.readouterr().out == "counting is imported\n2\n"
    assert main(["count", "bad"]) == 1
    assert main(["count"]) == 2
    assert capsys.readouterr().err == "adjoint: count needs a word\n"
    assert main(["count", "--wrong"]) == 2
    assert "unrecognized arguments: --wrong; see adjoint count --help" in capsys.readouterr().err
    assert main(["count", "--help"]) == 0
    assert "count 100% of the words\n" in (shown := capsys.readouterr().out)
    assert "examples:\n  adjoint count a b" in shown


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("absent", "cannot be loaded: ModuleNotFoundError: No module named 'failing.nowhere'"),
        ("crash", "cannot be loaded: RuntimeError: out of order"),
        ("syntax", "cannot be loaded: SyntaxError: invalid syntax (syntax.py, line 1)"),
        ("empty", "is incomplete: failing.empty has no add_options()"),
    ],
)
def test_a_broken_package_gives_one_line_when_its_command_is_chosen(plugin, capsys, command, reason):
    assert main([command]) == 2
    assert capsys.readouterr().err == f"adjoint: the command {command} of failing {reason}\n"
    assert main(["graph", "a*a", "a=3", "--json"]) == 0


def test_a_damaged_package_affects_no_other_command(plugin, capsys):
    folder = plugin
    for name, content in (("damaged", b"[adjoint.commands]\nno equals sign\n"), ("binary", b"\xff\xfe\x00")):
        install(folder, name, "")
        (folder / f"{name}-1.0.dist-info" / "entry_points.txt").write_bytes(content)
    assert main(["count", "a", "b"]) == 0
    assert capsys.readouterr().out.endswith("\n2\n")


def test_a_package_cannot_replace_a_command_of_adjoint(plugin, capsys):
    assert main(["train", "--help"]) == 0
    assert "train a network on a data set" in capsys.readouterr().out
    assert "counting" not in sys.modules


def test_of_two_packages_with_one_command_the_first_on_the_path_counts(plugin, tmp_path_factory, monkeypatch, capsys):
    other = tmp_path_factory.mktemp("other")
    install(other, "later", "count = later.command", command="raise RuntimeError('later')\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(other)])
    assert main(["count", "a"]) == 0
    assert capsys.readouterr().out == "counting is imported\n1\n"


def test_a_misspelt_command_of_another_package_gets_a_suggestion(plugin, capsys):
    assert main(["cuont"]) == 2
    assert "unknown command 'cuont' (did you mean 'count'?)" in capsys.readouterr().err


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_command_of_adjoint_does_not_look_for_others(command):
    program = (
        "import sys; from adjoint.cli.command_line import main\n"
        f"assert main([{command!r}, '--help']) == 0\n"
        "assert not {'adjoint.cli.entry_points', 'adjoint_lab', 'adjoint_learn'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)

"""`adjoint run`: programs that define an engine of their own run on adjoint's."""

import subprocess
import sys
from pathlib import Path

import pytest

from adjoint.cli import run_program
from adjoint.cli.command_line import main
from adjoint.cli.own_engines import read_engine
from adjoint.cli.probes import probe
from adjoint.cli.stepping import Steps

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "tests" / "support" / "engines"
MICROGPT = str(ROOT / "examples" / "microgpt.py")  # in the style with local gradients
RIGHT = {"closures.py": ["closures.py"], "data_class.py": ["data_class.py", "20"], "microgpt.py": [MICROGPT, "3"]}


@pytest.fixture
def no_comparison(monkeypatch):
    """Do not start a process that runs the program with its own class."""
    monkeypatch.setattr(run_program, "measure", lambda *arguments, **options: Steps())


def own_output(name: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, name, *arguments], cwd=ENGINES, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", RIGHT)
def test_a_program_prints_what_it_prints_with_its_own_engine(name, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(ENGINES)
    assert main(["run", *RIGHT[name]]) == 0
    output = capsys.readouterr()
    assert output.out == own_output(*RIGHT[name])
    kind, line = {"closures.py": ("Value", 7), "data_class.py": ("Number", 8), "microgpt.py": ("Value", 29)}[name]
    assert f"{name}: the class {kind} (line {line}) is replaced by adjoint.Value\n" in output.err


def test_at_the_end_a_line_compares_the_time_of_a_step(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "adjoint", "run", MICROGPT, "3"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "step    1  loss 3.4914" in done.stdout
    assert "; a step takes " in done.stderr.splitlines()[-1]
    assert "with the class of the program" in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_arguments_reach_the_program(monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(ENGINES)
    for arguments in (["data_class.py", "7"], ["data_class.py", "--", "7"]):
        assert main(["run", *arguments]) == 0
        assert capsys.readouterr().out == own_output("data_class.py", "7")
    assert sys.argv[0] != "data_class.py"


@pytest.mark.parametrize("name", RIGHT)
def test_engines_that_are_right_have_equal_losses(name, monkeypatch, capsys):
    monkeypatch.chdir(ENGINES)
    assert main(["run", "--own", "--steps", "3", *RIGHT[name]]) == 0
    output = capsys.readouterr().out
    assert "The losses of 3 steps are equal" in output
    assert "The operation" not in output
    assert "with the class of the program" in output


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("wrong.py", "tanh (line 56 of wrong.py) has the derivative 0.395632 at 0.7, where the slope is 0.63474."),
        ("overwriting.py", "* (line 27 of overwriting.py) loses a gradient where an operand is used twice"),
    ],
)  # fmt: skip
def test_an_engine_that_is_wrong_is_told_which_operation(name, sentence, monkeypatch, capsys):
    monkeypatch.chdir(ENGINES)
    assert main(["run", "--own", name]) == 1
    output = capsys.readouterr().out
    assert "The losses differ from step 2 on." in output
    assert f"The operation {sentence}" in output
    assert output.count("The operation") == 1


BREADTH_FIRST = """\
    def backward(self):
        topo = [self]
        for v in topo:
            topo += [child for child in dict.fromkeys(v._prev) if child not in topo]
        self.grad = 1.0
        for v in topo:
            v._backward()

    def __neg__"""


def test_a_wrong_order_of_the_backward_pass_is_named(tmp_path):
    text = (ENGINES / "closures.py").read_text().replace("set(_children)", "tuple(_children)")
    start = text.index("    def backward")
    text = text[:start] + BREADTH_FIRST + text.split("    def __neg__")[1]
    file = tmp_path / "order.py"
    file.write_text(text)
    namespace: dict = {}
    exec(compile(text.partition("random.seed")[0], "order.py", "exec"), namespace)
    (sentence,) = probe(namespace["Value"], read_engine(str(file)))
    assert sentence.startswith("backward (line ")
    assert "visits nodes in a wrong order" in sentence


HEAD = """\
class Value:
    def __init__(self, data{parameters}):
        self.data, self.grad = data, 0.0{body}
    def __mul__(self, other):
        return Value(self.data * other.data)
    def backward(self):
        self.grad = 1.0
    def {method}(self):
        return self
"""


def program(parameters: str = "", body: str = "", method: str = "leaky", rest: str = "") -> str:
    return HEAD.format(parameters=parameters, body=body, method=method) + rest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print(1)\n", "program.py defines no class with data, grad and a method backward"),
        ("def f(:\n", "program.py, line 1 is not a Python program: invalid syntax"),
        (
            "class Value:\n    def __init__(self, data):\n        self.data = data\n    def backward(self): ...\n",
            "no class with data, grad and a method backward: Value (line 1) has no grad",
        ),
        (
            "from micrograd.engine import Value\n",
            "program.py imports its Value from micrograd.engine; write `from adjoint import Value` in line 1",
        ),
        (
            program() + program().replace("class Value", "class Node"),
            "several classes with data, grad and backward: Value (line 1), Node (line 10); choose one with --class",
        ),
        (program(rest="class Tensor(Value): ...\n"), "cannot be replaced: the class Tensor derives from it (line 10)"),
        (program().replace("class Value", "class Value(dict)"), "it derives from another class (line 1)"),
        (program(rest="Value.exp = lambda x: x\n"), "Value.exp is assigned outside of the class (line 10)"),
        (program(", unit", rest="v = Value(1.0, 'm')\n"), "its constructor takes unit, where adjoint's takes"),
        (program(", unit=''", rest="v = Value(1.0, unit='m')\n"), "its constructor takes unit=, adjoint's Val"),
        (program("=0.0", rest="v = Value()\n"), "it is made without data, which adjoint's Value needs (line 10)"),
        (program(rest="Value(2.0).leaky()\n"), "cannot be replaced: the program uses its leaky (line 10)"),
        (program(body="\n        self.unit = 1", rest="Value(2.0).unit\n"), "the program uses its unit (line 11)"),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_replaced_says_why(text, message, tmp_path, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(text)
    assert main(["run", "program.py"]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("adjoint: ")
    assert message in error


ARRAYS = """\
import numpy as np

class Tensor:
    def __init__(self, data, children=()):
        self.data = np.asarray(data, float)
        self.grad = np.zeros_like(self.data)
        self._prev, self._backward = children, lambda: None
    def __mul__(self, other):
        out = Tensor(self.data * other.data, (self, other))
        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = back
        return out
    def sum(self):
        out = Tensor(self.data.sum(), (self,))
        def back():
            self.grad += out.grad
        out._backward = back
        return out
    def backward(self):
        self.grad = np.ones_like(self.data)
        nodes = [self]
        for node in nodes:
            node._backward()
            nodes += [x for x in node._prev if x not in nodes]

w = Tensor(np.arange(3.0))
for _ in range(3):
    w.grad = np.zeros(3)
    loss = (w * Tensor(np.ones(3))).sum()
    loss.backward()
    w.data = w.data - 0.1 * w.grad
print(loss.data)
"""


def test_an_engine_of_arrays_is_replaced_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(ARRAYS)
    assert main(["run", "program.py", "--own", "--steps", "3"]) == 0
    output = capsys.readouterr().out
    assert "The losses of 3 steps are equal" in output
    assert "The operation" not in output


def test_a_file_that_is_not_there_is_an_error(capsys):
    assert main(["run", "nowhere.py"]) == 2
    assert capsys.readouterr().err == "adjoint: cannot read nowhere.py: No such file or directory\n"


def test_options_that_do_not_fit_are_errors(tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(program())
    assert main(["run", str(file), "--class", "Valu"]) == 2
    assert "did you mean 'Value'?" in capsys.readouterr().err
    assert main(["run", str(file), "--steps", "2"]) == 2
    assert "--steps needs --own" in capsys.readouterr().err
    assert main(["run", str(file), "--own", "--steps", "x"]) == 2
    assert "expected an integer of at least 1, not 'x'" in capsys.readouterr().err


def test_one_of_several_classes_is_chosen(tmp_path, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(tmp_path)
    other = program().replace("class Value", "class Node")
    Path("program.py").write_text(program() + other + "print(Value.__module__, Node.__module__)\n")
    assert main(["run", "program.py", "--class", "Node"]) == 0
    assert capsys.readouterr().out == "__main__ adjoint.engine.value\n"


def test_an_exception_of_the_program_is_shown_from_its_own_lines_on(tmp_path, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(program(rest="def f():\n    return 1 / 0\n\nf()\n"))
    assert main(["run", "program.py"]) == 1
    error = capsys.readouterr().err
    assert error.endswith("ZeroDivisionError: division by zero\n")
    assert 'File "program.py", line 13' in error
    assert "adjoint/cli" not in error


def test_the_exit_code_is_that_of_the_program(tmp_path, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(tmp_path)
    for code, expected in (("", 0), ("0", 0), ("3", 3), ("'stop'", 1)):
        Path("program.py").write_text(program(rest=f"import sys\nsys.exit({code})\n"))
        assert main(["run", "program.py"]) == expected
    assert "stop\n" in capsys.readouterr().err


def test_a_program_without_backward_is_not_compared(tmp_path, monkeypatch, capsys, no_comparison):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(program(rest="print(Value(2.0).data)\n"))
    assert main(["run", "program.py"]) == 0
    output = capsys.readouterr()
    assert output.out == "2.0\n"
    assert "it has not called backward(), so there is no step to compare" in output.err


def test_the_program_runs_as_the_main_module_beside_its_own_files(tmp_path, monkeypatch, capsys, no_comparison):
    (tmp_path / "beside.py").write_text("x = 5\n")
    text = program(
        rest="import sys, beside\nprint(__name__, __file__, beside.x, sys.modules['__main__'].Value is Value)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(text)
    before = sys.modules["__main__"], sys.argv, sys.path
    assert main(["run", str(file)]) == 0
    assert capsys.readouterr().out == f"__main__ {file} 5 True\n"
    assert (sys.modules["__main__"], sys.argv, sys.path) == before

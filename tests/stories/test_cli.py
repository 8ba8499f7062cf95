"""The command line: output is tested in real processes, errors by calling `main`."""

import json
import re
import shlex
import subprocess
import sys
from itertools import islice

import pytest
from closeness import require_close

import adjoint
from adjoint.cli import bench
from adjoint.cli.command_line import main


def run(*arguments: str, cwd) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "adjoint", *arguments], cwd=cwd, capture_output=True, text=True, timeout=600
    )


def test_a_network_is_trained_plotted_saved_and_used(tmp_path):
    trained = run("train", "moons", "--plot", "moons.png", "--save", "moons.safetensors", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    assert "moons: 100 samples, 2 classes; network 2-16-16-1" in trained.stderr
    assert "accuracy 100.0%" in trained.stdout
    assert "epoch 100/100" in trained.stderr
    assert (tmp_path / "moons.png").read_bytes().startswith(b"\x89PNG")
    asked = run("predict", "moons.safetensors", "--", "-0.5", "0.9", cwd=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("class 0")
    assert run("predict", "moons.safetensors", "1.5", "-0.4", "--json", cwd=tmp_path).stdout.startswith('{"class": 1')
    assert {path.name for path in tmp_path.iterdir()} == {"moons.png", "moons.safetensors"}


def test_an_expression_is_computed_and_its_graph_shown(tmp_path):
    shown = run("graph", "tanh(a*b + c)", "a=2", "b=-3", "c=10", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "tanh(a*b + c) = 0.999329" in shown.stdout
    assert "├── v1 = a * b  data -6.0000" in shown.stdout
    rows = {line.split()[0]: line.split()[-1] for line in shown.stdout.splitlines() if line and line[0] in "abc"}
    assert rows == {"a": "-0.00402285", "b": "0.0026819", "c": "0.00134095"}


def test_an_expression_is_explained_step_by_step(tmp_path):
    shown = run("explain", "a*b + a", "a=2", "b=-3", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert (
        "    a.grad += v1.grad · b = 1 · −3 = −3 → −2 (was 1; a is used twice, so its gradients add up)" in shown.stdout
    )
    assert run("explain", "a*b", "a=2", "b=-3", "--format", "latex", cwd=tmp_path).stdout.startswith(r"\begin{aligned}")


LECTURE = "a = 2; b = -3; c = 10; f = -2; d = a*b; e = d + c; L = e*f"


def test_statements_name_the_nodes_of_a_graph_and_of_an_explanation(tmp_path):
    shown = run("graph", LECTURE, cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("d = a*b = -6\ne = d + c = 4\nL = e*f = -8\n\ninput")
    assert "│   ├── d = a * b  data -6.0000  grad -2.0000" in shown.stdout
    explained = run("explain", f"{LECTURE}\nfinal = L", "a=1", cwd=tmp_path)
    assert "    d.grad += e.grad · 1 = −2 · 1 → −2 (was 0)" in explained.stdout
    assert "  L = e * f = 7 × −2 = −14" in explained.stdout
    assert explained.stderr == "final is another name for L.\n"


def test_statements_as_json_have_values_and_gradients(capsys):
    found = json.loads(output_of(capsys, "graph", LECTURE, "f=2", "--json"))
    assert found["gradients"] == {"a": -6.0, "b": 4.0, "c": 2.0, "f": 4.0}
    assert found["statements"] == {
        "d": {"value": -6.0, "gradient": 2.0},
        "e": {"value": 4.0, "gradient": 2.0},
        "L": {"value": 8.0, "gradient": 1.0},
    }


@pytest.mark.parametrize("text", ["a = 2", "k = 3; L = a"])
def test_the_result_of_a_command_may_be_an_input(text, capsys):
    found = json.loads(output_of(capsys, "graph", text, "a=5", "--json"))
    assert (found["value"], found["gradients"]["a"]) == (5.0, 1.0)
    assert "a  data 5.0000  grad 1.0000" in output_of(capsys, "graph", text, "a=5")
    assert "a = 5" in output_of(capsys, "explain", text, "a=5")


def test_a_picture_is_written_to_a_pipe_but_not_to_a_terminal(monkeypatch, capfdbinary):
    command = ["graph", "a*b", "a=2", "b=3", "--format", "png"]
    assert main(command) == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(command) == 2
    assert b"--out graph.png" in capfdbinary.readouterr().err


def test_a_graph_is_written_in_the_requested_format(tmp_path, capsys):
    command = ["graph", "tanh(a*b)", "a=2", "b=-0.5"]
    for name, start in (("g.svg", "<svg "), ("g.dot", "digraph {"), ("g.json", "{"), ("g.txt", "v2 = tanh(v1)")):
        assert output_of(capsys, *command, "--out", str(tmp_path / name)) == f"wrote {tmp_path / name}\n"
        assert (tmp_path / name).read_text().startswith(start)
    for name, start in (("g.png", b"\x89PNG"), ("g.pdf", b"%PDF-")):
        assert output_of(capsys, *command, "--out", str(tmp_path / name)) == f"wrote {tmp_path / name}\n"
        assert (tmp_path / name).read_bytes().startswith(start)
    assert output_of(capsys, *command, "--format", "svg").startswith("<svg ")
    assert "rankdir=TB" in output_of(capsys, *command, "--format", "dot", "--direction", "TB")
    document = json.loads(output_of(capsys, *command, "--format", "json"))
    assert [node["name"] for node in document["nodes"]] == ["a", "b", "v1", "v2"]
    steps = json.loads(output_of(capsys, "explain", *command[1:], "--format", "json"))
    assert [step["formula"] for step in steps["backward"]] == ["1 − v2²", "b", "a"]
    assert json.loads(output_of(capsys, "graph", "a*b", "a=inf", "b=0", "--json"))["value"] == "NaN"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["graph", "a", "a=1", "--format", "svgg"], "unknown format 'svgg' (did you mean 'svg'?)"),
        (
            ["graph", "a", "a=1", "--out", "graph.gif"],
            "use a suffix (.txt, .svg, .dot, .mmd, .png, .pdf, .json) or --format",
        ),
        (["graph", "a", "a=1", "--out", "no/where/graph.svg"], "the folder 'no/where' does not exist"),
        (["graph", "a", "a=1", "--format", "svg", "--direction", "up"], "unknown direction 'up'"),
        (["explain", "a", "b=1"], "unknown name 'b'"),
        (["explain", "a", "a=x"], "'x' is not a number"),
        (["explain", "a*b", "a=1"], "b has no value; give one, such as b=1"),
        (["explain", "a +"], "syntax error"),
        (["graph", "d = e; e = d"], "d depends on itself: d → e → d\n  d = e; e = d\n      ^"),
        (["graph", "d = a*a", "d=3"], "unknown name 'd'"),
    ],
)
def test_an_expression_that_cannot_be_shown_gives_one_line(command, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_help_has_examples_and_is_shown_without_a_command(tmp_path):
    bare, asked, of_train = run(cwd=tmp_path), run("--help", cwd=tmp_path), run("train", "--help", cwd=tmp_path)
    assert bare.stdout == asked.stdout
    assert (bare.returncode, asked.returncode) == (0, 0)
    for command in ("train", "predict", "graph", "explain", "bench"):
        assert f"\n  {command} " in asked.stdout.replace("    ", "  ")
    assert "adjoint train moons --plot moons.png" in of_train.stdout


def test_the_version_names_the_engine(tmp_path):
    engine = "native core" if adjoint.accelerated else "plain Python"
    assert run("--version", cwd=tmp_path).stdout.startswith(f"adjoint {adjoint.__version__} ({engine}, Python 3.")


def test_the_reader_of_the_output_can_close_it(tmp_path):
    command = f"{shlex.quote(sys.executable)} -m adjoint graph 'a*b' a=1 b=2 | head -c 1"
    cut = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert cut.stderr == ""


def output_of(capsys, *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_a_history_as_json_has_a_row_for_each_epoch(capsys):
    found = json.loads(output_of(capsys, "train", "xor", "--epochs", "3", "--json", "--quiet"))
    assert [row["epoch"] for row in found["rows"]] == [1, 2, 3]
    assert found["rows"][0]["loss"] > 0


def test_quiet_prints_nothing_on_the_error_stream(capsys):
    assert main(["train", "xor", "--epochs", "2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_all_engines_print_the_same_losses(capsys):
    runs = [
        json.loads(output_of(capsys, "train", "circles", "--epochs", "3", "--json", "--quiet", "--engine", *engine))
        for engine in (["array"], ["scalar"], ["scalar", "--no-jit"])
    ]
    assert ["compile_seconds" in found for found in runs] == [False, True, False]
    for found in runs[1:]:
        for first, second in zip(runs[0]["rows"], found["rows"]):
            require_close(first["loss"], second["loss"])


def test_the_output_says_which_engine_ran_and_how_long_it_compiled(capsys):
    assert main(["train", "xor", "--epochs", "2", "--engine", "scalar"]) == 0
    shown = capsys.readouterr()
    assert "37 parameters, scalar engine, compiled\n" in shown.err
    assert re.search(r"after 2 epochs in [\d.]+ m?s, of which [\d.]+ m?s compiling$", shown.out, re.MULTILINE)
    assert main(["train", "xor", "--epochs", "2", "--engine", "scalar", "--no-jit"]) == 0
    shown = capsys.readouterr()
    assert "37 parameters, scalar engine, not compiled\n" in shown.err
    assert "compiling" not in shown.out


def test_options_change_the_recipe(capsys):
    command = "train moons --hidden 4 --activation tanh --optimizer adam --lr 0.1 --epochs 2 --seed 7"
    assert main(command.split()) == 0
    output = capsys.readouterr().err
    assert "network 2-4-1 (tanh), 17 parameters" in output
    assert "epoch 2/2" in output


def test_a_table_from_a_file_is_learned(tmp_path, capsys):
    table = tmp_path / "points.csv"
    rows = [f"{x},{y},{int(x > y)}" for x in range(9) for y in range(9) if x != y]
    table.write_text("left;right;kind\n".replace(";", ",") + "\n".join(rows))
    checkpoint = str(tmp_path / "points.safetensors")
    output = output_of(capsys, "train", str(table), "--save", checkpoint, "--plot", str(tmp_path / "p.svg"), "--quiet")
    assert "on validation samples" in output
    assert json.loads(output_of(capsys, "predict", checkpoint, "8", "1", "--json"))["class"] == 1
    assert json.loads(output_of(capsys, "predict", checkpoint, "1", "8", "--json"))["class"] == 0
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")


def test_names_are_generated_from_a_saved_model(tmp_path, capsys):
    checkpoint = str(tmp_path / "names.safetensors")
    output = output_of(capsys, "train", "names", "--epochs", "1", "--save", checkpoint, "--quiet")
    assert "new names: " in output
    assert "after 1 epoch in" in output
    names = output_of(capsys, "predict", checkpoint, "an", "--count", "3").split()
    assert len(names) == 3
    assert all(name.startswith("an") for name in names)
    assert json.loads(output_of(capsys, "predict", checkpoint, "--count", "2", "--json"))["names"]


def test_training_resumes_from_a_saved_file(tmp_path, capsys):
    checkpoint, command = str(tmp_path / "xor.safetensors"), ["train", "xor", "--quiet", "--json"]
    main([*command, "--epochs", "6", "--save", checkpoint])
    capsys.readouterr()
    resumed = json.loads(output_of(capsys, *command, "--epochs", "9", "--save", checkpoint, "--resume"))
    whole = json.loads(output_of(capsys, *command, "--epochs", "9"))
    assert len(resumed["rows"]) == 9
    assert [row["loss"] for row in resumed["rows"]] == [row["loss"] for row in whole["rows"]]
    assert main([*command, "--epochs", "9", "--hidden", "5", "--save", checkpoint, "--resume"]) == 2
    assert "does not fit" in capsys.readouterr().err
    said = output_of(capsys, "train", "xor", "--epochs", "9", "--save", checkpoint, "--resume")
    assert f"the training wrote nothing to {checkpoint}; it was already over, and --epochs 18 continues it" in said


def test_bench_compares_the_engines(capsys, monkeypatch):
    found = list(islice(bench.measurements(0.01), 2))
    assert [row.engine for row in found] == ["adjoint, every weight a Value", "adjoint, arrays"]
    assert all(row.seconds > 0 for row in found)
    monkeypatch.setattr(bench, "measurements", lambda seconds: found)
    assert json.loads(output_of(capsys, "bench", "--json"))[1]["engine"] == "adjoint, arrays"
    assert "steps per second" in output_of(capsys, "bench")


def test_an_expression_as_json_has_a_gradient_for_each_name(capsys):
    found = json.loads(output_of(capsys, "graph", "a*b + 0*c", "a=2", "b=3", "c=1", "--json"))
    assert found == {"expression": "a*b + 0*c", "value": 6.0, "gradients": {"a": 3.0, "b": 2.0, "c": 0.0}}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("trian moons", "unknown command 'trian' (did you mean 'train'?)"),
        ("train", "required: DATA"),
        ("train mons", "unknown data 'mons' (did you mean 'moons'?)"),
        ("train nothing.csv", "the file 'nothing.csv' does not exist"),
        ("train text.csv", "text.csv, line 2, column 2: 'x' is not a number"),
        ("train holes.csv", "nan is not finite"),
        ("train empty.csv", "is empty"),
        ("train moons --epochs 0", "expected an integer of at least 1, not '0'"),
        ("train moons --lr -1", "expected a number above 0, not '-1'"),
        ("train moons --lr nan", "expected a number above 0, not 'nan'"),
        ("train moons --hidden 4,x", "such as 16,16"),
        ("train moons --optimizer adma", "did you mean 'adam'"),
        ("train moons --activation rellu", "did you mean 'relu'"),
        ("train moons --engine arrays", "did you mean 'array'"),
        ("train moons --engine jit --no-jit", "--no-jit and --engine jit exclude each other"),
        ("train names --engine scalar", "names needs --engine array or jit"),
        ("train moons --plot moons.bmp", "a .png, .pdf or .svg file"),
        ("train moons --plot nowhere/moons.png", "the folder 'nowhere' does not exist"),
        ("train moons --film moons.avi", "must end in .gif, .mp4 or .html"),
        ("train moons --film nowhere/moons.gif", "the folder 'nowhere' does not exist"),
        ("train digits --film digits.gif", "a film needs data with two inputs and classes"),
        ("train names --film names.gif", "a film needs data with two inputs and classes"),
        ("train moons --save nowhere/moons.safetensors", "the folder 'nowhere' does not exist"),
        ("train moons --resume", "--resume needs --save FILE"),
        ("train moons --save m.pt", "--save needs a .safetensors file, not 'm.pt'"),
        ("train moons --frobnicate", "unrecognized arguments: --frobnicate"),
        ("predict nothing.safetensors 1 2", "the file does not exist"),
        ("predict holes.csv 1 2", "is not a checkpoint"),
        ("graph tahn(a) a=1", "unknown function tahn"),
        ("graph a*b a=1", "b has no value; give one, such as b=1"),
        ("graph a a=x", "'x' is not a number"),
        ("graph a a", "not of the form name=number"),
        ("graph a a=1 q=2", "unknown name 'q'"),
    ],
)
def test_a_mistake_gives_one_line_and_exit_code_2(command, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in (("text.csv", "1,2\n3,x\n"), ("holes.csv", "1,2\n3,nan\n"), ("empty.csv", "")):
        (tmp_path / name).write_text(content)
    assert main(command.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    first, *rest = output.err.splitlines()
    assert first.startswith("adjoint: ")
    assert message in first
    assert rest == [] or command.startswith("graph tahn")  # where a caret points
    assert {path.name for path in tmp_path.iterdir()} == {"text.csv", "holes.csv", "empty.csv"}


def test_a_mistake_shows_no_traceback(tmp_path):
    refused = run("train", "mons", cwd=tmp_path)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1


def test_a_film_of_the_training_is_written(capsys, tmp_path):
    path = str(tmp_path / "xor.gif")
    assert output_of(capsys, "train", "xor", "--epochs", "3", "--film", path, "--quiet").endswith(f"wrote {path}\n")
    assert (tmp_path / "xor.gif").read_bytes().startswith(b"GIF89a")
    assert [x.name for x in tmp_path.iterdir()] == ["xor.gif"]


def test_regression_data_have_no_boundary_to_plot(capsys, tmp_path):
    table = tmp_path / "sum.csv"
    table.write_text("a,b,sum\n" + "\n".join(f"{i},{i % 7},{1.5 * i + i % 7}" for i in range(80)))
    picture, film = str(tmp_path / "sum.svg"), str(tmp_path / "sum.gif")
    output_of(capsys, "train", str(table), "--epochs", "2", "--quiet", "--plot", picture)
    assert (tmp_path / "sum.svg").read_bytes().startswith(b"<?xml")
    assert main(["train", str(table), "--epochs", "2", "--quiet", "--film", film]) == 2

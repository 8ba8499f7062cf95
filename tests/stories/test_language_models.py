"""Language models by the command line: training, a killed process that resumes, and its text."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from closeness import require_close

from adjoint.cli.command_line import main
from adjoint.cli.train_language import _overfitting
from adjoint.training.history import History

TEXT = Path(__file__).parents[2] / "docs" / "training.md"
SMALL = ["--length", "16", "--batch-size", "4"]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "adjoint", *map(str, arguments)]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a log, without the times."""
    with path.open(newline="") as file:
        return [{name: x for name, x in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = main([str(x) for x in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.full
@pytest.mark.parametrize("data", [["names", "--model", "gpt-tiny"], [TEXT]], ids=["names", "text"])
def test_300_steps_killed_with_sigkill_resume_to_the_same_losses(tmp_path, data):
    common = ["train", *data, "--steps", 300, "--evaluate-every", 20]
    subprocess.run(command(*common, "--log", tmp_path / "whole.csv", "--quiet"), check=True, timeout=3600)
    saved = tmp_path / "run.safetensors"
    arguments = command(*common, "--save", saved, "--save-every", 7, "--quiet")[3:]
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_IT_SAVES, *arguments], timeout=3600)
    assert killed.returncode == -signal.SIGKILL
    assert step_of(saved) == 105
    resumed = command("train", *data[:1], "--save", saved, "--resume", "--log", tmp_path / "resumed.csv", "--quiet")
    subprocess.run(resumed if data[0] != "names" else [*resumed, "--model", "gpt-tiny"], check=True, timeout=3600)
    expected = rows(tmp_path / "whole.csv")
    assert [row["step"] for row in expected] == [str(step) for step in range(20, 301, 20)]
    assert float(expected[-1]["loss"]) < 0.8 * float(expected[0]["loss"])
    assert rows(tmp_path / "resumed.csv") == expected
    generate = command("generate", saved, "--tokens", 40, "--seed", 1)
    written = subprocess.run(generate, check=True, timeout=3600, capture_output=True, text=True)
    assert written.stdout.strip()


# Kills itself while it saves for the 16th time, when the file of that save is complete and not yet in its place.
KILLED_WHILE_IT_SAVES = """
import os, signal
from adjoint.cli.command_line import main

def put_in_place(source, target):
    if len(saves) == 15:
        os.kill(os.getpid(), signal.SIGKILL)
    saves.append(target)
    replace(source, target)

replace, os.replace, saves = os.replace, put_in_place, []
main()
"""


def step_of(path: Path) -> int:
    """Return the number of updates that a checkpoint has, which is in its header."""
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["adjoint"])["content"]["about"]["extra"]["training"]["updates"]


@contextmanager
def ctrl_c_ignored():
    """Ignore SIGINT, as every program does that a script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_model_of_a_text_is_trained_saved_interrupted_and_resumed(tmp_path, capsys, monkeypatch):
    from adjoint.training import logs

    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat on the mat. " * 20)
    common = ["train", "text.txt", "--engine", "array", *SMALL]
    code, out, err = run(capsys, *common, "--steps", 6, "--evaluate-every", 2, "--log", "whole.csv")
    assert code == 0
    assert "text.txt: 481 tokens (bytes), 48 of them for validation\n" in err
    assert "gpt-tiny: 431,744 parameters, 6 steps of 4 × 16 tokens, array engine\n" in err
    assert re.search(r"^step 4/6  loss \d\.\d+  validation loss \d\.\d+  [\d,]+ tokens/s", err, re.MULTILINE)
    assert re.match(r"loss \d\.\d+, validation loss \d\.\d+, after 6 steps in ", out)
    assert "the model was not saved; --save FILE saves it" in out

    def press(self, model, history):
        if history.steps == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch, ctrl_c_ignored():
        patch.setattr(logs.CSVLogger, "on_epoch", press)
        code, out, _ = run(
            capsys, *common, "--steps", 6, "--evaluate-every", 2, "--save", "run.safetensors", "--log", "no.csv"
        )
    assert code == 130
    assert out.splitlines()[0].endswith("(interrupted)")
    again = re.search(r"resume with: adjoint (.*)$", out).group(1).split()
    assert again == ["train", "text.txt", "--save", "run.safetensors", "--resume"]
    code, out, _ = run(capsys, *again, "--engine", "array", "--log", "resumed.csv")
    assert (code, rows(Path("resumed.csv"))) == (0, rows(Path("whole.csv")))


def test_a_file_of_tokens_is_trained_with_its_validation_file_and_tokenizer(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat on the mat. " * 40)
    assert run(capsys, "tokenize", "text.txt", "--out", "train.bin", "--validation", "0.2")[0] == 0
    common = ["train", "train.bin", "--engine", "array", *SMALL, "--steps", 2, "--save", "run/"]
    code, out, err = run(capsys, *common)
    assert (code, "wrote run/; write text with: adjoint generate run/" in out) == (0, True)
    assert re.match(r"train\.bin: \d+ tokens \(vocabulary 257\); train\.validation\.bin: \d+ for validation\n", err)
    code, out, _ = run(capsys, "generate", "run", "the", "--tokens", 3)
    assert (code, out.startswith("the")) == (0, True)


def test_a_model_that_learned_its_text_by_heart_is_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    letters = np.random.default_rng(0).choice(list("abcdefgh"), 400)
    Path("text.txt").write_text("".join(letters))
    common = [
        "train",
        "text.txt",
        "--engine",
        "array",
        "--length",
        16,
        "--batch-size",
        8,
        "--lr",
        "0.005",
        "--evaluate-every",
        10,
    ]
    out = run(capsys, *common, "--steps", 100)[1]
    best = re.search(r"overfitted: .* lowest after step (\d+), .* use --steps (\d+), --dropout 0.2 or more data", out)
    assert best
    assert best[1] == best[2]
    assert "overfitted" not in run(capsys, *common, "--steps", best[2])[1]


def test_a_validation_loss_that_is_nan_is_not_called_overfitting():
    history = History("validation_loss")
    for step, loss in ((10, 2.0), (20, float("nan"))):
        history.add({"step": step, "loss": 1.0, "validation_loss": loss, "seconds": 1.0})
    assert _overfitting(history) == []


def test_a_large_vocabulary_is_rounded_up_for_gpus():
    from adjoint import data
    from adjoint.training.recipes.language import language_recipe

    tokens = data.Tokens(np.arange(100), vocab_size=5000)
    assert language_recipe("gpt-tiny").model(tokens).vocab_size == 5120
    assert language_recipe("gpt-tiny").model(data.Tokens(np.arange(100), vocab_size=257)).vocab_size == 257


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("text.txt --epochs 3", "--epochs does not apply to text.txt, which trains a language model; use --steps"),
        ("text.txt --hidden 3", "--hidden does not apply to text.txt, which trains a language model; use --model"),
        ("text.txt --classes", "--classes or --regression does not apply to text.txt"),
        ("text.txt --no-jit", "--no-jit does not apply to text.txt"),
        ("moons --steps 3", "--steps does not apply to moons, which trains a network, not a language model; use --ep"),
        ("moons --recompute", "--recompute does not apply to moons"),
        ("moons --model gpt-tiny", "--model does not apply to moons, which trains a network, not a language model"),
        ("text.html", "'text.html' is not a table (.csv, .npz), a text (.txt, .md) or a file of tokens (.bin) by its"),
        ("text.htm", "digits, names; or a .csv, .npz, .txt, .md or .bin file"),
        ("text.txt --recomptue", "unrecognized arguments: --recomptue; see adjoint train --help"),
        ("text.txt --model gtp2", "unknown model 'gtp2' (did you mean 'gpt2'?)"),
        ("text.txt --engine scalar", "a language model needs --engine array or jit, not 'scalar'"),
        ("text.txt --precision bfloat", 'a precision is "float32", "bfloat16" or "float16", not str'),
        ("text.txt --precision bfloat16 --engine array", "--precision bfloat16 needs --engine jit"),
        ("text.txt --length 4000", "the training data have 18 tokens, fewer than a window of length 4000"),
        ("text.txt --length 8 --validation 0.1", "the validation data (--validation 0.1) have 2 tokens, fewer than"),
        ("text.txt --length 8 --validation hi.txt", "the validation data (--validation hi.txt) have 3 tokens, fewer"),
        (
            "text.txt --length 8 --batch-size 11",
            "--batch-size 11 is more than the 10 sequences of length 8 in the 18 t",
        ),
        ("text.txt --dropout 1", "expected a number of at least 0 and below 1, not '1'"),
        ("text.txt --validation 1.5", "expected a number of at least 0 and below 1, not '1.5'"),
        ("text.txt --save-every 1", "--save-every needs --save FILE"),
        ("text.txt --devices 4096 --batch-size 4096", "jit was asked to use 4096 devices, but JAX has"),
        (
            "text.txt --save full",
            "give the name of a file in it, or 'full/', with a slash at the end, to write several",
        ),
        ("tokens.bin --length 8", "the file 'tokens.tokenizer.json' does not exist"),
        ("negative.bin", "'negative.bin.json' is damaged: its vocab_size is int -5; tokenize again"),
        ("text.txt --validation no.txt", "the file 'no.txt' does not exist"),
        ("text.txt --devices 3", "--batch-size 16 cannot be split over 3 devices"),
        ("text.txt --devices 2 --engine array", "--devices needs --engine jit"),
        ("text.txt --shard parameters", "--shard parameters needs --devices N"),
        ("text.txt --shard weights --devices 2", "unknown --shard 'weights'; the known ones: parameters"),
        ("text.txt --save run", "--save needs a .safetensors file, or a folder such as run/, not 'run'"),
        ("moons --save run/", "--save needs a .safetensors file, not 'run/'"),
        ("text.txt --log run.txt", "--log needs a .csv or .jsonl file, not 'run.txt'"),
        ("text.txt --resume --save no.safetensors", "the file does not exist"),
        ("text.txt --resume --save net.safetensors", "does not hold the training of a language model"),
        ("no.txt", "the file 'no.txt' does not exist"),
        ("no.bin", "the file 'no.bin' does not exist"),
        ("empty.txt", "'empty.txt' is empty"),
        ("latin.txt", "'latin.txt' is not UTF-8 text"),
    ],
)
def test_a_mistake_gives_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    from adjoint import nn, save

    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat here.")
    Path("text.html").write_text("<p>the cat sat here.</p>")
    Path("empty.txt").touch()
    Path("hi.txt").write_text("hi")
    Path("full").mkdir()
    Path("full/other.txt").touch()
    for name, vocab_size in (("tokens.bin", 99), ("negative.bin", -5)):
        Path(name).write_bytes(bytes(80))
        about = {"format": "adjoint-tokens", "tokens": 40, "dtype": "uint16", "tokenizer": "tokens.tokenizer.json"}
        Path(f"{name}.json").write_text(json.dumps(about | {"vocab_size": vocab_size}))
    Path("latin.txt").write_bytes("café".encode("latin-1"))
    save("net.safetensors", nn.Linear(1, 1))
    before = {path.name for path in tmp_path.iterdir()}
    code, out, err = run(capsys, "train", *arguments.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert {path.name for path in tmp_path.iterdir()} == before


def test_lack_of_memory_names_the_options_that_save_it(tmp_path, monkeypatch, capsys):
    from adjoint.training.recipes.language import LanguageRecipe

    def fail(*args, **options):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 209868833024 bytes.")  # as JAX raises it

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(LanguageRecipe, "fit", fail)
    Path("text.txt").write_text("the cat sat here. " * 9)
    code, _, err = run(capsys, "train", "text.txt", "--engine", "array", "--quiet")
    assert (code, err.count("\n")) == (2, 1)
    assert "out of memory; use a smaller --batch-size" in err
    assert "209868833024 bytes" in err


def test_resuming_with_other_options_or_data_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat here. " * 9)
    Path("other.txt").write_text("the dog sat here. " * 9)
    common = ["--engine", "array", "--save", "run.safetensors", "--quiet"]
    assert run(capsys, "train", "text.txt", *common, *SMALL, "--steps", 1)[0] == 0
    code, _, err = run(capsys, "train", "text.txt", *common, "--resume", "--batch-size", 8)
    assert (code, "was trained with batch_size=4, but now it is 8" in err) == (2, True)
    code, _, err = run(capsys, "train", "other.txt", *common, "--resume")
    assert (code, "was trained on other tokens" in err) == (2, True)
    code, _, err = run(capsys, "predict", "run.safetensors", "the")
    assert (code, "adjoint generate run.safetensors" in err) == (2, True)
    code, _, err = run(capsys, "train", "moons", "--save", "run.safetensors", "--resume")
    assert (code, "'run.safetensors' holds a language model, not a network for this data" in err) == (2, True)


@pytest.mark.filterwarnings("default::adjoint.errors.NotFiniteLossWarning")
def test_training_that_diverges_says_what_the_file_holds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat here. " * 9)
    common = ["train", "text.txt", "--engine", "array", *SMALL, "--steps", 3, "--save", "run.safetensors", "--quiet"]
    code, out, err = run(capsys, *common, "--lr", "1e30")
    assert (code, Path("run.safetensors").exists()) == (1, False)
    assert out.endswith(
        "run.safetensors was not written; train again with a smaller learning rate, such as --lr 1e+29\n"
    )
    assert (err.count("\n"), err.startswith("adjoint: warning: the loss became nan")) == (1, True)
    assert "the model has the weights of this step" in err
    Path("run.safetensors").touch()
    assert "run.safetensors was not written, and is that of an earlier run;" in run(capsys, *common, "--lr", "1e30")[1]
    for options in (["--save-every", 1], ["--resume"]):
        out = run(capsys, *common, "--lr", "1e30", *options)[1]
        assert "\nrun.safetensors holds the state after 1 step; train again with a smaller learning rate" in out


@pytest.mark.parametrize("data", [["text.txt"], ["names", "--model", "gpt-tiny"]], ids=["text", "names"])
def test_resuming_a_training_that_is_over_says_how_to_go_on(tmp_path, monkeypatch, capsys, data):
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the cat sat here. " * 9)
    common = ["--engine", "array", "--save", "run.safetensors", "--quiet"]
    run(capsys, "train", *data, *common, *SMALL, "--steps", 3)
    before = Path("run.safetensors").read_bytes()
    code, out, _ = run(capsys, "train", *data, *common, "--resume")
    assert (code, Path("run.safetensors").read_bytes()) == (0, before)
    assert "the training was already over, and nothing was written; for more steps: " in out
    again = re.search(r"for more steps: adjoint (.*)$", out).group(1).split()
    assert again == ["train", *data, "--save", "run.safetensors", "--resume", "--steps", "6"]
    code, out, _ = run(capsys, *again, "--engine", "array", "--quiet")
    assert (code, "after 6 steps" in out, "wrote run.safetensors;" in out) == (0, True, True)


@pytest.mark.parametrize("first", [3, 4, 6])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_run_that_ended_within_an_interval_goes_on_with_the_next_batch(tmp_path, monkeypatch, first, accumulate):
    from adjoint import data
    from adjoint.training import eager_steps
    from adjoint.training.recipes.language import language_recipe

    seen = []

    def note(self, x, y, weight):
        seen.append(x)
        return forward(self, x, y, weight)

    forward = eager_steps.EagerStep.forward
    monkeypatch.setattr(eager_steps.EagerStep, "forward", note)
    tokens = data.Tokens(np.arange(999) % 50)
    options = {"length": 4, "batch_size": 2, "evaluate_every": 4, "accumulate": accumulate}
    saved = {"checkpoint": tmp_path / "run.safetensors", "progress": False}
    for count, resume in ((first, False), (12, True)):
        recipe = language_recipe("gpt-tiny", steps=count, **options)
        recipe.fit(recipe.model(tokens), tokens, resume=resume, **saved)
    expected = [x for x, _ in tokens.batches(2, 4, steps=12 * accumulate)]
    np.testing.assert_array_equal(seen, expected)


@pytest.mark.full
def test_weights_split_over_four_devices_give_the_losses_of_one_and_go_on_with_two(tmp_path):
    common = [*SMALL, "--evaluate-every", 3, "--quiet", "--batch-size", 8]
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}

    def train(*arguments: object) -> list[dict[str, str]]:
        log = tmp_path / "log.csv"
        subprocess.run(command("train", TEXT, *arguments, "--log", log), check=True, timeout=3600, env=environment)
        return rows(log)

    expected = train(*common, "--steps", 6)
    folder = f"{tmp_path}/run/"
    split = ["--shard", "parameters", "--save", folder, "--devices"]
    found = train(*common, "--steps", 6, *split, 4)
    assert [row["step"] for row in found] == ["3", "6"]
    for ours, theirs in zip(found, expected, strict=True):
        for name in ("loss", "validation_loss"):
            require_close(float(ours[name]), float(theirs[name]), dtype="float32")
    assert "model.safetensors.index.json" in os.listdir(folder)
    *before, last = train("--resume", "--steps", 9, "--quiet", *split, 2)
    assert before == found
    assert (last["step"], float(last["loss"]) < float(found[0]["loss"])) == ("9", True)
    generate = command("generate", folder, "The", "--tokens", 5)
    written = subprocess.run(generate, capture_output=True, text=True, timeout=3600)
    assert written.stdout.startswith("The"), written.stderr


@pytest.mark.full
def test_two_processes_give_the_losses_of_one(tmp_path):
    common = ["train", TEXT, *SMALL, "--steps", 4, "--evaluate-every", 2]
    subprocess.run(command(*common, "--log", tmp_path / "one.csv", "--quiet"), check=True, timeout=3600)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    both = [
        subprocess.Popen(
            command(*common, "--log", tmp_path / "two.csv", "--save", f"{tmp_path}/run/", "--shard", "parameters"),
            env={**os.environ, "WORLD_SIZE": "2", "RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in "01"
    ]  # fmt: skip
    printed = [process.communicate(timeout=3600) for process in both]
    assert [process.returncode for process in both] == [0, 0], printed
    assert "compiled by XLA for 2 devices, which share the weights" in printed[0][1]
    assert "after 4 steps" in printed[0][0]
    assert "step" not in "".join(printed[1])  # JAX prints a line about its connections
    for ours, theirs in zip(rows(tmp_path / "two.csv"), rows(tmp_path / "one.csv"), strict=True):
        for name in ("loss", "validation_loss"):
            require_close(float(ours[name]), float(theirs[name]), dtype="float32")
    assert "model.safetensors.index.json" in os.listdir(tmp_path / "run")


def test_help_groups_the_options_of_each_kind_of_data(capsys):
    assert main(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    networks, models = shown.index("networks for data sets"), shown.index("language models (")
    assert networks < shown.index("--hidden") < models < shown.index("--steps") < shown.index("--evaluate-every")
    assert "adjoint train text.txt --save text.safetensors" in shown


# --- text of a model ---


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return the file of a model that knows one word."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "text.txt").write_text("abcde" * 99)
    saved = folder / "word.safetensors"
    common = ["--engine", "array", "--length", "16", "--batch-size", "4", "--steps", "40", "--lr", "5e-3"]
    assert main(["train", str(folder / "text.txt"), *common, "--save", str(saved), "--quiet"]) == 0
    return saved


def test_text_starts_with_the_prompt_and_ends_before_the_stop(trained, capsys):
    common = ["generate", trained, "abcdeab", "--temperature", 0]
    code, out, err = run(capsys, *common, "--tokens", 40)
    assert (code, err) == (0, "")
    assert out == "abcdeab" + ("cdeab" * 8) + "\n"
    assert run(capsys, *common, "--stop", "eabc")[1] == "abcdeabcd\n"
    assert run(capsys, *common, "--tokens", 4, "--json")[1] == '{"prompt": "abcdeab", "texts": ["cdea"]}\n'


def test_samples_differ_by_their_seed_and_can_be_repeated(trained, capsys):
    common = ["generate", trained, "--temperature", 2, "--tokens", 20, "--samples", 2, "--json", "--seed"]
    first, second = json.loads(run(capsys, *common, 1)[1])["texts"]
    assert first != second
    assert json.loads(run(capsys, *common, 1)[1])["texts"] == [first, second]
    assert json.loads(run(capsys, *common, 2)[1])["texts"][0] == second


def test_a_vocabulary_that_was_rounded_up_gives_only_tokens_of_the_tokenizer(trained):
    from adjoint.training.recipes.writing import load_writer, trim

    model = load_writer(trained).model
    small = trim(model, 200)
    assert small.vocab_size == 200
    prompt = list(b"abc")
    require_close(small([prompt]).numpy(), model([prompt]).numpy()[..., :200])


def test_a_folder_of_hugging_face_writes_with_its_own_tokenizer(tmp_path, capsys):
    pytest.importorskip("tokenizers")
    from adjoint import data, nn

    tokenizer = data.BytePairTokenizer.from_texts(["the cat sat on the mat. " * 9], 270)
    model = nn.GPT(tokenizer.vocab_size, 16, 8, 2, 1, seed=0)
    model.save_pretrained(tmp_path)
    tokenizer.save(tmp_path / "tokenizer.json")
    expected = model.generate(tokenizer.encode("the cat"), 5, temperature=0)
    for path in (tmp_path, tmp_path / "model.safetensors"):
        code, out, _ = run(capsys, "generate", path, "the cat", "--tokens", 5, "--temperature", 0)
        assert (code, out) == (0, tokenizer.decode(expected) + "\n")


@pytest.mark.filterwarnings("default::adjoint.errors.PrecisionWarning")
def test_a_precision_that_numpy_does_not_have_is_reported_in_one_line(trained, capsys):
    code, out, err = run(capsys, "generate", trained, "abc", "--tokens", 4, "--samples", 2, "--precision", "bfloat16")
    assert (code, out.count("abc")) == (0, 2)
    assert (err.count("\n"), err.startswith("adjoint: warning: NumPy has no bfloat16 products")) == (1, True)
    assert "guards" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("no.safetensors", "the file does not exist"),
        ("net.safetensors", "holds Linear, not a language model; for networks of data sets, use adjoint predict"),
        ("gpt.safetensors", "has no tokenizer, and there is neither tokenizer.json nor vocab.json beside it"),
        ("gpt.safetensors --tokenizer no.json", "no.json"),
        ("gpt.safetensors --top-p 2", "expected a number above 0, at most 1, not '2'"),
    ],
)
def test_a_model_that_cannot_write_gives_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    from adjoint import nn, save

    monkeypatch.chdir(tmp_path)
    save("net.safetensors", nn.Linear(1, 1))
    save("gpt.safetensors", nn.GPT(5, 4, 8, 2, 1))
    code, out, err = run(capsys, "generate", *arguments.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err

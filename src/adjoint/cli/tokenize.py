"""Write the tokens of texts to a file, to train language models on.

examples:
  adjoint tokenize text.txt
  adjoint tokenize text.txt --tokenizer bpe --vocab-size 8192 --validation 0.1
  adjoint tokenize a.txt b.txt --tokenizer tokenizer.json --out train.bin
  adjoint tokenize names

The tokens are in train.bin, a plain file of uint16 (uint32 for more than 65,536
tokens), described by train.bin.json; train.tokenizer.json is the tokenizer.
The end-of-text token follows each file.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from adjoint import data
from adjoint.cli.option_types import OK, fraction, integer
from adjoint.data.text_files import missing_file_error, read_pieces
from adjoint.errors import ArgumentError
from adjoint.files.tokenizing import TokenPaths, write_tokens

_VOCAB_SIZE = 8192  # of a tokenizer that is trained


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint tokenize`."""
    command.add_argument("texts", nargs="+", metavar="TEXT", help="text files in UTF-8, or names")
    command.add_argument(
        "--tokenizer",
        default="bytes",
        metavar="bytes|bpe|FILE",
        help="bytes (default), bpe (byte pairs, trained on the texts), or a tokenizer: its file, or a folder of GPT-2",
    )
    command.add_argument(
        "--vocab-size", type=integer, metavar="N", help=f"with --tokenizer bpe: the number of tokens ({_VOCAB_SIZE})"
    )
    command.add_argument("--out", metavar="FILE", help="the file of tokens (default: TEXT with the ending .bin)")
    command.add_argument(
        "--validation", type=fraction, default=0.0, metavar="FRACTION", help="keep the end for validation, such as 0.1"
    )
    command.add_argument(
        "--separator", metavar="TEXT", help=r"what separates the documents in a file, such as '<|endoftext|>' or '\n'"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def run(asked: argparse.Namespace) -> int:
    """Write the tokens of some texts, and say what was written."""
    size = sum(_size(text) for text in asked.texts)
    out = Path(asked.texts[0]).with_suffix(".bin") if asked.out is None else Path(asked.out)
    paths, separator = TokenPaths.beside(out), _separator(asked.separator)
    for text in asked.texts:
        if Path(text).exists() and any(path.exists() and path.samefile(text) for path in paths):
            raise ArgumentError(f"{text!r} would be replaced by its tokens; choose another file with --out FILE")
    if out.suffix.lower() != ".bin" and not out.is_dir():
        raise ArgumentError(f"--out needs a file that ends in .bin, such as train.bin, not {asked.out!r}")
    begin = perf_counter()
    tokenizer = _tokenizer(asked, size)
    trained = perf_counter()
    with _progress("tokenizing", size) as advance:
        texts = (_pieces(text, advance, separator) for text in asked.texts)
        counts = write_tokens(out, texts, tokenizer, separator=separator, validation=asked.validation)
    seconds = perf_counter() - trained
    if asked.json:
        files = {"file": str(out), "tokenizer_file": str(paths.tokenizer)}
        files |= {"validation_file": str(paths.validation)} if counts.validation else {}
        found = {**files, **counts._asdict(), "vocab_size": tokenizer.vocab_size, "bytes": size, "seconds": seconds}
        print(json.dumps(found))
        return OK
    if asked.tokenizer == "bpe":
        print(f"trained a tokenizer of {tokenizer.vocab_size:,} tokens in {trained - begin:.1f} s")
    kind = f"{type(tokenizer).__name__}, vocabulary {tokenizer.vocab_size:,}"
    speed = f"; {size / seconds / 1e6:.1f} MB/s" if size > 1e6 else ""  # of a short text, it says nothing
    print(f"{size:,} bytes are {sum(counts):,} tokens, {size / sum(counts):.2f} bytes each ({kind}{speed})")
    print(f"wrote {out} and {paths.tokenizer}")
    held_out = f" --validation {shlex.quote(str(paths.validation))}" if counts.validation else ""
    if counts.validation:
        print(f"wrote {paths.validation}: the last {counts.validation:,} tokens, for validation")
    print(f"train with: adjoint train {shlex.quote(str(out))}{held_out}")
    return OK


def _separator(given: str | None) -> str | None:
    r"""Return the separator of documents, in which `\n` and `\t` stand for a newline and a tab."""
    if given is None:
        return None
    found = given.replace(r"\n", "\n").replace(r"\t", "\t")
    if not found or " " in found or ("\n" in found and not found.isspace()):
        raise ArgumentError(
            f"--separator must be a text without spaces, such as '<|endoftext|>', or '\\n', not {given!r}"
        )
    return found


def _tokenizer(asked: argparse.Namespace, size: int) -> data.Tokenizer:
    if asked.vocab_size is not None and asked.tokenizer != "bpe":
        raise ArgumentError(f"--vocab-size is for --tokenizer bpe; that of {asked.tokenizer} is fixed")
    if asked.tokenizer == "bytes":
        return data.ByteTokenizer()
    if asked.tokenizer != "bpe":
        return data.Tokenizer.load(asked.tokenizer)
    with _progress("training the tokenizer", size) as advance:
        pieces = (piece for text in asked.texts for piece in _pieces(text, advance))
        return data.BytePairTokenizer.from_texts(pieces, asked.vocab_size or _VOCAB_SIZE)


def _pieces(text: str, advance: Callable[[int], None], separator: str | None = None) -> Iterator[str]:
    """Yield the pieces of a text file, or the lines of `data.names()`."""
    if _is_names(text):
        return (f"{name}\n" for name in data.names())
    return read_pieces(text, advance=advance, separator=separator)


def _is_names(text: str) -> bool:
    return text == "names" and not os.path.exists(text)


def _size(text: str) -> int:
    """Return the number of bytes of a text."""
    if _is_names(text):
        return sum(len(name) + 1 for name in data.names())
    if os.path.isdir(text):
        raise ArgumentError(f"{text!r} is a folder; give the text files in it")
    try:
        return os.stat(text).st_size
    except OSError:
        raise missing_file_error(Path(text)) from None


@contextmanager
def _progress(what: str, size: int) -> Iterator[Callable[[int], None]]:
    """Show a bar with the bytes per second in a terminal, on the error stream; yield the function that moves it."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=size)
        yield lambda count: bar.advance(task, count)

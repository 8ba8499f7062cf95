"""Writes the programs of the README, of docs/ and examples/ as a user's files, which pyright checks in `make lint`.

The rules are those of pyright's strict mode, without the rules about types that are not known, because the programs
have few annotations, and without those about style.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "build" / "user_programs"
OFF = """
    ConstantRedefinition DuplicateImport MissingParameterType MissingTypeStubs PossiblyUnboundVariable PrivateUsage
    UnknownArgumentType UnknownLambdaType UnknownMemberType UnknownParameterType UnknownVariableType UnusedExpression
    UnusedImport
"""
HEAD = f"# pyright: strict, {', '.join(f'report{rule}=false' for rule in OFF.split())}\n"

# The types of Python give `sum` of Values the type `Value | Literal[0]`, unless a start is given, and so reject
# `loss = sum(…); loss.backward()`, which tutorials write. This function stands for `sum` in such lines.
SUM = """
from collections.abc import Iterable as Values
from adjoint import Value as Sum


def sum_of_values(values: Values[Sum]) -> Sum: ...


"""

# Lines, by page, that the types of PyTorch and scikit-learn reject; in why_slow.md, a total that starts as 0.0.
OTHERS = {
    "explain": (
        "x.label, w.label =",
        "assert [function.variable for",
        'assert (v._op, u.grad_fn.name()) == ("*", "MulBackward0")',
        "assert [grad.item() for grad in u.grad_fn(",
        "assert (s.grad.item(), t.grad.item())",
    ),
    "training": ("theirs = torch.utils.data.DataLoader(", "assert pipeline[-1].history_"),
    "why_slow": (
        "        loss.backward()",
        "first = tutorial.step()",
        "assert abs(native.step()",
        "assert abs(fast_step()",
    ),
    "gpt_torch": ("        att = att.masked_fill(",),
}


def write_programs() -> list[Path]:
    """Write one file for each page, of all its programs, which run in this order; and for each example."""
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir(parents=True)
    written = []
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")):
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".md":
            text = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
        for line in OTHERS.get(page.stem, ()):
            text, count = re.subn(rf"^{re.escape(line)}.*$", r"\g<0>  # pyright: ignore", text, flags=re.MULTILINE)
            assert count == 1, f"{page.name} has no line, or several, that start with {line!r}"
        if text and page.suffix == ".md" and " = sum(" in text:
            text = SUM + text.replace(" = sum(", " = sum_of_values(")
        if re.search("(import|from) adjoint", text):  # others use no types of ours
            written.append(PROGRAMS / f"{page.stem.lower()}_{page.suffix[1:]}.py")
            written[-1].write_text(HEAD + text, encoding="utf-8")
    return written


if __name__ == "__main__":
    print(f"wrote {len(write_programs())} programs to {PROGRAMS.relative_to(ROOT)}")

"""Print which comparisons of the tests use the largest fraction of their tolerance, and fail if one uses too much.

`make test FULL=yes` runs it on the file that tests/support/closeness.py wrote. Above half of a tolerance, another CPU
may need all of it: then the comparison lacks the length of its sum, the size of its numbers or its condition.
"""

import sys
from pathlib import Path

LIMIT = 0.5
SHOWN = 10
# Tests, or whole files, that may use more, with the reason. Mend the comparison rather than to add one.
REASONS = {
    "tests/test_closeness.py": "compares numbers at the edge of the tolerance, to test it",
}


def main(file: str) -> int:
    path = Path(file)
    if not path.is_file() or not path.stat().st_size:
        print(f"{file} has no comparisons: run the tests with CLOSENESS={file} in the environment", file=sys.stderr)
        return 2
    largest = largest_fractions(path.read_text(encoding="utf-8"))
    ranked = sorted(((fraction, test, place) for test, (fraction, place) in largest.items()), reverse=True)
    beyond = [row for row in ranked if row[0] > LIMIT and not reason(row[1])]
    shown = beyond or [row for row in ranked if not reason(row[1])][:SHOWN]
    for fraction, test, place in shown:
        print(f"{fraction:4.0%}  {test}  ({place})")
    print(
        f"{len(ranked)} tests compare numbers; {len(beyond)} use more than {LIMIT:.0%} of a tolerance without a reason"
    )
    return int(bool(beyond))


def largest_fractions(text: str) -> dict[str, tuple[float, str]]:
    """Return the largest fraction of each test and where it was compared."""
    largest: dict[str, tuple[float, str]] = {}
    for line in text.splitlines():
        fraction, test, place = line.split("\t")
        largest[test] = max(largest.get(test, (-1.0, "")), (float(fraction), place))
    return largest


def reason(test: str) -> str | None:
    """Return why a test may use more than the limit: its name without the case, or its file, is in REASONS."""
    name = test.partition("[")[0]
    return REASONS.get(name) or REASONS.get(name.partition("::")[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

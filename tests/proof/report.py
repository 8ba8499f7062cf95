"""What a source of `make proof` reports: shares of agreement, a reason for each difference, errors of the reference.

Each other file of this folder compares adjoint with tests or problems that other people wrote, and has a function
`run() -> Report`.
"""

from dataclasses import asdict, dataclass, field


@dataclass
class Share:
    """How many of the things compared agree, such as operations, samples, gradients or fits."""

    name: str
    agree: int
    total: int

    def __str__(self) -> str:
        percent = 100 * self.agree / self.total if self.total else 100.0
        return f"{self.agree:,} of {self.total:,} ({percent:.1f} %)"


@dataclass
class Difference:
    """Something that does not agree, what kind of difference it is, and the reason in one line."""

    what: str
    kind: (
        str  # "wrong", "refused", "accepted" (should be refused), "unknown keyword", "raw exception", "missing", or
        # "reference" (the reference is wrong)
    )
    reason: str
    count: int = 1


@dataclass
class Report:
    """The comparison with one source."""

    title: str
    source: str  # the package and its version
    how: str  # one sentence: what is compared, and by which rule two results agree
    shares: list[Share] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    seconds: float = 0.0  # of CPU time

    def as_data(self) -> dict:
        """Return the report as dictionaries and lists, for JSON."""
        return asdict(self)

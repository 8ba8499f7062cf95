"""The answer of `adjoint.why`: a sentence, the node that it is about, and the chain rule on the way."""

from dataclasses import dataclass, field

from adjoint.engine.late import mimebundle, rich_text
from adjoint.engine.value import Value
from adjoint.errors.text_table import table
from adjoint.see.explanation.summaries import Summary

_MOST = 12  # the most steps of the chain rule that are listed


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the chain rule on the way: an operation, its line, its factor, and the gradient after it.

    >>> from adjoint import Value, why
    >>> (step,) = why(w := Value(2.0, label="w"), w * 3).way
    >>> step.formula, step.factor, step.gradient
    ('w * 3', '3', '3')
    """

    name: str
    formula: str
    line: str
    factor: str
    gradient: str
    is_cause: bool


@dataclass(slots=True, eq=False, repr=False)
class Why:
    """The answer of `adjoint.why`: `str()` gives the text.

    `kind` is "zero", "tiny", "not finite", "huge", "ordinary" or "none", for a Value without gradient. `cause` says in
    a word or two why, such as "closed", "saturated", "pole" or "never used". `node` is the Value that made the
    gradient so, `op` its operation, `line` where the program computed it, and `factor` its factor of the chain rule.

    >>> from adjoint import Value, why
    >>> w = Value(-2.0, label="w")
    >>> answer = why(w, (3 * w).relu())
    >>> answer.kind, answer.cause, answer.op, answer.factor
    ('zero', 'closed', 'relu', 0.0)
    """

    value: Value
    sentence: str
    kind: str
    cause: str
    node: Value | None = None
    line: str = ""
    factor: Summary = None
    gradient: Summary = None
    way: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def op(self) -> str:
        """The operation of `node`; empty if there is none."""
        return self.node.op if self.node is not None else ""

    def __repr__(self) -> str:
        return f"<why: {self.sentence}>"

    def __str__(self) -> str:
        sections = [self.sentence]
        if self.way:
            shown = [step for i, step in enumerate(self.way) if _is_shown(i, self.way)]
            rows = [[f"{s.name} = {s.formula}", s.line, s.factor, s.gradient, "←" if s.is_cause else ""] for s in shown]
            if len(shown) < len(self.way):
                rows.append([f"({len(self.way) - len(shown)} more steps)", "", "", "", ""])
            has_lines = any(row[1] for row in rows)
            headings = ["the way of the gradient", "line", "factor", "gradient after it", ""]
            keep = [0, 1, 2, 3, 4] if has_lines else [0, 2, 3, 4]
            sections.append(table([headings[i] for i in keep], [[row[i] for i in keep] for row in rows]))
        return "\n\n".join([*sections, *self.notes])

    _repr_mimebundle_, __rich__ = mimebundle, rich_text


def _is_shown(i: int, way: list[Step]) -> bool:
    """Return whether a step is listed: those around the cause."""
    cause = next((j for j, step in enumerate(way) if step.is_cause), 0)
    first = min(max(cause - _MOST // 2, 0), max(len(way) - _MOST, 0))
    return first <= i < first + _MOST

"""Judge the gradient of one Value: from a result, whose graph tells, or from what a run of a function has shown."""

from types import FrameType
from typing import Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.graph import backward_order, evaluation_order
from adjoint.engine.value import Value
from adjoint.errors import GraphError
from adjoint.see.explanation.naming import names_of
from adjoint.see.explanation.narration import number
from adjoint.see.explanation.summaries import ArraySummary, Summary, summary
from adjoint.see.reasons.answers import Step, Why
from adjoint.see.reasons.causes import Finding, find, first_not_finite
from adjoint.see.reasons.flows import Edge, Measure, elements, flow, measure, quietly
from adjoint.see.reasons.phrases import Words, place_of, size_in_words
from adjoint.see.reasons.watching import Watching, holds_gradient


class Judge:
    """Answers for one Value, whose results may be several."""

    def __init__(self, value: Value, known: dict[Value, str], watching: Watching | None = None):
        self._value, self._known, self._watching = value, dict(known), watching
        self.name = value.label or known.get(value) or "x"

    def learn_names(self, frame: FrameType) -> None:
        """Take the names of the variables of a function for the Values that have none yet."""
        for name, x in frame.f_locals.items():
            if isinstance(x, Value) and name.isidentifier():
                self._known.setdefault(x, name)

    def judge(self, root: Value, seed: Any = None) -> Why:
        """Return why the gradient of `root` with respect to the Value is what it is."""
        without = self.without_gradient()
        if without is not None:
            return without
        if root._derivatives is None:
            return self.none(
                "freed", "the graph was freed by backward(retain_graph=False); give the function, as in why(w, step)"
            )
        if seed is None:
            seed = root._like(1.0, "gradient") if is_tensor(root) else 1.0
        try:
            found = flow(root, self._value, seed)
        except GraphError as error:
            raise GraphError(f"why: {error}. Or give the function of the step, as in why(w, step)") from error
        if found is None:
            return self._unreached(root)
        finding = quietly(found.totals, find, found)
        order = evaluation_order(root)
        names = names_of(order, {**self._known, self._value: self.name})
        words = Words(names)
        name = f"∂{self._name_of(root)}/∂{self.name}"
        gradient = found.gradient
        text = f"{name} is {_state(finding.kind, gradient)}"
        cause = words.cause(finding)
        sentence = f"{text}: {cause}."
        node, line = finding.node, place_of(finding.node._made_at) if finding.node is not None else ""
        steps = [self._step(words, edge, finding) for edge in finding.way]
        shown = summary(gradient) if gradient is not None else 0.0
        answer = Why(
            self._value, sentence, finding.kind, finding.cause, node, line, summary(finding.factor), shown, steps
        )
        answer.notes += [f"Also: {words.cause(other)}." for other in finding.others[:3]]
        if finding.kind == "ordinary":
            answer.notes += [*_zeros(measure(gradient)), *words.closed_units(finding.way)]
        if finding.kind != "not finite" and (spoiled := first_not_finite(root)) is not None:
            answer.notes.append(
                f"{self._name_of(root)} itself is {size_in_words(root.data)}: {words.first_bad(spoiled)}."
            )
        if finding.node is not None and not finding.node._made_at:
            answer.notes.append(
                "To see lines of the program, give the function of a step: why(w, step), with its arguments."
            )
        self._check_state(answer, root)
        return answer

    def zeroed(self, answer: Why, backward_at: str, line: str) -> Why:
        """Return the answer for a gradient that was set to zero after the backward pass that `answer` is about."""
        gave = f"backward() at {backward_at} gave {self.name} the gradient {_in_brief(answer.gradient)}"
        text = f"{self.name}.grad is 0: {gave}, and {line} set it to zero before any update had used it."
        return Why(self._value, text, "zero", "zeroed", None, line, gradient=0.0)

    def none(self, cause: str, reason: str, node: Value | None = None) -> Why:
        """Return the answer for a Value without gradient."""
        line = place_of(node._made_at) if node is not None else ""
        return Why(self._value, f"{self.name} has no gradient: {reason}.", "none", cause, node, line)

    def without_gradient(self) -> Why | None:
        """Return the answer for a Value that cannot have a gradient; None for any other."""
        if self._value._frozen:
            return self.none("frozen", f"it is frozen; {self.name}.requires_grad = True gives it one")
        kind = getattr(getattr(self._value.data, "dtype", None), "kind", "f")
        if kind in "iub":
            return self.none("integer", "it holds integers or truth values, which are constants")
        return None

    def _name_of(self, root: Value) -> str:
        return root.label or self._known.get(root) or "L"

    def _step(self, words: Words, edge: Edge, finding: Finding) -> Step:
        node, is_cause = edge.node, edge is finding.edge or (finding.edge is None and edge.node is finding.node)
        ratio = edge.size.largest / edge.incoming.largest if edge.incoming.largest and not edge.size.is_bad else None
        if not is_tensor(node) and not node._closure:
            place = sum(isinstance(x, Value) for x in node._operands[: edge.operand])
            factor = number(node._derivatives[place])
        else:
            factor = "" if ratio is None else f"≈ {number(ratio)}"
        after = size_in_words(edge.part)
        return Step(words.name(node), words.formula(node), place_of(node._made_at), factor, after, is_cause)

    def _check_state(self, answer: Why, root: Value) -> None:
        """Compare what the gradient is with what the Value has: backward() may not have run, or it was undone."""
        if answer.kind != "ordinary" or (self._watching and self._watching.passes) or holds_gradient(self._value):
            return
        name = f"∂{self._name_of(root)}/∂{self.name}"
        value = f"{name} is {_in_brief(answer.gradient)}, but {self.name}.grad is 0: "
        if _was_passed(root):
            answer.cause, text = "zeroed", "after backward() it was set to zero, by zero_grad() or an assignment"
            answer.notes.append("To see the line, give the function of a step: why(w, step), with its arguments.")
        else:
            answer.cause, text = "backward not called", f"{self._name_of(root)}.backward() was not called"
        answer.kind, answer.sentence = "none", f"{value}{text}."

    def _unreached(self, root: Value) -> Why:
        """Return the answer if the result does not depend on the Value."""
        name, found = self._name_of(root), self._find_cut(root)
        if found is not None:
            node, how = found
            where = {
                "detach": "detach() returns a constant", "no_grad": "no_grad() records no history",
                "cut": "it was computed inside no_grad(), or detach() returned it",
            }[how]  # fmt: skip
            shown = node.label or self._known.get(node) or ("the result" if node is root else "a result on the way")
            place = f" at {place_of(node._made_at)}" if node._made_at else ""
            if how == "cut":
                text = f"{name} does not depend on it. A part of {name} has no history ({shown}): {where}"
            else:
                text = f"the history of {name} ends{place}, where {where} ({shown})"
            return self.none(how, text, node)
        what = "It is another object than the one that was used, or it was used through .data or float()"
        return self.none("never used", f"{name} does not depend on it. {what}")

    def _find_cut(self, root: Value) -> tuple[Value, str] | None:
        """Return a leaf of the graph whose history was not recorded, and by what; with a watch, only on the way."""
        leaves = [x for x in ({root} | ancestors(root)) if not x.parents and x._unrecorded]
        if self._watching is None:
            return (leaves[0], "cut") if leaves else None
        for leaf in leaves:
            waiting, seen = [leaf], {leaf}
            for node in waiting:  # it grows
                origins = self._watching.cuts[node][1] if node in self._watching.cuts else node.parents
                if any(x is self._value for x in origins):
                    return leaf, self._watching.cuts.get(leaf, ("cut",))[0]
                waiting += [x for x in origins if x not in seen]
                seen.update(origins)
        return None


def _state(kind: str, gradient: Any) -> str:
    if kind != "not finite":
        return size_in_words(gradient)
    size = measure(gradient)
    if size.count != 1:
        return f"not finite, in {size.bad:,} of {size.count:,} elements"
    return number(float(gradient) if isinstance(gradient, float) else float(elements(gradient).reshape(())))


def _in_brief(gradient: Summary) -> str:
    if isinstance(gradient, ArraySummary) and gradient.min is not None and gradient.max is not None:
        return f"at most {number(max(abs(gradient.min), abs(gradient.max)))}"
    return number(gradient) if isinstance(gradient, float) else "unknown"


def _zeros(size: Measure) -> list[str]:
    """Return a sentence about the elements of a gradient that are 0 although others are not."""
    zeros = size.count - size.nonzero
    return [f"{zeros:,} of the {size.count:,} elements of the gradient are 0."] if zeros else []


def _was_passed(root: Value) -> bool:
    """Return whether a backward pass has started from a result."""
    return root._grad is not None if is_tensor(root) else holds_gradient(root)


def ancestors(root: Value) -> set[Value]:
    """Return what a result depends on; nothing if its graph was freed."""
    try:
        return {parent for node in backward_order(root) for parent in node.parents}
    except GraphError:
        return set()

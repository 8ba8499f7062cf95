"""Grow a program from a seed: its state, its step, and calls with changes in between."""

import itertools
import re
from dataclasses import replace

from adjoint.engine import ops
from scalar_programs.expressions import BINARY, Expressions, Scope
from scalar_programs.program import Program, Run, identity
from scalar_programs.statements import STATEMENTS, Lines, change_data, indented

ROWS = list(ops.TABLE)
OPTIMIZERS = (
    "optim.SGD({}, lr=0.1)", "optim.SGD({}, lr=0.05, momentum=0.9)", "optim.Adam({}, lr=0.05)",
    "optim.SGD({}, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)", "optim.AdamW({}, lr=0.05)",
    "optim.RMSprop({}, lr=0.01)", "optim.Adagrad({}, lr=0.1)", "optim.Lion({}, lr=0.01)",
)  # fmt: skip
SCHEDULES = (
    "StepLR(opt, 2)",
    "CosineAnnealingLR(opt, 5)",
    "LinearLR(opt)",
    "WarmupLR(opt, 3)",
    "OneCycleLR(opt, 0.1, 8, cycle_momentum={})",
)
LENGTHS = (1, 2, 3, 5, 8, 9, 17)  # of lists of samples; lanes have 8 numbers


def build(seed: int) -> tuple[Program, Run]:
    """Return the program of a seed, the first of a few whose eager run ends with a finite result; and that run."""
    for attempt in itertools.count():
        program = Builder(seed, f"{seed}/{attempt}").program()
        ran = program.run(identity)
        if ran.error is None and (seed % 10 == 0 or _is_finite(ran)):
            return program, ran
    raise AssertionError


def _is_finite(ran: Run) -> bool:
    numbers = [x for x in ran.snapshots[0].state.values() if isinstance(x, float)]
    return all(abs(x) < 1e6 for x in numbers)


class Builder:
    def __init__(self, seed: int, full_seed: str):
        self.seed, self.full_seed = seed, full_seed
        # A recorded `where` multiplies the derivative of the other branch by zero, which is NaN if that is infinite or
        # NaN. So no program with conditions leaves the domain of a row.
        special = seed % 10 == 0
        self.draw = Expressions(full_seed, special=special, conditions=seed % 3 == 0 and not special)
        self.exact = True
        self.model = self.draw.chance(0.25)
        self.structured = self.draw.chance(0.3)  # s.depth is the number of rounds of a loop
        self.optimizer = self.draw.one_of(*OPTIMIZERS) if self.draw.chance(0.2) else None
        self.schedule = self.draw.one_of(*SCHEDULES) if self.draw.chance(0.4) else None
        self.arguments = [name for name in ("x", "k", "xs", "rows", "v", "u") if self.draw.chance(0.4)]

    def program(self) -> Program:
        draw = self.draw
        setup = self.setup()
        body, scope = self.forward()
        loss = [f"loss = {self.total(scope)}"]
        body += [*loss, *self.backward(scope)]
        body += self.update()
        # gradients pass through a step that changes nothing
        self.pure = not self.differentiated and not any(re.match(r" *[spq][.[].* [-+*]?= ", line) for line in body)
        body.append("return loss" if self.pure else self.result(scope))
        lines = [f"def step({', '.join(self.arguments)}):", *indented(body)]
        exact = self.exact and draw.wheres == 0 and not self.pure  # the gradient of a result comes in at its end
        calls = self.calls()
        return Program(tuple(setup), tuple(lines), tuple(calls), self.full_seed, exact, draw.chance(0.5))

    # --- state ---

    def setup(self) -> Lines:
        draw = self.draw
        kinds = [draw.one_of("Value", "Value", "Value", "V") for _ in range(draw.random.randint(2, 6))]
        height, width = draw.one_of((2, 2), (3, 2), (2, 3), (8, 4))
        values = [f"{kind}({draw.literal()})" for kind in kinds]
        rows = [", ".join(f"Value({draw.float()})" for _ in range(width)) for _ in range(height)]
        rows = [draw.one_of("[{}]", "({})").format(row) for row in rows]
        state = draw.one_of("SimpleNamespace", "State", "Slots")
        lines = [
            f"p = [{', '.join(values)}]",
            f"q = [Value({draw.literal()}), Value({draw.literal()})]",
            f"W = {draw.one_of('[{}]', '[{}]', '({})').format(', '.join(rows))}",
            f"b = [{', '.join(f'Value({draw.float()})' for _ in range(height))}]",
            f"s = {state}(rate=0.05, total=0.0, count=0, depth=2, m=[0.0] * {len(kinds)}, "
            f"v=[0.0] * {len(kinds)}, by_name={{'x': {draw.float()}}})",
            f"rate = {draw.float(0.01, 0.1)}",
            "def set_rate(new):",
            "    outer rate",
            "    rate = new",
            f"data = {self.table(draw.one_of(3, 5, 8, 17))}",
            f"targets = {self.list_of(draw.one_of(3, 8, 17))}",
            "def forward(x):",
            f"    hidden = [sum(map(mul, row, x), c).{draw.one_of('tanh', 'relu')}() for row, c in zip(W, b)]",
            "    return sum(map(mul, p, hidden), p[0])",
            "parameters = [*p, *b, *(w for row in W for w in row)]",
        ]
        if self.model:
            activation = draw.one_of("tanh", "relu", "sigmoid", "gelu")
            sizes = draw.one_of("[1]", "[3, 1]", "[4, 4, 1]")
            lines.append(f"model = nn.MLP(2, {sizes}, {activation!r}, output_activation='linear', seed={self.seed})")
            lines.append("parameters += model.parameters()")
        if self.optimizer:
            lines.append(f"opt = {self.optimizer.format('parameters')}")
            cycles = "Adam" in self.optimizer or "momentum" in self.optimizer
            lines += [f"schedule = optim.{self.schedule.format(cycles)}"] if self.schedule else []
        if draw.chance(0.1):
            lines.append(f"p[0].register_hook(lambda g: {draw.one_of('g * 0.5', 'None', 'g + 0.25')})")
        return lines

    def table(self, length: int) -> str:
        return "[" + ", ".join(self.list_of(2) for _ in range(length)) + "]"

    def list_of(self, length: int) -> str:
        literals = [self.draw.literal() for _ in range(length)]
        return "[" + ", ".join(literals) + "]"

    # --- the step ---

    def scope(self) -> Scope:
        given = self.arguments
        return Scope(
            values=("p[0]", "p[1]", "p[-1]", "W[0][0]", "b[-1]", *(name for name in ("v", "u") if name in given)),
            floats=("s.rate", "s.total", "rate", "p[1].data", "s.by_name['x']", *(["x"] * 2 if "x" in given else ())),
            ints=("s.count", *(["k", "k"] if "k" in given else ())),
            value_lists=("p", "W[0]", "b", "p[1:]"),
            float_lists=("targets", "data[0]", *(["xs", "xs"] if "xs" in given else ())),
            tables=("data", *(["rows", "rows"] if "rows" in given else ())),
            functions=("model",) if self.model else (),
        )

    def forward(self) -> tuple[Lines, Scope]:
        draw, body, scope = self.draw, Lines(), self.scope()
        inner = replace(scope, functions=())
        if draw.chance(0.15):
            body += change_data(draw, inner)[0]
        row = ROWS[self.seed % len(ROWS)]
        first = draw.binary(row, inner.with_names(floats="x0"), 1) if row in BINARY else draw.unary(row, "(p[1] * x0)")
        body.append(f"h0 = [p[0] * {first} for x0 in {draw.one_of(*scope.float_lists)}]")  # every row, in lanes
        scope = scope.with_names(values="h0[0]", value_lists="h0")
        for _ in range(draw.random.randint(1, 4)):
            statement = draw.random.choices(list(STATEMENTS), list(STATEMENTS.values()))[0]
            names = scope if statement.__name__ == "network" else replace(scope, functions=())
            lines, found = statement(draw, names)
            body, scope = body + lines, replace(found, functions=scope.functions)
        if self.structured:
            body += ["v0 = p[0]", "for _ in range(s.depth):", f"    v0 = {draw.unary('tanh', '(v0 * p[1])')}"]
            scope = scope.with_names(values="v0")
        return body, scope

    def total(self, scope: Scope) -> str:
        """Return a loss of the results so far."""
        draw = self.draw
        found = [name for name in scope.values if name[0] == "v"]
        terms = [draw.one_of(f"{name}", f"0.5 * {name}", f"{name} * {name}") for name in found]
        regular = draw.one_of([], ["0.01 * sum(w * w for w in parameters)"], ["1e-4 * sum(abs(w) for w in p)"])
        total = draw.one_of("sum(h0)", "sum(h0) / len(h0)", "sum(map(mul, h0, h0))", "reduce(ops.maximum, h0)")
        return " + ".join([total, *terms, *regular])

    def backward(self, scope: Scope) -> Lines:
        draw = self.draw
        kinds = {"none": 1.5, "plain": 6, "twice": 1, "seeded": 1, "second": 1.2, "third": 0.4, "inner": 1}
        kind = draw.weighted(kinds)
        self.differentiated = kind != "none"
        everyone = (
            draw.one_of("parameters", "parameters", "p") if kind not in ("second", "third") else "[*parameters, *p, *q]"
        )
        clear = [f"for w in {everyone}:", f"    {draw.one_of('w.zero_grad()', 'w.grad = 0.0')}"]
        if kind == "none":
            return []
        lines = clear if draw.chance(0.75) else []
        if kind == "plain":
            return [*lines, draw.one_of("loss.backward()", "loss.backward(retain_graph=False)")]
        if kind == "seeded":
            gradient = draw.float_(replace(scope, functions=()), 1)
            return [*lines, f"loss.backward(gradient={gradient})"]
        if kind == "inner":
            return [*lines, "loss.backward()", "s.total += h0[0].grad", "s.m[0] = loss.grad"]
        if kind == "twice":
            other = draw.value(replace(scope, functions=()), 1)
            return [*lines, "loss.backward()", f"({other} + 0.5 * h0[-1]).backward()", "loss.backward()"]
        self.exact = False  # sums of derivatives of derivatives
        penalty = draw.one_of("sum(g * g for g in slopes)", "sum(map(mul, slopes, p))", "slopes[0]")
        again = ["slopes = [w.grad for w in p]", *clear]
        # gradients of the last call would have its graph, which a compiled step does not keep
        first = [*clear, "loss.backward(create_graph=True)", *again, f"penalty = {penalty} + loss * 0.5"]
        if kind == "third":
            first += ["penalty.backward(create_graph=True)", *again, "penalty = sum(g * g for g in slopes) + 0 * loss"]
        return [*first, "penalty.backward()"]

    def update(self) -> Lines:
        draw = self.draw
        if not self.differentiated:
            return []
        if self.optimizer:
            self.exact = False  # NumPy's arrays run the eager update
            clip = draw.one_of("optim.clip_grad_norm(parameters, 0.5)", "optim.clip_grad_value(parameters, 0.1)")
            lines = [clip] if draw.chance(0.3) else []
            lines += ["opt.step()"] + (["schedule.step()"] if self.schedule else [])
            return [*lines, *draw.one_of([], [], ["opt.zero_grad()"])]
        kind = draw.weighted({"none": 1, "sgd": 3, "momentum": 1, "adam": 1.5})
        rate = draw.one_of("0.05", "rate", "rate", "s.rate", "s.rate", *(["0.01 * x"] if "x" in self.arguments else []))
        everyone = draw.one_of("parameters", "p")
        if kind == "sgd":
            line = draw.one_of("w.data -= {} * w.grad", "w.data = w.data - {} * w.grad").format(rate)
            return [f"for w in {everyone}:", f"    {line}"]
        if kind == "momentum":
            return [
                "for i, w in enumerate(p):",
                "    s.m[i] = 0.9 * s.m[i] + w.grad",
                f"    w.data -= {rate} * s.m[i]",
                *(["    w.grad = 0.0"] if draw.chance(0.3) else []),
            ]
        if kind == "adam":
            return [
                "s.count += 1",
                "for i, w in enumerate(p):",
                "    s.m[i] = 0.9 * s.m[i] + 0.1 * w.grad",
                "    s.v[i] = 0.99 * s.v[i] + 0.01 * w.grad * w.grad",
                "    unbiased = s.v[i] / (1 - 0.99 ** s.count)",
                f"    w.data -= {rate} * s.m[i] / (1 - 0.9 ** s.count) / (unbiased ** 0.5 + 1e-8)",
            ]
        return []

    def result(self, scope: Scope) -> str:
        draw = self.draw
        inner = replace(scope, functions=())
        some = draw.one_of(*[name for name in scope.values if name[0] in "vh"])
        results = ["loss", "loss", "loss, " + some, f"loss.data, {draw.float_(inner, 1)}", "{'loss': loss, 'list': h0}",
                   f"[loss, [{some}.data, None]]", "None", "p[0]", "loss.detach()", f"({some}.data, s.count + 1)",
                   "[w.grad for w in p]", f"loss, {draw.int_(inner, 1)}", "loss, 'a text', 1.5"]  # fmt: skip
        return f"return {draw.one_of(*results)}"

    # --- the calls ---

    def calls(self) -> Lines:
        found: Lines = []
        shapes = [self.draw.one_of(*LENGTHS) for _ in range(self.draw.one_of(1, 1, 2))]
        for i in range(self.draw.random.randint(3, 6)):
            if i and self.draw.chance(0.6):
                found.append(self.change())
            found.append(self.call(shapes[i % len(shapes)]))
            if self.pure and self.draw.chance(0.7):
                other = self.call(shapes[0])
                whole = f"({found[-1]} * 0.5 + {other}).backward()"
                found[-1] = self.draw.one_of(whole, f"{found[-1]}.backward()", f"{found[-1]}.tanh().backward()")
        return found

    def call(self, length: int) -> str:
        draw = self.draw
        texts = {
            "x": draw.literal(),
            "k": str(draw.random.randint(-5, 5)),
            "xs": self.list_of(length),
            "rows": self.table(length),
            "v": draw.one_of("q[0]", "q[0]", "q[1]", "p[0]"),
            "u": draw.one_of("q[1]", "q[1]", "q[0]", "Value(0.75)"),
        }
        named = draw.one_of(*self.arguments, None) if self.arguments and draw.chance(0.3) else None
        last = self.arguments[-1:] if named else []  # the last one by name
        return f"step({', '.join(f'{n}={texts[n]}' if n in last else texts[n] for n in self.arguments)})"

    def change(self) -> str:
        draw = self.draw
        if draw.chance(0.3):
            return draw.one_of("s.rate = {}", "set_rate({})").format(draw.float(0.01, 0.1))
        return draw.one_of(
            f"p[0].data = {draw.literal()}", f"p[1].data += {draw.float()}", f"p[0].grad = {draw.float()}",
            f"W[0][0].data = {draw.float()}", f"p[1] = Value({draw.float()})", "p[0], p[1] = p[1], p[0]",
            "s.depth += 1", "s.depth = 2",
            f"targets[0] = {draw.float()}", f"data[1][0] = {draw.float()}", "s.m = [0.0] * len(s.m)",
            "s.by_name = {'x': 0.25}", "b[0] = b[-1]", f"targets.append({draw.float()})", "s.count = 0",
        )  # fmt: skip

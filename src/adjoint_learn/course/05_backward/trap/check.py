from engine import Value

from adjoint_learn.statements import call_rules


def check(check, learner):
    for x, y in ((2.0, -3.0), (0.5, 1.5), (-1.25, 0.75)):
        right, wrong = [Value(x), Value(y)], [Value(x), Value(y)]
        root = learner.trap(*right)
        check.true("`trap(a, b)` should return a Value.", isinstance(root, Value), got=root)
        check.true("`trap(a, b)` should be computed from `a` or `b`.", uses(root, right), got=root)
        call_rules(root)
        by_level(learner.trap(*wrong))
        expected, got = ([value.grad for value in pair] for pair in (right, wrong))
        if max(abs(g - e) for g, e in zip(got, expected)) > 1e-9:
            check.note(f"at a = {x:g}, b = {y:g}: right {numbers(expected)}; level by level {numbers(got)}")
            return
    check.fail(
        f"level by level, the gradients of your graph are right: {numbers(got)} at a = {x:g} and b = {y:g}. "
        "A trap needs a node whose rule runs too early.",
        kind(root),
    )


def levels(root):
    """Return the nodes level by level from the result, each once."""
    order, seen = [root], {id(root)}
    for node in order:
        for parent in node._prev:
            if id(parent) not in seen:
                seen.add(id(parent))
                order.append(parent)
    return order


def by_level(root):
    root.grad = 1.0
    for node in levels(root):
        node._backward()


def uses(root, inputs):
    return any(node is x for node in levels(root) for x in inputs)


def kind(root):
    """Return why a graph is harmless: no computed node is used twice, or all paths to such a node have one length."""
    depths = {id(root): {0}}
    shared = set()
    todo = [(root, 0)]
    while todo and len(depths) < 1000:
        node, depth = todo.pop()
        for parent in node._prev:
            known = depths.setdefault(id(parent), set())
            if known and parent._prev:
                shared.add(id(parent))
            known.add(depth + 1)
            todo.append((parent, depth + 1))
    if not shared:
        made = [(node._op, *map(id, node._prev)) for node in levels(root) if node._prev]
        if len(set(made)) < len(made):
            return "computed twice"
        leaf_depths = [depths[id(node)] for node in levels(root) if not node._prev]
        return "leaf" if any(len(found) > 1 for found in leaf_depths) else "tree"
    return "equal" if all(len(depths[node]) == 1 for node in shared) else "lucky"


def numbers(grads):
    return f"a.grad = {grads[0]:.4g}, b.grad = {grads[1]:.4g}"

"""You visit `None`. That is what `next_functions` has in place of a constant, which needs no gradient and has no
function. Skip it."""


def function_names(tensor):
    names, seen, todo = [], set(), [tensor.grad_fn]
    while todo:
        function = todo.pop()
        if function not in seen:
            seen.add(function)
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

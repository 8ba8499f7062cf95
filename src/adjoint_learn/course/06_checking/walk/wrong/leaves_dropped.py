"""The leaves are missing. A function without `next_functions` is the end of the walk, but it belongs to the graph:
it adds to the gradient of a leaf."""


def function_names(tensor):
    names, seen, todo = [], set(), [tensor.grad_fn]
    while todo:
        function = todo.pop()
        if function is not None and function not in seen and function.next_functions:
            seen.add(function)
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

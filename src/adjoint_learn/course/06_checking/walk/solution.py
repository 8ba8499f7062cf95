def function_names(tensor):
    """Return the names of all functions in the graph of a tensor, each function once."""
    names, seen, todo = [], set(), [tensor.grad_fn]
    while todo:
        function = todo.pop()
        if function is not None and function not in seen:
            seen.add(function)
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

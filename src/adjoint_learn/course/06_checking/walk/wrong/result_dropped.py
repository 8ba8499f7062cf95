"""The function of the result itself is missing: you start with what comes after it. Start with `tensor.grad_fn`."""


def function_names(tensor):
    names, seen = [], set()
    todo = [following for following, _ in tensor.grad_fn.next_functions]
    while todo:
        function = todo.pop()
        if function is not None and function not in seen:
            seen.add(function)
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

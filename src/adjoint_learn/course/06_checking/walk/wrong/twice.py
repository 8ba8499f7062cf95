"""A function that is reached in two ways appears twice in your list, and everything behind it as well. Remember
which functions you have seen."""


def function_names(tensor):
    names, todo = [], [tensor.grad_fn]
    while todo:
        function = todo.pop()
        if function is not None:
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

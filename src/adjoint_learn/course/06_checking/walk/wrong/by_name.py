"""You skip a function if its name is already in the list. Two different products have the same name, and so do all
leaves. Remember the functions themselves."""


def function_names(tensor):
    names, todo = [], [tensor.grad_fn]
    while todo:
        function = todo.pop()
        if function is not None and function.name() not in names:
            names.append(function.name())
            todo += [following for following, _ in function.next_functions]
    return names

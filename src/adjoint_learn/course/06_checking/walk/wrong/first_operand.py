"""You follow the first of `next_functions` only, so you see a chain and not the graph. A product has two operands:
follow all of them."""


def function_names(tensor):
    names = []
    function = tensor.grad_fn
    while function is not None:
        names.append(function.name())
        function = function.next_functions[0][0] if function.next_functions else None
    return names

"""You add one to the wrong factor: the biases belong to the neurons, one for each output of a layer. You counted one
for each input."""


def count_parameters(nin, nouts):
    sizes = [nin, *nouts]
    return sum(a * (b + 1) for a, b in zip(sizes, sizes[1:]))

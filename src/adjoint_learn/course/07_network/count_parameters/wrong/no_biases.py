"""You count the weights and forget the biases. Each neuron has one bias, besides a weight for each input."""


def count_parameters(nin, nouts):
    sizes = [nin, *nouts]
    return sum(a * b for a, b in zip(sizes, sizes[1:]))

"""You count one bias for each layer. Each *neuron* has a bias of its own: a layer of four neurons has four."""


def count_parameters(nin, nouts):
    sizes = [nin, *nouts]
    return sum(a * b + 1 for a, b in zip(sizes, sizes[1:]))

"""A bias below 0 alone does not kill a neuron: positive weights can lift the sum above 0. Compute the sum for each
example."""


def count_dead(layer, examples):
    return sum(bias <= 0 for weights, bias in layer)

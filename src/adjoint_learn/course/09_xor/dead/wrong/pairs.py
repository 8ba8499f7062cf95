"""You count pairs of a neuron and an example. A neuron that is silent for three of four examples is not dead at all.
Decide for each neuron first, then count neurons."""


def total(neuron, example):
    weights, bias = neuron
    return sum(w * x for w, x in zip(weights, example)) + bias


def count_dead(layer, examples):
    return sum(total(neuron, example) <= 0 for example in examples for neuron in layer)

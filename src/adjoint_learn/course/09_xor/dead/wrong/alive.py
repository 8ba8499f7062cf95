"""You count the neurons that are alive. The task asks for the others."""


def total(neuron, example):
    weights, bias = neuron
    return sum(w * x for w, x in zip(weights, example)) + bias


def count_dead(layer, examples):
    return sum(any(total(neuron, example) > 0 for example in examples) for neuron in layer)

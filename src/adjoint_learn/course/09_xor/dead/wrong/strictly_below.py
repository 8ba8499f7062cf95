"""A sum of exactly 0 also gives the output 0 and, in your rule, the slope 0. The neuron ([-1, -1], 0) has this sum
at (0, 0), and it is dead."""


def total(neuron, example):
    weights, bias = neuron
    return sum(w * x for w, x in zip(weights, example)) + bias


def count_dead(layer, examples):
    return sum(all(total(neuron, example) < 0 for example in examples) for neuron in layer)

"""You count every neuron that is silent for at least one example. That is normal and useful: a ReLU is supposed to
be silent sometimes. Dead means silent for all examples."""


def total(neuron, example):
    weights, bias = neuron
    return sum(w * x for w, x in zip(weights, example)) + bias


def count_dead(layer, examples):
    return sum(any(total(neuron, example) <= 0 for example in examples) for neuron in layer)

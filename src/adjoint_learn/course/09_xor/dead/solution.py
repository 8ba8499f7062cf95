def total(neuron, example):
    weights, bias = neuron
    return sum(w * x for w, x in zip(weights, example)) + bias


def count_dead(layer, examples):
    """Return the number of neurons whose ReLU is 0 for every example."""
    return sum(all(total(neuron, example) <= 0 for example in examples) for neuron in layer)


if __name__ == "__main__":
    corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    print(count_dead([([1.0, 1.0], -1.5), ([-1.0, -1.0], 0.0)], corners))  # 1

def count_dead(layer, examples):
    """Return the number of neurons whose ReLU is 0 for every example."""
    return None  # TODO


if __name__ == "__main__":
    corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    print(count_dead([([1.0, 1.0], -1.5), ([-1.0, -1.0], 0.0)], corners))  # 1

from adjoint import nn


def check(check, learner):
    count = learner.count_parameters
    because = "That is one neuron with two weights and a bias."
    check.equal("count_parameters(2, [1])", count(2, [1]), 3, because=because)
    check.equal("count_parameters(3, [4])", count(3, [4]), 16, because="Those are four neurons with four numbers each.")
    check.equal("count_parameters(3, [4, 1])", count(3, [4, 1]), 21, because="The second layer has 4 + 1.")
    check.equal("count_parameters(3, [4, 4, 1])", count(3, [4, 4, 1]), 41)
    check.equal("count_parameters(2, [4, 4, 1])", count(2, [4, 4, 1]), 37)
    for _ in range(10):
        nin, nouts = check.random.randint(1, 6), [check.random.randint(1, 6) for _ in range(check.random.randint(1, 4))]
        expected = len(nn.MLP(nin, nouts, seed=0).parameters())
        check.equal(f"count_parameters({nin}, {nouts})", count(nin, list(nouts)), expected)
    digits = count(784, [128, 10])
    check.equal("count_parameters(784, [128, 10])", digits, 101_770)
    check.note("a network for handwritten digits has 101,770 parameters; you counted them without creating one")

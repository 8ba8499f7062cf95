"""The first layer is missing from your sum: you count from the first hidden layer on. Start with the layer from
`nin` to `nouts[0]`."""


def count_parameters(nin, nouts):
    return sum(b * (a + 1) for a, b in zip(nouts, nouts[1:]))

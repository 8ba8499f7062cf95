"""Every layer of yours reads the inputs of the network. Only the first one does: the others have as many inputs as
the layer before them has neurons."""


def count_parameters(nin, nouts):
    return sum(nout * (nin + 1) for nout in nouts)

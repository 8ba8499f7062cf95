def count_parameters(nin, nouts):
    """Return the number of weights and biases of MLP(nin, nouts)."""
    total = 0
    for nout in nouts:
        total += nout * (nin + 1)
        nin = nout
    return total

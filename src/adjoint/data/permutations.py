"""Shuffle the numbers below a size without storing their order: a keyed Feistel permutation, with cycle walking.

The place of a number depends only on a key and the number, so any part of a shuffled order is computed at once, also
for billions of numbers. The functions work on arrays of 64-bit integers; products wrap around.
"""

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = 4  # pairs of rounds


def scramble(x: np.ndarray) -> np.ndarray:
    """Return each number with its bits well mixed (the finalizer of SplitMix64): a bijection of 64-bit numbers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def keys(seed: int, numbers: np.ndarray) -> np.ndarray:
    """Return a key for each number, such as that of an epoch."""
    base = scramble(np.array([seed], np.uint64) + _GOLDEN)
    return scramble(base ^ scramble((numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN))


def permute(indices: np.ndarray, size: int, key: np.ndarray) -> np.ndarray:
    """Return the number at each place of a shuffled `range(size)`; places with the same key belong to one order.

    >>> import numpy as np
    >>> sorted(permute(np.arange(10), 10, keys(1, np.zeros(10, int))).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    bits = (size - 1).bit_length()
    found = _feistel(indices.astype(np.uint64), key, bits)
    while (outside := np.flatnonzero(found >= size)).size:  # walk along the cycle, back into the range
        found[outside] = _feistel(found[outside], key[outside], bits)
    return found.astype(np.int64)


def _feistel(x: np.ndarray, key: np.ndarray, bits: int) -> np.ndarray:
    """Permute the numbers of `bits` bits: each half in turn is changed by a function of the other half."""
    low = np.uint64(bits // 2)
    low_mask, high_mask = np.uint64((1 << bits // 2) - 1), np.uint64((1 << bits - bits // 2) - 1)
    left, right = x >> low, x & low_mask
    for _ in range(_ROUNDS):
        key = key + _GOLDEN
        left = left ^ (scramble(key ^ right) & high_mask)
        key = key + _GOLDEN
        right = right ^ (scramble(key ^ left) & low_mask)
    return (left << low) | right

"""Data sets for the tests of loaders, in a module of their own: worker processes import it."""

import os
import random
import signal

import numpy as np

from adjoint import data

X, Y = np.arange(40.0).reshape(20, 2), np.arange(20)


class Samples(data.Dataset):
    """Samples with random noise, one of which may be broken."""

    def __init__(self, broken: int | None = None):
        self.broken = broken

    def __len__(self):
        return 20

    def __getitem__(self, index):
        if index == self.broken:
            raise ZeroDivisionError("no such picture")
        return X[index] + data.generator().normal(size=2), Y[index]


class GlobalNoise(Samples):
    def __getitem__(self, index):
        return np.random.normal() + random.random(), index


class Killer(Samples):
    def __getitem__(self, index):
        os.kill(os.getpid(), signal.SIGKILL)

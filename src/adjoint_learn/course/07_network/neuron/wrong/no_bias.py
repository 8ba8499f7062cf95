"""The bias is missing from the sum. Without it, a neuron whose inputs are all 0 returns 0, whatever its weights are.
Add `self.b`."""

from solution import *


class Neuron:
    def __call__(self, x):
        return sum(wi * xi for wi, xi in zip(self.w, x)).tanh()

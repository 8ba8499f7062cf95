"""The public names of `adjoint.data`, each written once."""

from .digit_images import digits as digits
from .files import read as read
from .loading import DataLoader as DataLoader, require_finite as require_finite, train_test_split as train_test_split
from .registry import DATASETS as DATASETS, load as load
from .text import Characters as Characters, names as names
from .toys import blobs as blobs, circles as circles, moons as moons, spirals as spirals, xor as xor

"""The public names of `adjoint.data`, each written once."""

from .byte_pairs import BytePairTokenizer as BytePairTokenizer
from .characters import Characters as Characters, names as names
from .csv_tables import parse_table as parse_table
from .datasets import (
    ConcatDataset as ConcatDataset,
    Dataset as Dataset,
    MapDataset as MapDataset,
    Subset as Subset,
    TensorDataset as TensorDataset,
    collate as collate,
    generator as generator,
    random_split as random_split,
)
from .digit_images import digits as digits
from .files import read as read
from .loading import DataLoader as DataLoader, require_finite as require_finite, train_test_split as train_test_split
from .named_datasets import DATASETS as DATASETS, load as load
from .samplers import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler,
    WeightedRandomSampler as WeightedRandomSampler,
)
from .scaling import Scale as Scale
from .tokenizer import ByteTokenizer as ByteTokenizer, Tokenizer as Tokenizer
from .tokens import Tokens as Tokens
from .toys import blobs as blobs, circles as circles, moons as moons, points as points, spirals as spirals, xor as xor

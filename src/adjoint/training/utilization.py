"""How much of its device the training of a GPT uses: the operations of a token, and the peak of known devices.

The model FLOP utilization (MFU) is the speed of the training in operations per second, divided by the peak of the
device. It counts what the mathematics needs, for each token of a sequence of T tokens in a model of width C, with L
blocks and a vocabulary of V:

- 6·(V·C + 12·L·C²): a multiplication and an addition for each weight of a matrix in the forward pass, and twice that in
  the backward pass. The table of tokens counts once, as the head; positions, biases and norms do not count.
- 6·L·C·(T + 1): the two products of attention. A token attends to itself and to the tokens before it, which are
  (T + 1)/2 on average; a count of all T is twice as large.

What `checkpoint` computes again does not count, nor does the part of a product that a mask hides but a kernel computes.
"""

import re
from typing import Any, NamedTuple, Protocol

from adjoint.errors.optional_jax import load_jax
from adjoint.files.joint_saves import Processes
from adjoint.nn.gpt import GPT
from adjoint.training.batch_sources import BatchSource
from adjoint.training.passes import Execution

# TFLOP/s of products in bfloat16 and float16, without sparsity, by the data sheets of NVIDIA. Products of float32 have
# half of it: they are computed in TF32.
PEAKS = {
    "B200": 2250.0,
    "H200": 989.4,
    "H100 PCIe": 756.0,
    "H100 NVL": 835.5,
    "H100": 989.4,
    "A100": 312.0,
    "L40S": 362.0,
    "L4": 121.0,
    "A10G": 70.0,
    "RTX 4090": 165.2,
    "RTX 3090": 71.0,
}


class Sizes(Protocol):
    """The sizes of a GPT: the model itself, or any object that has them under the same names."""

    @property
    def vocab_size(self) -> int: ...
    @property
    def embed_dim(self) -> int: ...
    @property
    def num_layers(self) -> int: ...


def operations_per_token(sizes: Sizes, length: int) -> int:
    """Return the operations that training needs for each token of sequences of `length` tokens.

    >>> from adjoint import nn
    >>> operations_per_token(nn.GPT.named("gpt-tiny"), 128)
    2754816
    """
    width, layers = sizes.embed_dim, sizes.num_layers
    weights = sizes.vocab_size * width + layers * 12 * width**2
    return 6 * weights + 6 * layers * width * (length + 1)


def peak_of(device: str, precision: str) -> float | None:
    """Return the peak of a device in TFLOP/s, given JAX's name of its kind; None if it is not known.

    >>> peak_of("NVIDIA A100-SXM4-80GB", "bfloat16"), peak_of("NVIDIA A100-SXM4-80GB", "float32")
    (312.0, 156.0)
    >>> peak_of("cpu", "float32")
    """
    peak = next((peak for name, peak in PEAKS.items() if re.search(rf"\b{name}\b", device)), None)
    return peak / 2 if peak is not None and precision == "float32" else peak


class Utilization(NamedTuple):
    """What turns the tokens per second of a training into its share of the devices' peak."""

    operations: int  # of a token
    peak: float  # of all devices, in TFLOP/s

    def words(self, tokens_per_second: float) -> list[str]:
        """Return the speed and the share as text.

        >>> Utilization(798_087_168, 989.4).words(493_000)
        ['393 TFLOP/s', 'MFU 39.8%']
        """
        speed = tokens_per_second * self.operations / 1e12
        return [f"{speed:.3g} TFLOP/s", f"MFU {speed / self.peak:.1%}"]


def utilization_of(model: Any, source: BatchSource, execution: Execution) -> Utilization | None:
    """Return how a compiled training uses its devices; None if the model is no GPT or a device is not known."""
    if not isinstance(model, GPT):
        return None
    devices, kind = Processes().count, load_jax().local_devices()[0].device_kind
    if execution.devices is not None:
        from adjoint.compile.xla.devices import Placement

        devices = Placement(execution.devices).mesh.size
    peak = peak_of(kind, execution.precision)
    if peak is None:
        return None
    return Utilization(operations_per_token(model, source.sample().y.shape[-1]), devices * peak)

"""Batches that are split over devices: whether their sizes allow it is checked before training."""

from adjoint.data.loading import DataLoader
from adjoint.errors import ShapeError
from adjoint.training.sources import Source


def require_divisible(source: Source, devices: object, what: str = "training", batches: float = float("inf")) -> None:
    """Raise if one of the first `batches` cannot be split over the devices, as far as the numbers of rows are known."""
    loader = source.raw
    if devices is None or not isinstance(loader, DataLoader) or not loader.arrays or loader.batch_sampler is not None:
        return
    from adjoint.compile.xla.devices import Placement

    placement = Placement(devices)
    parts, rows, size = placement.local_parts, loader.samples, loader.batch_size
    where = f"{parts} devices" if placement.processes == 1 else f"{parts} devices of each process"
    fewer = f"leave out {rows % parts} rows" if rows > parts else "use fewer devices"
    if rows <= size:
        if rows % parts:
            raise ShapeError(f"the {what} batch of {rows} rows cannot be split over {where}; {fewer}")
    elif size % parts:
        raise ShapeError(
            f"{what} batches of batch_size={size} rows cannot be split over {where}; use a multiple of {parts}"
        )
    elif rows % size % parts and not loader.drop_last and len(loader) <= batches:
        raise ShapeError(
            f"the last {what} batch has {rows % size} of {rows} rows, which cannot be split over {where}; {fewer}, or "
            f"pass a DataLoader with drop_last=True, which leaves out {rows % size}"
        )

"""OnDevice: a value that is brought to a device, or from one to the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dask_tapestry.errors import DeviceError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.held_value import HeldValue
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Formats, Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class OnDevice(HeldValue):
    """The input, on the device of `format`; on the host where that is None.

    What yields the input, and what reads the output, may be in one step with it: then cells go from
    store to device block by block.
    """

    name = "todevice"
    holds = False
    transparent = True
    copies = True
    sets_format = True
    format: BlockFormat | None

    @property
    def called(self) -> str:
        return ""

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return self.format

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {}

    def text(self) -> str:
        return "cpu" if self.format is None else self.format.device


def on_device(x: Tensor, wanted: BlockFormat | None) -> Tensor:
    """`x` on a device; on the host for None.

    Raises
    ------
    DeviceError
        If no array there can hold cells of its dtype.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry_kernels.block_format import on_cuda
    >>> on_device(dt.ones(3).node, on_cuda()).format.device
    'cuda'
    """
    if wanted is not None and not wanted.takes(x.type.ndim, x.type.dtype):
        raise DeviceError(f"no array on {wanted.device} can hold cells of {x.type.dtype}")
    is_there = wanted == x.format if wanted else x.format is None or not x.format.on_device
    return x if is_there else apply(OnDevice(wanted), x)

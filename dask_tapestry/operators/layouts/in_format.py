"""InFormat: a value whose blocks have another format, the arrays of another library."""

from __future__ import annotations

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.held_value import HeldValue
from dask_tapestry.operators.layouts.on_device import on_device
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Formats, Types
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class InFormat(HeldValue):
    """The input, held in `format`."""

    name = "informat"
    sets_format = True
    format: BlockFormat

    @property
    def called(self) -> str:
        return ""

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return self.format

    def text(self) -> str:
        return str(self.format)


def in_format(x: Tensor, wanted: BlockFormat) -> Tensor:
    """`x` in the arrays of another library.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry_kernels.block_format import on_cuda
    >>> in_format(dt.eye(3).node, on_cuda(1)).format.device
    'cuda:1'
    """
    return on_device(x, wanted) if wanted.on_device else apply(InFormat(wanted), x)

"""InFormat: a value whose blocks are held in the arrays of another library."""

from __future__ import annotations

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Formats, Restriction, Types, uniform
from dask_tapestry.teg.source import Block
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class InFormat(Selector):
    """The input, held in `format`."""

    name = "informat"
    kernel = "identity"
    transparent = False
    holds = True
    any_format = True
    format: BlockFormat

    @property
    def called(self) -> str:
        return ""

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(self, (region,), region)

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return self.format

    def text(self) -> str:
        return str(self.format)

    def reference(self, *inputs: Block) -> Block:
        return inputs[0]


def in_format(x: Tensor, wanted: BlockFormat) -> Tensor:
    """`x` in the arrays of another library.

    Examples
    --------
    >>> import dask_tapestry as dt, numpy as np, scipy.sparse
    >>> csr = BlockFormat.of(scipy.sparse.csr_array(np.eye(2)))
    >>> dt.Array(in_format(dt.eye(3).node, csr)).compute().nnz
    3
    """
    return apply(InFormat(wanted), x)

"""JoinedKeys: several keys of a cell as one, which sorts as all of them do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.sorting.sort import SORTED
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.key_bytes import WORD, text_bytes

FLOPS_A_BYTE: Final = 3  # of a key: 1.7 ns


@dataclass(frozen=True)
class JoinedKeys(BlockOperator):
    """Keys along the last axis of each input, joined to one that is compared as they are.

    The first key counts most. Of shape of an input without its last axis; a cell is an integer
    where all keys together have eight bytes at most, and a text else.
    """

    name = "joinedkeys"
    kernel = "joinedkeys"
    transparent = True
    fills = False

    def infer(self, *inputs: TensorType) -> TensorType:
        size = sum(x.shape[-1] * text_bytes(x.dtype) for x in inputs)
        dims = inputs[0].dims[:-1] if inputs[0].dims else None
        kind = np.dtype(np.uint64) if size <= WORD else np.dtype(f"S{size}")
        return TensorType(inputs[0].shape[:-1], kind, dims)

    def signature(self, *inputs: TensorType) -> Signature:
        lanes = inputs[0].ndim - 1
        rows = [[int(dim == axis) for dim in range(lanes)] for axis in range(lanes)]
        reads = [
            IndexProjection(
                [*rows, [0] * lanes], (0,) * x.ndim, (*(1,) * lanes, x.shape[-1]), in_ndim=lanes
            )
            for x in inputs
        ]
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(inputs[0].shape[:-1]))
        return Signature(index, tuple(reads), (IndexProjection.identity(lanes),))

    def flops(self, inputs: Types, box: ZRange) -> int:
        return FLOPS_A_BYTE * box.size * self.infer(*inputs).dtype.itemsize

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Bytes of one input, and steps on the way to them."""
        most = max(x.shape[-1] * text_bytes(x.dtype) for x in inputs)
        return box.size * (2 * most + self.infer(*inputs).dtype.itemsize)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def joined(keys: Sequence[Tensor]) -> Tensor:
    """Keys of one shape as one; the first counts most.

    Raises
    ------
    DTypeError
        If the cells of a key have no order here.
    """
    return joined_rows(*(unsqueeze(key, (key.type.ndim,)) for key in keys))


def joined_rows(*rows: Tensor) -> Tensor:
    """The cells along the last axis as one key, those of several tensors one after the other."""
    for x in rows:
        if x.type.dtype.kind not in SORTED:
            raise DTypeError(f"no order is defined here for dtype {x.type.dtype}")
    return apply(JoinedKeys(), *rows)

"""Order keys: unsigned integers that lie in the order in which cells sort, and cells of keys.

NaN and NaT are last, and -0.0 comes before 0.0. Only numbers of 64 bits and fewer have such keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cellwise import CellwiseOperator
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.tuning import ORDER_KEY_FLOPS
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


class KeyOperator(CellwiseOperator):
    """Keys of cells, or cells of keys."""

    transparent = True
    repeats = True

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"dtype": self.infer(*inputs).dtype}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return ORDER_KEY_FLOPS * box.size

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class OrderKey(KeyOperator):
    """Cell o is the key of the input's cell o, an unsigned integer of as many bytes."""

    name = "orderkey"
    kernel = "orderkey"

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=np.dtype(f"u{inputs[0].dtype.itemsize}"))


@dataclass(frozen=True)
class CellOfKey(KeyOperator):
    """Cell o is the cell, of `dtype`, whose key is the input's cell o."""

    name = "cellofkey"
    kernel = "cellofkey"
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def text(self) -> str:
        return str(self.dtype)


def has_order_key(dtype: np.dtype[Any]) -> bool:
    """Whether cells of a dtype have keys.

    Examples
    --------
    >>> [has_order_key(np.dtype(kind)) for kind in ("f8", "M8[s]", "c16", "S4")]
    [True, True, False, False]
    """
    return dtype.kind in "biufmM" and dtype.itemsize <= np.dtype(np.uint64).itemsize


def order_key(x: Tensor) -> Tensor:
    """The keys of cells; these have some."""
    return apply(OrderKey(), x)


def cell_of_key(keys: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """The cells of a dtype that have these keys; all NaN are one."""
    return apply(CellOfKey(dtype), keys)

"""Fourier: discrete Fourier transforms of lanes that a block has whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, log2
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.lanes import LaneOperator
from dask_tapestry.operators.tuning import BUTTERFLY_FLOPS, CONVOLVED_LANE_WORK, FOURIER_LANES
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.fourier import TRANSFORMS

PRIMES: Final = (2, 3, 5, 7, 11)  # factors of a length for which pocketfft has a pass


@dataclass(frozen=True)
class Fourier(LaneOperator):
    """The discrete Fourier transform of each lane along `axis`, of `length` cells of time.

    `function` names one of `numpy.fft`, which says what it yields, of which shape and dtype.
    """

    name = "fourier"
    kernel = "fourier"
    in_place = True
    function: str
    axis: int
    length: int
    norm: str

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        made = self.length // 2 + 1 if self.function == "rfft" else self.length
        shape = (*x.shape[: self.axis], made, *x.shape[self.axis + 1 :])
        return TensorType(shape, transformed_dtype(self.function, x.dtype))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "function": self.function,
            "axis": self.axis,
            "length": self.length,
            "norm": self.norm,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        lanes = box.size // max(box.shape[self.axis], 1)
        is_real = self.function in ("rfft", "irfft")
        return lanes * BUTTERFLY_FLOPS * butterflies(self.length) // (1 + is_real)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A few lanes; and a copy of what is no number of the transform's dtype."""
        (x,) = inputs
        made = self.infer(x).dtype
        taken = np.dtype(made.char.lower()) if self.function == "rfft" else complex_dtype(made)
        copied = self.demand(inputs, box)[0].size if x.dtype != taken else 0
        return (FOURIER_LANES * self.length + copied) * taken.itemsize

    def text(self) -> str:
        return f"{self.function}, {self.length}, axis={self.axis}, norm={self.norm}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return TRANSFORMS[self.function](inputs[0], self.length, self.axis, self.norm)


def whole_lanes(x: Tensor, function: str, length: int, axis: int, norm: str) -> Tensor:
    """`function` of each lane of `x`, which a block has whole."""
    operator = Fourier(function, axis, length, norm)
    type_ = operator.infer(x.type)
    if not x.type.size:
        return full(type_.shape, type_.dtype.type(0))
    read = length // 2 + 1 if function == "irfft" else length
    cut = (slice(None),) * axis + (slice(min(x.type.shape[axis], read)),)
    return apply(operator, basic_slice(x, cut))


@lru_cache(maxsize=256)
def transformed_dtype(function: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of NumPy's transform of cells of `dtype`."""
    try:
        made: np.dtype[Any] = TRANSFORMS[function](np.ones(2, dtype)).dtype
    except (TypeError, AttributeError):
        raise DTypeError(f"{function} is not defined for dtype {dtype}") from None
    return made


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype of the precision of `dtype`."""
    found: np.dtype[Any] = np.result_type(dtype, np.complex64)
    return found


@lru_cache(maxsize=1024)
def butterflies(length: int) -> int:
    """Operations on pairs of cells that the transform of a lane takes, in units of two cells."""
    rest = length
    for prime in PRIMES:
        while rest % prime == 0:
            rest //= prime
    return length * ceil(log2(max(length, 2))) * (1 if rest == 1 else CONVOLVED_LANE_WORK)

"""The monoids that reductions fold: dtypes, identity and NumPy meaning of each.

The arithmetic is in the kernel of the same name (``dask_tapestry_kernels.cpu.monoids``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.cells.functions import loop_dtypes
from dask_tapestry.errors import DTypeError

DType = np.dtype[Any]
BOOL: Final = np.dtype(bool)
INDEX: Final = np.dtype(np.intp)


@dataclass(frozen=True)
class Monoid:
    """A named monoid over cells.

    Attributes
    ----------
    dtypes
        Maps the input's dtype and the one asked for to (result dtype, dtype of a node's state).
    has_identity
        Whether no cells at all have a value.
    numpy
        The NumPy function it stands for.
    """

    name: str
    dtypes: Callable[[DType, DType | None], tuple[DType, DType]]
    has_identity: bool
    numpy: Callable[..., Any]

    def reference(
        self, x: np.ndarray[Any, Any], axes: tuple[int, ...], dtype: DType, ddof: float
    ) -> np.ndarray[Any, Any]:
        """NumPy's value."""
        if self.name in ("argmin", "argmax"):
            kept = [axis for axis in range(x.ndim) if axis not in axes]
            moved = x.transpose(*kept, *axes)
            flat = moved.reshape(*moved.shape[: len(kept)], -1)
            return np.asarray(self.numpy(flat, axis=-1))
        options: dict[str, Any] = {"ddof": ddof} if self.name in ("var", "std") else {}
        if self.name in ("sum", "prod", "mean", "var", "std"):
            options["dtype"] = dtype
        return np.asarray(self.numpy(x, axis=axes, **options))


def accumulator(dtype: DType) -> DType:
    """Dtype in which cells of `dtype` are added: float16 is added in float32."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def _fold(function: str) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    def dtypes(x: DType, asked: DType | None) -> tuple[DType, DType]:
        result = asked or _widened(x)
        loop = loop_dtypes(function, (result, result))
        if loop[2] != result or (x.kind == "M" and function == "add"):
            raise DTypeError(f"a {function} reduction has no meaning for dtype {x.name}")
        return result, accumulator(result)

    return dtypes


def _widened(x: DType) -> DType:
    """NumPy's default dtype of sums and products: small integers become 64-bit ones."""
    if x.kind == "b" or (x.kind in "iu" and x.itemsize < np.dtype(np.int_).itemsize):
        return np.dtype(np.uint if x.kind == "u" else np.int_)
    return x


def _same(function: str) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    def dtypes(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
        loop_dtypes(function, (x, x))
        return x, x

    return dtypes


def _truth(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
    return BOOL, BOOL


def _mean(x: DType, asked: DType | None) -> tuple[DType, DType]:
    if x.kind not in "biufcm":
        raise DTypeError(f"a mean has no meaning for dtype {x.name}")
    result = asked or (np.dtype(np.float64) if x.kind in "biu" else x)
    return result, accumulator(result)


def _variance(x: DType, asked: DType | None) -> tuple[DType, DType]:
    if x.kind not in "biufc":
        raise DTypeError(f"a variance has no meaning for dtype {x.name}")
    if asked is not None and asked.kind not in "fc":
        raise DTypeError(f"a variance is not computed in dtype {asked.name}: floats are needed")
    work = accumulator(asked or (np.dtype(np.float64) if x.kind in "biu" else x))
    real = np.dtype(work.char.lower()) if work.kind == "c" else work
    result = (asked or x) if (asked or x).kind == "f" else real
    return result, np.dtype([("mean", work), ("m2", real)])


def _position(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
    if x.kind not in "biufcmM":
        raise DTypeError(f"no order is defined here for dtype {x.name}")
    return INDEX, np.dtype([("value", x), ("place", INDEX)])


MONOIDS: Final = MappingProxyType(
    {
        monoid.name: monoid
        for monoid in (
            Monoid("sum", _fold("add"), True, np.sum),
            Monoid("prod", _fold("multiply"), True, np.prod),
            Monoid("min", _same("minimum"), False, np.min),
            Monoid("max", _same("maximum"), False, np.max),
            Monoid("any", _truth, True, np.any),
            Monoid("all", _truth, True, np.all),
            Monoid("mean", _mean, True, np.mean),
            Monoid("var", _variance, True, np.var),
            Monoid("std", _variance, True, np.std),
            Monoid("argmin", _position, False, np.argmin),
            Monoid("argmax", _position, False, np.argmax),
        )
    }
)

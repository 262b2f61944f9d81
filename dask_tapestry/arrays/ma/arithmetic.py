"""Arithmetic of masked arrays: their operators, and NumPy's ufuncs of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.core.numpy_scalars import is_scalar
from dask_tapestry.arrays.ma.parts import fill_of, fitting_fill
from dask_tapestry.arrays.ma.ufuncs import EQUALITIES, ORDERS, masked_results
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.first import first_of
from dask_tapestry.operators.reductions.monoids import FOLDS_OF_UFUNCS

TRUTHS = EQUALITIES | ORDERS
PLAIN = frozenset(  # operators that numpy.ma leaves to NumPy's ufuncs
    {"remainder", "bitwise_and", "bitwise_or", "bitwise_xor"}
)


class MaskedArithmetic(Masked):
    """The operators. Python's scalars are of 64 bits beside ``+ - * / // **``, as in `numpy.ma`."""

    @abstractmethod
    def _like(self, cells: Array, hidden: Array | None, fill: Any = None) -> Self:
        """A masked array of these parts."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "reduce" and ufunc.__name__ in FOLDS_OF_UFUNCS and len(inputs) == 1:
            reduce: Any = getattr(self, FOLDS_OF_UFUNCS[ufunc.__name__])
            return reduce(**{"axis": 0} | kwargs)
        if method != "__call__" or set(kwargs) - {"dtype"}:
            return NotImplemented
        return self._call(ufunc.__name__, inputs, plain=True, **kwargs)

    def _call(self, name: str, operands: Any, plain: bool = False, **kwargs: Any) -> Any:
        """The result of a ufunc, or of the function of `numpy.ma`; a tuple of several."""
        masked = (one for one in operands if isinstance(one, Masked | np.ma.MaskedArray))
        owner = first_of(masked, "operand with a mask")
        fill = fill_of(owner)
        found = [
            self._like(cells, mask, fitting_fill(fill, cells.dtype) if name in TRUTHS else fill)
            for cells, mask in masked_results(name, operands, fill, plain, **kwargs)
        ]
        return found[0] if len(found) == 1 else tuple(found)

    def _operated(self, name: str, other: Any, swapped: bool = False) -> Any:
        if getattr(other, "__array_ufunc__", 0) is None:
            return NotImplemented
        plain = name in PLAIN
        if isinstance(other, bool | int | float | complex) and not plain:
            other = np.asarray(other)
        made: Self = self._call(name, (other, self) if swapped else (self, other), plain)
        return made

    def _unary(self, name: str) -> Self:
        made: Self = self._call(name, (self,), plain=True)
        return made

    def _in_place(self, name: str, other: Any) -> Self:
        """``x += y``: the array takes the new value, in its dtype and shape; a scalar stays."""
        result: Self = self._operated(name, other)
        if is_scalar(self.cells):
            return result
        if result.cells.shape != self.cells.shape:
            raise ShapeError(
                f"non-broadcastable output operand with shape {self.cells.shape} doesn't match "
                f"the broadcast shape {result.cells.shape}"
            )
        if not np.can_cast(result.cells.dtype, self.cells.dtype, "same_kind"):
            raise DTypeError(
                f"Cannot cast the result of {name} from {result.cells.dtype} to {self.cells.dtype} "
                "with casting rule 'same_kind'"
            )
        self.cells, self.hidden = result.cells.astype(self.cells.dtype), result.hidden
        return self

    def __add__(self, other: Any) -> Any:
        return self._operated("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._operated("add", other, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._operated("subtract", other)

    def __rsub__(self, other: Any) -> Any:
        return self._operated("subtract", other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._operated("multiply", other)

    def __rmul__(self, other: Any) -> Any:
        return self._operated("multiply", other, swapped=True)

    def __truediv__(self, other: Any) -> Any:
        return self._operated("divide", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._operated("divide", other, swapped=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._operated("floor_divide", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._operated("floor_divide", other, swapped=True)

    def __mod__(self, other: Any) -> Any:
        return self._operated("remainder", other)

    def __rmod__(self, other: Any) -> Any:
        return self._operated("remainder", other, swapped=True)

    def __pow__(self, other: Any) -> Any:
        return self._operated("power", other)

    def __rpow__(self, other: Any) -> Any:
        return self._operated("power", other, swapped=True)

    def __and__(self, other: Any) -> Any:
        return self._operated("bitwise_and", other)

    def __rand__(self, other: Any) -> Any:
        return self._operated("bitwise_and", other, swapped=True)

    def __or__(self, other: Any) -> Any:
        return self._operated("bitwise_or", other)

    def __ror__(self, other: Any) -> Any:
        return self._operated("bitwise_or", other, swapped=True)

    def __xor__(self, other: Any) -> Any:
        return self._operated("bitwise_xor", other)

    def __rxor__(self, other: Any) -> Any:
        return self._operated("bitwise_xor", other, swapped=True)

    def __iadd__(self, other: Any) -> Self:
        return self._in_place("add", other)

    def __isub__(self, other: Any) -> Self:
        return self._in_place("subtract", other)

    def __imul__(self, other: Any) -> Self:
        return self._in_place("multiply", other)

    def __itruediv__(self, other: Any) -> Self:
        return self._in_place("divide", other)

    def __ifloordiv__(self, other: Any) -> Self:
        return self._in_place("floor_divide", other)

    def __ipow__(self, other: Any) -> Self:
        return self._in_place("power", other)

    def __eq__(self, other: object) -> Any:
        return self._operated("equal", other)

    def __ne__(self, other: object) -> Any:
        return self._operated("not_equal", other)

    def __lt__(self, other: Any) -> Any:
        return self._operated("less", other)

    def __le__(self, other: Any) -> Any:
        return self._operated("less_equal", other)

    def __gt__(self, other: Any) -> Any:
        return self._operated("greater", other)

    def __ge__(self, other: Any) -> Any:
        return self._operated("greater_equal", other)

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Self:
        return self._unary("negative")

    def __pos__(self) -> Self:
        return self._unary("positive")

    def __abs__(self) -> Self:
        return self._unary("absolute")

    def __invert__(self) -> Self:
        return self._unary("invert")

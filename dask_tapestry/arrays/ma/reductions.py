"""Reductions and scans of masked arrays, in which hidden cells take no part."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.arrays import statistics
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.ma.arithmetic import MaskedArithmetic
from dask_tapestry.arrays.ma.parts import call, checked_fill, chosen, combined_mask
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import Axes, each_axis, normalize_axes

S = TypeVar("S", bound=MaskedArithmetic)


class Reductions(MaskedArithmetic):
    """What `numpy.ma.MaskedArray` has of reductions; ``out=`` is refused."""

    def _with(self, value: Any) -> Array:
        """The cells, with `value` where they are hidden."""
        return chosen(self.hidden, value, self.cells)

    def _all_hidden(self, axis: Axes, keepdims: bool) -> Array | None:
        if self.hidden is None:
            return None
        return statistics.all(self.hidden, axis=axis, keepdims=keepdims)

    @names_axes
    def count(self, axis: Axes = None, keepdims: bool = False) -> Array:
        """Count the cells along `axis` that are not hidden.

        {Parameters} {axis.all, keepdims}
        {Returns} Array: Of dtype intp.
        """
        if self.cells.ndim or axis is None or each_axis(axis) != (0,):
            normalize_axes(axis, self.cells.ndim)  # one cell has its first axis, as for NumPy
        shown = call("logical_not", self._mask_cells())
        return statistics.sum(shown, axis=axis, dtype=np.intp, keepdims=keepdims)

    @abstractmethod
    def _mask_cells(self) -> Array:
        """The mask; cells of false where there is none."""

    @names_axes
    def sum(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
    ) -> Self:
        """Add cells along `axis`; `numpy.ma.MaskedArray.sum`."""
        no_out(out)
        made = statistics.sum(self._with(0), axis=axis, dtype=dtype, keepdims=keepdims)
        return self._like(made, self._all_hidden(axis, keepdims))

    @names_axes
    def prod(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
    ) -> Self:
        """Multiply cells along `axis`; `numpy.ma.MaskedArray.prod`."""
        no_out(out)
        made = statistics.prod(self._with(1), axis=axis, dtype=dtype, keepdims=keepdims)
        return self._like(made, self._all_hidden(axis, keepdims))

    @names_axes
    def mean(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
    ) -> Self:
        """Average cells along `axis`; `numpy.ma.MaskedArray.mean`."""
        no_out(out)
        normalize_axes(axis, self.cells.ndim)  # a cell has none here, though a sum takes its first
        if self.hidden is None:
            return self._like(statistics.mean(self.cells, axis, dtype, keepdims=keepdims), None)
        input_dtype = self.cells.dtype
        if dtype is None and input_dtype.kind in "biu":
            dtype = np.float64
        elif dtype is None and input_dtype == np.float16:
            dtype = np.float32
        total = self.sum(axis, dtype, keepdims=keepdims)
        whole: Self = total * 1.0
        averages = quotient(whole, self._like(self.count(axis, keepdims), None))
        return (
            averages.astype(input_dtype)
            if input_dtype == np.float16 and dtype == np.float32
            else averages
        )

    @abstractmethod
    def astype(self, dtype: DTypeLike) -> Self:
        """The cells of another dtype; see `MaskedArray.astype`."""

    @names_axes
    def anom(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Self:
        """Subtract the mean along `axis` from the cells; `numpy.ma.MaskedArray.anom`."""
        mean = self.mean(axis, dtype, keepdims=axis is not None and self.cells.ndim > 1)
        made: Self = self - mean
        return made

    @checked_as(np.ma.var)
    def var(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> Self:
        """Variance along `axis`; `numpy.ma.MaskedArray.var`."""
        no_out(out)
        if self.hidden is None:
            plain = statistics.var(self.cells, axis, dtype, ddof=ddof, keepdims=keepdims)
            return self._like(plain, None)
        number = call("subtract", self.count(axis, keepdims), ddof)
        off = self - self.mean(axis, dtype, keepdims=True)
        squares = abs(off) ** 2 if off.cells.dtype.kind == "c" else off * off
        variances: Self = squares.sum(axis, keepdims=keepdims) / number
        if variances.cells.ndim:
            few = call("less_equal", number, 0)
            return self._like(
                variances.cells, combined_mask(self._all_hidden(axis, keepdims), few), self.fill
            )
        return variances

    @checked_as(np.ma.std)
    def std(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> Self:
        """Standard deviation along `axis`; `numpy.ma.MaskedArray.std`."""
        return self.var(axis, dtype, out, ddof, keepdims)._root()

    def _root(self) -> Self:
        """The square root as `numpy.ma` has it, hidden where it is not finite."""
        made: Self = self._call("sqrt", (self,))
        return made

    @names_axes
    def min(
        self, axis: Axes = None, out: None = None, fill_value: Any = None, keepdims: bool = False
    ) -> Self:
        """Least cell along `axis`; `numpy.ma.MaskedArray.min`."""
        return self._extreme("min", axis, out, fill_value, keepdims)

    @names_axes
    def max(
        self, axis: Axes = None, out: None = None, fill_value: Any = None, keepdims: bool = False
    ) -> Self:
        """Greatest cell along `axis`; `numpy.ma.MaskedArray.max`."""
        return self._extreme("max", axis, out, fill_value, keepdims)

    def _extreme(self, name: str, axis: Axes, out: None, fill_value: Any, keepdims: bool) -> Self:
        no_out(out)
        value = self._counted_as(name, fill_value)
        fold = getattr(statistics, name)
        made = fold(self._with(value), axis=axis, keepdims=keepdims)
        hidden = self._all_hidden(axis, keepdims)
        if hidden is None:
            return self._like(made, None)
        return self._like(chosen(hidden, checked_fill(None, made.dtype), made), hidden)

    def _counted_as(self, name: str, fill_value: Any) -> Any:
        """What hidden cells count as: by default never the least (``"min"``), or the greatest."""
        if fill_value is not None:
            return checked_fill(fill_value, self.cells.dtype)
        empty = np.empty(0, self.cells.dtype)
        find = np.ma.minimum_fill_value if name == "min" else np.ma.maximum_fill_value
        return np.asarray(find(empty)).astype(self.cells.dtype)[()]

    @names_axes
    def ptp(
        self, axis: Axes = None, out: None = None, fill_value: Any = None, keepdims: bool = False
    ) -> Self:
        """Greatest less least cell along `axis`; `numpy.ma.MaskedArray.ptp`."""
        greatest = self.max(axis, out, fill_value, keepdims)
        made: Self = greatest - self.min(axis, out, fill_value, keepdims)
        return made

    @names_axes
    def argmin(
        self,
        axis: int | None = None,
        fill_value: Any = None,
        out: None = None,
        *,
        keepdims: bool = False,
    ) -> Array:
        """Place of the least cell along `axis`; `numpy.ma.MaskedArray.argmin`."""
        no_out(out)
        value = self._counted_as("min", fill_value)
        return statistics.argmin(self._with(value), axis, keepdims=keepdims)

    @names_axes
    def argmax(
        self,
        axis: int | None = None,
        fill_value: Any = None,
        out: None = None,
        *,
        keepdims: bool = False,
    ) -> Array:
        """Place of the greatest cell along `axis`; `numpy.ma.MaskedArray.argmax`."""
        no_out(out)
        value = self._counted_as("max", fill_value)
        return statistics.argmax(self._with(value), axis, keepdims=keepdims)

    @names_axes
    def all(self, axis: Axes = None, out: None = None, keepdims: bool = False) -> Self:
        """Whether all cells along `axis` are true; `numpy.ma.MaskedArray.all`."""
        no_out(out)
        made = statistics.all(self._with(1), axis=axis, keepdims=keepdims)
        return self._like(made, self._all_hidden(axis, keepdims))

    @names_axes
    def any(self, axis: Axes = None, out: None = None, keepdims: bool = False) -> Self:
        """Whether any cell along `axis` is true; `numpy.ma.MaskedArray.any`."""
        no_out(out)
        made = statistics.any(self._with(0), axis=axis, keepdims=keepdims)
        return self._like(made, self._all_hidden(axis, keepdims))

    @names_axes
    def cumsum(
        self, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
    ) -> Self:
        """Running sums, to which hidden cells add nothing; `numpy.ma.MaskedArray.cumsum`."""
        no_out(out)
        return self._like(statistics.cumsum(self._with(0), axis, dtype), self._scan_mask(axis))

    @names_axes
    def cumprod(
        self, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
    ) -> Self:
        """Running products, as `cumsum`; `numpy.ma.MaskedArray.cumprod`."""
        no_out(out)
        return self._like(statistics.cumprod(self._with(1), axis, dtype), self._scan_mask(axis))

    def _scan_mask(self, axis: int | None) -> Array | None:
        """The mask of a scan along `axis`; in one dimension for None."""
        return self.hidden.ravel() if axis is None and self.hidden is not None else self.hidden


def quotient(total: S, number: S) -> S:
    """``total / number``; of scalars without a domain, as in `numpy.ma`: NaN is not hidden."""
    if total.cells.ndim:
        made: S = total / number
        return made
    cells = call("divide", total.cells, number.cells)
    return total._like(cells, combined_mask(total.hidden, number.hidden))


def no_out(out: Any) -> None:
    """Refuse an array that would take the result.

    {Raises} ArgumentError: If there is one.
    """
    if out is not None and out is not np._NoValue:
        raise ArgumentError("out= is not served for masked arrays: assign the result, x[...] = y")

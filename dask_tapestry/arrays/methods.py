"""Operators and methods of Array: the functions of the chapters, attached in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays import elementwise
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked, checked_as
from dask_tapestry.arrays.core.dispatch import is_wrapper
from dask_tapestry.arrays.core.dtypes import Casting
from dask_tapestry.arrays.core.halos import Boundaries, Depths
from dask_tapestry.arrays.core.memory_arguments import check_order
from dask_tapestry.arrays.core.numpy_scalars import is_scalar
from dask_tapestry.arrays.core.selected_cells import selects_alike, take_uncounted
from dask_tapestry.arrays.core.vindex import VIndex
from dask_tapestry.arrays.elementwise import equality_and_power, foreign_ufuncs, ufunc_reduce
from dask_tapestry.arrays.elementwise.cell_views import view
from dask_tapestry.arrays.elementwise.conjugate_method import conjugated
from dask_tapestry.arrays.elementwise.parts_assigned import assign_part
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.late_methods import Method, attach_late, attached, copy_of
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.imports import LateModule
from dask_tapestry.planner.long_jobs import measures

if TYPE_CHECKING:
    from dask_tapestry.arrays import (
        calibration,
        linalg,
        overlap,
        shape,
        storage,
        user_functions,
    )
else:  # imported when a method that needs it is called
    calibration = LateModule("dask_tapestry.arrays.calibration")
    linalg = LateModule("dask_tapestry.arrays.linalg")
    overlap = LateModule("dask_tapestry.arrays.overlap")
    shape = LateModule("dask_tapestry.arrays.shape")
    storage = LateModule("dask_tapestry.arrays.storage")
    user_functions = LateModule("dask_tapestry.arrays.user_functions")

FLAT_CELLS = LateModule("dask_tapestry.arrays.indexing.flat_cells")
DASK_ATTRIBUTES = LateModule("dask_tapestry.arrays.compatibility.dask_attributes")
ARITHMETIC = {
    "add": FUNCTIONS["add"],
    "sub": FUNCTIONS["subtract"],
    "mul": FUNCTIONS["multiply"],
    "truediv": FUNCTIONS["divide"],
    "floordiv": FUNCTIONS["floor_divide"],
    "mod": FUNCTIONS["remainder"],
    "pow": equality_and_power.power,
    "lshift": FUNCTIONS["left_shift"],
    "rshift": FUNCTIONS["right_shift"],
    "and": FUNCTIONS["bitwise_and"],
    "or": FUNCTIONS["bitwise_or"],
    "xor": FUNCTIONS["bitwise_xor"],
}
COMPARISON = {
    "eq": equality_and_power.equal,
    "ne": equality_and_power.not_equal,
    "lt": FUNCTIONS["less"],
    "le": FUNCTIONS["less_equal"],
    "gt": FUNCTIONS["greater"],
    "ge": FUNCTIONS["greater_equal"],
}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _operator(function: Method, swapped: bool = False) -> Method:
    """``x + y``, or ``y + x`` where it is `swapped`; the other operand may ask to be called."""

    def method(self: Array, other: ArrayLike) -> Any:
        if is_wrapper(type(other)):
            return NotImplemented
        return function(other, self) if swapped else function(self, other)

    method.__doc__ = function.__doc__
    return method


def _in_place(function: Method) -> Method:
    """``x += y``: the array takes the new value, in the dtype and shape that it has.

    A scalar stays as it is, and the result is another one.
    """

    def method(self: Array, other: ArrayLike) -> Any:
        if is_wrapper(type(other)):
            return NotImplemented
        result = function(self, other)
        if is_scalar(self):
            return result
        if selects_alike(self, result) and np.can_cast(result.dtype, self.dtype, "same_kind"):
            take_uncounted(self, elementwise.astype(result, self.dtype))
            return self
        if result.shape != self.shape:
            raise ShapeError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the "
                f"broadcast shape {result.shape}"
            )
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise DTypeError(
                f"Cannot cast the result of {function.__name__} from {result.dtype} to "
                f"{self.dtype} with casting rule 'same_kind'"
            )
        self.node = elementwise.astype(result, self.dtype).node
        return self

    method.__doc__ = function.__doc__
    return method


def _matmul(x: ArrayLike, y: ArrayLike) -> Array:
    """Return the matrix product of two arrays, as `numpy.matmul`."""
    return linalg.matmul(x, y)


@checked_as(np.astype)
def _astype(
    self: Array,
    dtype: DTypeLike,
    order: str = "K",
    casting: Casting = "unsafe",
    subok: bool = True,  # noqa: ARG001
    copy: bool = True,
) -> Array:
    """Return the array with every element converted to a dtype.

    {Parameters}
        dtype: The dtype to convert to; fractions are cut off where it is an integer.
        casting: What conversions are allowed, by a rule of NumPy's.
        order, subok: As NumPy's, without meaning here: arrays are values.
        copy: False gives an array that has the dtype itself, so that a write to one changes both.
    {Returns} Array: Of the same shape.
    {Raises} DTypeError: If there is no such conversion, or `casting` forbids it.
    {See Also} dask_tapestry.astype
    """
    return elementwise.astype(self, dtype, copy=copy, order=order, casting=casting)


def _copy(self: Array, order: str = "C") -> Array:
    """Return an array of the same value; assigning to one leaves the other as it is.

    {Parameters} order: As NumPy's, without effect.
    {Returns} Array: Of the same shape and dtype.
    {Raises} ArgumentError: For an order that NumPy does not have.
    {See Also} dask_tapestry.copy
    """
    check_order(order)
    made = Array(self.deferred or self.node)
    made._shares = False
    return made


def _clip(
    self: Array,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the array with its elements limited to ``[min, max]``.

    {Parameters}
        min, max: The bounds, which broadcast to the array; None does not limit.
        {out.value}
    {Returns} Array: Of the broadcast shape and the promoted dtype.
    {See Also} dask_tapestry.clip
    """
    return elementwise.clip(self, min, max, out)


def _transpose(self: Array, *axes: int | Sequence[int] | None) -> Array:
    """Return the array with its dimensions reordered, by default reversed.

    {Parameters} *axes: The dimension of the array for each one of the result: integers, a sequence,
        or None.
    {Returns} Array: The same cells, dimension i of which is dimension ``axes[i]``.
    {See Also} dask_tapestry.transpose
    """
    order: Any = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return shape.transpose(self, order if axes else None)


def _round(self: Array, ndigits: int | None = None) -> Array | int:
    """Return what Python's `round` gives: of one cell and without digits an int, computed.

    {Parameters} ndigits: Digits behind the point; None rounds a cell to a Python integer, as
        `int` makes one, and an array to whole numbers.
    {Returns} Array or int: Of the array's dtype.
    {Raises} OverflowError: For an infinite cell that is to be an integer.
    {See Also} dask_tapestry.round
    """
    if ndigits is None and not self.ndim and self.dtype.kind in "iuf":
        return int(elementwise.round(self))
    return elementwise.round(self, ndigits or 0)


def _to_hdf5(self: Array, filename: str | PathLike[str], datapath: str, **kwargs: Any) -> None:
    """Write the array to a dataset of an HDF5 file.

    {Parameters}
        filename: The file; it is made if it is not there.
        datapath: Path of the dataset within.
        **kwargs: For `dask_tapestry.to_hdf5`, such as ``chunks`` and ``compression``.
    {See Also} dask_tapestry.to_hdf5
    """
    storage.to_hdf5(filename, datapath, self, **kwargs)


def _map_blocks(self: Array, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
    """Apply a function to every block of the array, and of others.

    {Parameters}
        func: It takes a block of each array, and returns one.
        *args, **kwargs: For `dask_tapestry.map_blocks`, after the array.
    {Returns} Array: Made of the blocks that the function returns.
    {See Also} dask_tapestry.map_blocks
    """
    return user_functions.map_blocks(func, self, *args, **kwargs)


@checked
def _map_overlap(
    self: Array,
    func: Callable[..., Any],
    depth: Depths = None,
    boundary: Boundaries = None,
    trim: bool = True,
    **kwargs: Any,
) -> Array:
    """Apply a function to every block of the array with cells of its neighbours.

    {Parameters}
        func: It takes a block, and returns one.
        depth, boundary, trim, **kwargs: For `dask_tapestry.map_overlap`.
    {Returns} Array: Made of the blocks that the function returns.
    {See Also} dask_tapestry.map_overlap
    """
    return overlap.map_overlap(func, self, depth=depth, boundary=boundary, trim=trim, **kwargs)


OTHERS: dict[str, Method] = {
    "__round__": _round,
    "astype": _astype,
    "clip": _clip,
    "copy": _copy,
    "conj": conjugated,
    "conjugate": conjugated,
    "map_blocks": _map_blocks,
    "map_overlap": _map_overlap,
    "to_hdf5": _to_hdf5,
    "transpose": _transpose,
    "view": view,
}
PROPERTIES = {
    "A": property(Array.compute, doc="The computed value."),
    "T": property(lambda x: shape.transpose(x), doc="The array with its dimensions reversed."),
    "flat": property(
        lambda x: FLAT_CELLS.FlatCells(x),
        lambda x, v: FLAT_CELLS.assign_flat(x, v),
        doc="The cells in a row, read and written.",
    ),
    "imag": property(
        elementwise.imag, lambda x, v: assign_part(x, "imag", v), doc="The imaginary part."
    ),
    "mT": property(
        lambda x: shape.matrix_transpose(x), doc="The matrices in the last two axes, transposed."
    ),
    "real": property(
        elementwise.real, lambda x, v: assign_part(x, "real", v), doc="The real part."
    ),
    "_meta": property(
        lambda x: DASK_ATTRIBUTES.meta(x),
        lambda x, v: DASK_ATTRIBUTES.set_meta(x, v),
        doc="An empty block.",
    ),
    "vindex": property(VIndex, doc="Pointwise indexing; see `VIndex`."),
}


def attach() -> None:
    """Give Array its operators and methods; `ArrayMethods` declares them for type checkers."""
    both_sides = ARITHMETIC | {"divmod": FUNCTIONS["divmod"], "matmul": _matmul}
    for short, function in both_sides.items():
        attached(f"__{short}__", _operator(function))
        attached(f"__r{short}__", _operator(function, swapped=True))
    for short, function in ARITHMETIC.items():
        attached(f"__i{short}__", _in_place(function))
    for short, function in COMPARISON.items():
        attached(f"__{short}__", _operator(function))
    for short, name in UNARY.items():
        attached(f"__{short}__", copy_of(FUNCTIONS[name]))
    for name, function in OTHERS.items():
        own = function.__name__.startswith("_")
        attached(name, function if own else copy_of(function))
        inner = getattr(function, "__wrapped__", None) if own else None
        if inner is not None:  # Python's errors of arguments name this one
            inner.__name__, inner.__qualname__ = name, f"Array.{name}"
    for name, member in PROPERTIES.items():
        setattr(Array, name, member)
    attach_late()
    ufunc_reduce.register()
    foreign_ufuncs.register()
    measures(lambda: calibration.calibrate())

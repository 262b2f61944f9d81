"""Operators and methods of Array: the functions of the chapters, attached in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays import (
    core,
    dask_attributes,
    elementwise,
    indexing,
    linalg,
    manipulation,
    overlap,
    planning,
    shape,
    sorting,
    statistics,
    storage,
    user_functions,
)
from dask_tapestry.arrays.array_api.dlpack import dlpack, dlpack_device, to_device
from dask_tapestry.arrays.array_api.inspection import array_namespace
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import to_dask_dataframe
from dask_tapestry.arrays.core.dispatch import is_wrapper
from dask_tapestry.arrays.core.dtypes import Casting, as_dtype
from dask_tapestry.arrays.core.halos import Boundaries, Depths
from dask_tapestry.arrays.core.layout_arguments import takes_hints
from dask_tapestry.arrays.core.memory_arguments import check_order
from dask_tapestry.arrays.core.vindex import VIndex
from dask_tapestry.arrays.elementwise import equality_and_power, ufunc_reduce, ufuncs_of_others
from dask_tapestry.arrays.elementwise.cell_views import view
from dask_tapestry.arrays.elementwise.conjugate_method import conjugated
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.indexing import ufunc_at
from dask_tapestry.arrays.indexing.getitem import getitem
from dask_tapestry.arrays.indexing.setitem import setitem
from dask_tapestry.arrays.shape import reshape
from dask_tapestry.arrays.sorting.partition import partition_in_place
from dask_tapestry.arrays.sorting.sort import sort_in_place
from dask_tapestry.arrays.user_functions import gufuncs_of_others
from dask_tapestry.errors import DTypeError, ShapeError

Method = Callable[..., Any]

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


def _method(function: Method) -> Method:
    """A copy of `function`, whose first argument is the array, for a name of its own."""

    @wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return method


def _operator(function: Method, swapped: bool = False) -> Method:
    """``x + y``, or ``y + x`` where it is `swapped`; the other operand may ask to be called."""

    def method(self: Array, other: ArrayLike) -> Any:
        if is_wrapper(type(other)):
            return NotImplemented
        return function(other, self) if swapped else function(self, other)

    method.__doc__ = function.__doc__
    return method


def _in_place(function: Method) -> Method:
    """``x += y``: the array takes the new value, in the dtype and shape that it has."""

    def method(self: Array, other: ArrayLike) -> Any:
        if is_wrapper(type(other)):
            return NotImplemented
        result = function(self, other)
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


def _astype(
    self: Array,
    dtype: DTypeLike,
    order: str = "K",
    casting: Casting = "unsafe",
    subok: bool = True,  # noqa: ARG001
    copy: bool = True,  # noqa: ARG001
) -> Array:
    """Return the array with every element converted to a dtype.

    Parameters
    ----------
    dtype
        The dtype to convert to; fractions are cut off where it is an integer.
    casting
        What conversions are allowed, by a rule of NumPy's.
    order, subok, copy
        As NumPy's, without meaning here: arrays are values.

    Returns
    -------
    Array
        Of the same shape.

    Raises
    ------
    DTypeError
        If there is no such conversion, or `casting` forbids it.

    See Also
    --------
    dask_tapestry.astype
    """
    check_order(order)
    wanted = as_dtype(dtype)
    if not np.can_cast(self.dtype, wanted, casting):
        raise DTypeError(f"cannot cast {self.dtype} to {wanted} according to the rule {casting!r}")
    return elementwise.astype(self, wanted)


def _clip(
    self: Array,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the array with its elements limited to ``[min, max]``.

    Parameters
    ----------
    min, max
        The bounds, which broadcast to the array; None does not limit.
    out
        An `Array` that takes the value of the result.

    Returns
    -------
    Array
        Of the broadcast shape and the promoted dtype.

    See Also
    --------
    dask_tapestry.clip
    """
    return elementwise.clip(self, min, max, out)


def _transpose(self: Array, *axes: int | Sequence[int] | None) -> Array:
    """Return the array with its dimensions reordered, by default reversed.

    Parameters
    ----------
    *axes
        The dimension of the array for each one of the result: integers, a sequence, or None.

    Returns
    -------
    Array
        The same cells, dimension i of which is dimension ``axes[i]``.

    See Also
    --------
    dask_tapestry.transpose
    """
    order: Any = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return shape.transpose(self, order or None)


@takes_hints("merge_chunks", "limit")
def _reshape(self: Array, *shape: int | Sequence[int], order: str = "C") -> Array:
    """Return the same cells in another shape.

    Parameters
    ----------
    *shape
        The lengths: integers, or a sequence; one may be -1 and follows from the others.
    order
        In which cells are counted: ``"C"``, the last index fastest, or ``"F"``, the first one.

    Returns
    -------
    Array
        Of the new shape.

    See Also
    --------
    dask_tapestry.reshape
    """
    sides: Any = shape[0] if len(shape) == 1 else shape
    return reshape(self, sides, order)


def _to_hdf5(self: Array, filename: str | PathLike[str], datapath: str, **kwargs: Any) -> None:
    """Write the array to a dataset of an HDF5 file.

    Parameters
    ----------
    filename
        The file; it is made if it is not there.
    datapath
        Path of the dataset within.
    **kwargs
        For `dask_tapestry.to_hdf5`, such as ``chunks`` and ``compression``.

    See Also
    --------
    dask_tapestry.to_hdf5
    """
    storage.to_hdf5(filename, datapath, self, **kwargs)


def _map_blocks(self: Array, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
    """Apply a function to every block of the array, and of others.

    Parameters
    ----------
    func
        It takes a block of each array, and returns one.
    *args, **kwargs
        For `dask_tapestry.map_blocks`, after the array.

    Returns
    -------
    Array
        Made of the blocks that the function returns.

    See Also
    --------
    dask_tapestry.map_blocks
    """
    return user_functions.map_blocks(func, self, *args, **kwargs)


def _map_overlap(
    self: Array,
    func: Callable[..., Any],
    depth: Depths = None,
    boundary: Boundaries = None,
    trim: bool = True,
    **kwargs: Any,
) -> Array:
    """Apply a function to every block of the array with cells of its neighbours.

    Parameters
    ----------
    func
        It takes a block, and returns one.
    depth, boundary, trim, **kwargs
        For `dask_tapestry.map_overlap`.

    Returns
    -------
    Array
        Made of the blocks that the function returns.

    See Also
    --------
    dask_tapestry.map_overlap
    """
    return overlap.map_overlap(func, self, depth=depth, boundary=boundary, trim=trim, **kwargs)


def _compute_chunk_sizes(self: Array) -> Array:
    """Return the array: shapes and chunks are always exact here.

    Returns
    -------
    Array
        The array itself.

    See Also
    --------
    dask_tapestry.resolve_shapes
    """
    return self


SAME_NAME = {  # functions that are methods as they are
    core: "nonzero rechunk rename to_dask_array",
    storage: "store to_zarr",
    elementwise: "round",
    shape: "ravel squeeze swapaxes",
    planning: "plan",
    indexing: "choose shuffle take",
    linalg: "dot trace",
    manipulation: "diagonal repeat",
    sorting: "argpartition argsort argtopk searchsorted topk",
    statistics: "all any argmax argmin cumprod cumsum max mean min moment prod std sum var",
}
OTHERS: dict[str, Method] = {
    "__array_namespace__": array_namespace,
    "__deepcopy__": dask_attributes.deep_copy,
    "__dlpack__": dlpack,
    "__dlpack_device__": dlpack_device,
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__round__": elementwise.round,
    "astype": _astype,
    "clip": _clip,
    "conj": conjugated,
    "conjugate": conjugated,
    "flatten": shape.ravel,
    "compute_chunk_sizes": _compute_chunk_sizes,
    "map_blocks": _map_blocks,
    "map_overlap": _map_overlap,
    "partition": partition_in_place,
    "reshape": _reshape,
    "sort": sort_in_place,
    "to_dask_dataframe": to_dask_dataframe,
    "to_backend": dask_attributes.to_backend,
    "to_device": to_device,
    "to_svg": dask_attributes.to_svg,
    "to_hdf5": _to_hdf5,
    "transpose": _transpose,
    "view": view,
}
PROPERTIES = {
    "A": property(Array.compute, doc="The computed value."),
    "T": property(shape.transpose, doc="The array with its dimensions reversed."),
    "imag": property(elementwise.imag, doc="The imaginary part."),
    "mT": property(shape.matrix_transpose, doc="The matrices in the last two axes, transposed."),
    "real": property(elementwise.real, doc="The real part."),
    "_meta": property(dask_attributes.meta, doc="An empty block."),
    "vindex": property(VIndex, doc="Pointwise indexing; see `VIndex`."),
}


def attach() -> None:
    """Give Array its operators and methods; `ArrayMethods` declares them for type checkers."""
    both_sides = ARITHMETIC | {"divmod": FUNCTIONS["divmod"], "matmul": linalg.matmul}
    for short, function in both_sides.items():
        _attach(f"__{short}__", _operator(function))
        _attach(f"__r{short}__", _operator(function, swapped=True))
    for short, function in ARITHMETIC.items():
        _attach(f"__i{short}__", _in_place(function))
    for short, function in COMPARISON.items():
        _attach(f"__{short}__", _operator(function))
    for short, name in UNARY.items():
        _attach(f"__{short}__", _method(FUNCTIONS[name]))
    for chapter, names in SAME_NAME.items():
        for name in names.split():
            _attach(name, _method(getattr(chapter, name)))
    for name, function in OTHERS.items():
        _attach(name, _method(function))
    for name, member in PROPERTIES.items():
        setattr(Array, name, member)
    ufunc_reduce.register()
    ufunc_at.register()
    ufuncs_of_others.register()
    gufuncs_of_others.register()


def _attach(name: str, method: Method) -> None:
    method.__name__, method.__qualname__ = name, f"Array.{name}"
    setattr(Array, name, method)

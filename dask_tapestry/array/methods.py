"""Operators and methods of Array: the functions of the namespaces, attached in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry.array import (
    core,
    elementwise,
    linalg,
    manipulation,
    planning,
    shape,
    sorting,
    statistics,
    storage,
    user_functions,
)
from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.vindex import VIndex
from dask_tapestry.array.elementwise import ufunc_reduce, ufuncs
from dask_tapestry.array.indexing.getitem import getitem
from dask_tapestry.array.indexing.setitem import setitem
from dask_tapestry.array.sorting.partition import partition_in_place
from dask_tapestry.array.sorting.sort import sort_in_place
from dask_tapestry.errors import DTypeError, ShapeError

BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}
COMPARISON = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
OWN = {"eq": ufuncs.equals, "ne": ufuncs.differs, "pow": ufuncs.raised}  # not quite their ufuncs
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _binary(function: Callable[..., Any], swapped: bool) -> Callable[[Array, Any], Any]:
    def method(self: Array, other: Any) -> Any:
        if _defers_to(other):
            return NotImplemented
        return function(other, self) if swapped else function(self, other)

    return method


def _defers_to(other: Any) -> bool:
    return getattr(other, "__array_ufunc__", 0) is None


def _in_place(function: Callable[..., Any], symbol: str) -> Callable[[Array, Any], Array]:
    """``x += y``: the array takes the new value, in the dtype and shape that it has."""

    def method(self: Array, other: Any) -> Array:
        result = function(self, other)
        if result.shape != self.shape:
            raise ShapeError(
                f"non-broadcastable output operand with shape {self.shape} doesn't match the "
                f"broadcast shape {result.shape}"
            )
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise DTypeError(
                f"Cannot cast the result of {symbol} from {result.dtype} to {self.dtype} with "
                "casting rule 'same_kind'"
            )
        self.node = elementwise.astype(result, self.dtype).node
        return self

    return method


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__doc__ = function.__doc__
    method.__name__ = function.__name__
    return method


def _varargs(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that takes a shape or axes as one sequence or as several arguments."""

    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        one = (
            args[0]
            if len(args) == 1 and (args[0] is None or not isinstance(args[0], int))
            else args
        )
        return function(self, one or None, **kwargs) if args else function(self, **kwargs)

    method.__doc__ = function.__doc__
    method.__name__ = function.__name__
    return method


def _reshape(self: Array, *sides: Any, order: str = "C") -> Array:
    one = sides[0] if len(sides) == 1 else sides
    return shape.reshape(self, one, order)


def _rename(self: Array, *dims: str | None) -> Array:
    return core.rename(self, *dims)


def _to_hdf5(self: Array, filename: Any, datapath: str, **kwargs: Any) -> None:
    storage.to_hdf5(filename, datapath, self, **kwargs)


_to_hdf5.__doc__ = storage.to_hdf5.__doc__


def _map_blocks(self: Array, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
    return user_functions.map_blocks(func, self, *args, **kwargs)


_map_blocks.__doc__ = user_functions.map_blocks.__doc__
_reshape.__doc__ = shape.reshape.__doc__
_rename.__doc__ = core.rename.__doc__


NAMED = {
    core: "rechunk to_dask_array",
    storage: "store to_zarr",
    elementwise: "astype clip round conj conjugate",
    shape: "squeeze ravel swapaxes",
    planning: "plan",
    linalg: "dot trace",
    manipulation: "repeat diagonal",
    sorting: "searchsorted argsort argpartition topk argtopk",
    statistics: "sum prod min max any all argmin argmax mean var std moment cumsum cumprod",
}
OTHERS: dict[str, Any] = {
    "__matmul__": _binary(linalg.matmul, swapped=False),
    "__rmatmul__": _binary(linalg.matmul, swapped=True),
    "__round__": _method(elementwise.round),
    "__getitem__": getitem,
    "__setitem__": setitem,
    "vindex": property(VIndex, doc="Pointwise indexing; see `VIndex`."),
    "nonzero": _method(core.nonzero),
    "sort": sort_in_place,
    "partition": partition_in_place,
    "flatten": _method(shape.ravel),
    "transpose": _varargs(shape.transpose),
    "map_blocks": _map_blocks,
    "reshape": _reshape,
    "rename": _rename,
    "to_hdf5": _to_hdf5,
    "mT": property(shape.matrix_transpose, doc="The matrices in the last two axes, transposed."),
    "T": property(shape.transpose, doc="The array with its dimensions reversed."),
    "real": property(elementwise.real, doc="The real part."),
    "imag": property(elementwise.imag, doc="The imaginary part."),
}


def attach() -> None:
    """Give Array its operators and methods; array.py declares them for type checkers."""
    for short, name in (BINARY | {"divmod": "divmod"}).items():
        function = OWN.get(short, ufuncs.FUNCTIONS[name])
        setattr(Array, f"__{short}__", _binary(function, swapped=False))
        setattr(Array, f"__r{short}__", _binary(function, swapped=True))
        if short != "divmod":
            setattr(Array, f"__i{short}__", _in_place(function, name))
    for short, name in COMPARISON.items():
        function = OWN.get(short, ufuncs.FUNCTIONS[name])
        setattr(Array, f"__{short}__", _binary(function, swapped=False))
    for short, name in UNARY.items():
        setattr(Array, f"__{short}__", _method(ufuncs.FUNCTIONS[name]))
    for module, names in NAMED.items():
        for name in names.split():
            setattr(Array, name, _method(getattr(module, name)))
    for name, member in OTHERS.items():
        setattr(Array, name, member)
    ufunc_reduce.register()

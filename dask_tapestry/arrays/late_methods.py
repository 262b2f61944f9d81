"""Methods of Array that are functions of a chapter, imported when one of them is looked up.

With the chapters of all of them the first name of the library takes .70 instead of .53 s of a
processor, and a first compute .70 instead of .56 (medians of 15 fresh processes, busy machine).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.docstrings import written_out
from dask_tapestry.imports import lazy_import

Method = Callable[..., Any]

SAME_NAME = {  # functions that are methods as they are, by chapter
    "core": "rechunk rename to_dask_array",
    "storage": "store to_zarr",
    "elementwise": "round",
    "shape": "ravel squeeze swapaxes",
    "planning": "plan",
    "compatibility": "shuffle",
    "indexing": "choose put take",
    "masks": "nonzero",
    "linalg": "dot trace",
    "manipulation": "diagonal repeat",
    "sorting": "argpartition argsort argtopk searchsorted topk",
    "statistics": "all any argmax argmin cumprod cumsum max mean min moment prod std sum var",
}
ELSEWHERE = {  # methods by the functions that they are, in modules that are imported by then
    "__array_namespace__": "array_api.inspection.array_namespace",
    "__deepcopy__": "compatibility.dask_attributes.deep_copy",
    "__dlpack__": "array_api.dlpack.dlpack",
    "__dlpack_device__": "array_api.dlpack.dlpack_device",
    "compress": "masks.boolean_mask.compress_method",
    "compute_chunk_sizes": "compatibility.dask_attributes.compute_chunk_sizes",
    "__getitem__": "indexing.getitem.getitem",
    "__setitem__": "indexing.setitem.setitem",
    "fill": "indexing.written_cells.fill",
    "flatten": "shape.ravel",
    "reshape": "shape.reshaping.reshape_method",
    "partition": "sorting.partition.partition_in_place",
    "sort": "sorting.sort.sort_in_place",
    "to_dask_dataframe": "core.dask_arrays.to_dask_dataframe",
    "to_backend": "compatibility.dask_attributes.to_backend",
    "to_device": "array_api.dlpack.to_device",
    "to_svg": "compatibility.dask_attributes.to_svg",
}


class _LateMethod:
    """A method before it is first looked up: then the function that it is, by name, is imported."""

    __slots__ = ("home", "name")

    def __init__(self, name: str, home: str) -> None:
        self.name, self.home = name, home

    def __get__(self, instance: Array | None, owner: type | None = None) -> Method:
        module, _, function = self.home.rpartition(".")
        found = getattr(lazy_import(f"dask_tapestry.arrays.{module}"), function)
        hints = lazy_import("dask_tapestry.arrays.compatibility.ignored_hints")
        method = copy_of(hints.with_hints(self.name, found))
        bound: Method = attached(self.name, method).__get__(instance, owner)
        return bound


def attach_late() -> None:
    """Give Array the methods."""
    same_name = {n: f"{chapter}.{n}" for chapter, names in SAME_NAME.items() for n in names.split()}
    for name, home in (same_name | ELSEWHERE).items():
        setattr(Array, name, _LateMethod(name, home))


def copy_of(function: Method) -> Method:
    """A copy of `function`, whose first argument is the array, for a name of its own."""

    @wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return method


def attached(name: str, method: Method) -> Method:
    """Give Array a method, which has the name from now on."""
    method.__name__, method.__qualname__ = name, f"Array.{name}"
    method.__doc__ = written_out(method.__doc__ or "")
    setattr(Array, name, method)
    return method

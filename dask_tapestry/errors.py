"""The errors a user can meet: each is a `TapestryError` and the builtin that NumPy users expect.

Examples
--------
>>> import dask_tapestry as dt
>>> try:
...     dt.ones(2) + dt.ones(3)
... except dt.errors.TapestryError as error:
...     print(type(error).__name__)
ShapeError
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

__all__ = [
    "ArgumentError",
    "AxisError",
    "ComputeError",
    "ConstraintError",
    "DTypeError",
    "IndexingError",
    "LinAlgError",
    "MemoryLimitError",
    "PlanError",
    "ShapeError",
    "SignatureError",
    "StoreError",
    "StoreNotFoundError",
    "TapestryError",
    "ValueRangeError",
]


class TapestryError(Exception):
    """Base of every error raised by dask_tapestry.

    Examples
    --------
    >>> issubclass(ShapeError, TapestryError) and issubclass(ShapeError, ValueError)
    True
    """


class ShapeError(TapestryError, ValueError):
    """Shapes do not fit together, or a shape is not one.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2) + dt.ones(3)
    ... except dt.ShapeError as error:
    ...     print(error)
    operands of add could not be broadcast together with shapes (2,) (3,)
    """


class AxisError(ShapeError, np.exceptions.AxisError):
    """An axis is not among the dimensions of an array.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2).sum(axis=1)
    ... except dt.AxisError as error:
    ...     print(error)
    axis 1 is out of bounds for array of dimension 1
    """

    __str__ = Exception.__str__  # NumPy's needs attributes that are lost on the way from a worker


class LinAlgError(ShapeError, np.linalg.LinAlgError):
    """Matrices are not of the shape that linear algebra needs, or have no such result.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.linalg.matrix_power(dt.ones(3), 2)
    ... except dt.LinAlgError as error:
    ...     print(error)
    1-dimensional array given. Array must be at least two-dimensional
    """


class DTypeError(TapestryError, TypeError):
    """A dtype is unknown, or an operator has no loop for the dtypes it was given.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2, "no such type")
    ... except dt.DTypeError as error:
    ...     print(error)
    unknown dtype 'no such type': data type 'no such type' not understood
    """


class ArgumentError(TapestryError, ValueError):
    """An argument has a value that means nothing where it stands.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.take(dt.ones(2), [0], mode="any")
    ... except dt.ArgumentError as error:
    ...     print(error)
    clipmode must be one of 'clip', 'raise', or 'wrap' (got 'any')
    """


class ValueRangeError(TapestryError, OverflowError):
    """A Python integer does not fit into the dtype it must take.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2, "uint8") + 300
    ... except dt.ValueRangeError as error:
    ...     print(error)
    Python integer 300 out of bounds for uint8
    """


class IndexingError(TapestryError, IndexError):
    """An index is out of bounds or of a kind that cannot index.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2)[5]
    ... except dt.IndexingError as error:
    ...     print(error)
    index 5 is out of bounds for axis 0 with size 2 of float64[2]
    """


class SignatureError(TapestryError, ValueError):
    """A block operator's signature does not match the shapes of its tensors.

    Examples
    --------
    >>> from dask_tapestry.teg import IndexDim, Signature
    >>> from dask_tapestry.zspace import IndexProjection, ZRange
    >>> diagonal = IndexProjection(((1, 1),), (0,), (1,))
    >>> signature = Signature((IndexDim("i", 2), IndexDim("j", 2)), (), (diagonal,))
    >>> try:
    ...     signature.demand(ZRange((0,), (1,)))
    ... except SignatureError as error:
    ...     print(error)
    axis 0 of output 0 follows 2 dimensions
    """


class ConstraintError(TapestryError, ValueError):
    """A graph breaks a named constraint of the graph language.

    Examples
    --------
    >>> issubclass(ConstraintError, ValueError)
    True
    """


class PlanError(TapestryError, RuntimeError):
    """No legal plan exists, or a plan fails its verification.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.placeholder((2,), "float32").compute()
    ... except dt.PlanError as error:
    ...     print(str(error).splitlines()[0])
    a placeholder float32[2] has no cells to compute with: it can be planned only
    """


class MemoryLimitError(PlanError, MemoryError):
    """One block of an operator cannot be made small enough for the memory limit.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> machine = dt.Resources(memory="1 MB", threads=1)
    >>> try:
    ...     dt.ones((1000, 1000)).plan(resources=machine).verify()
    ... except dt.MemoryLimitError as error:
    ...     print(str(error).split(":")[0])
    peak_memory_is_bounded
    """


class StoreError(TapestryError, OSError, ValueError):
    """A store is missing, corrupt, incomplete, or does not fit what is read or written.

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> store = zarr.storage.MemoryStore()
    >>> dt.to_zarr(dt.ones(2), store)
    >>> try:
    ...     dt.to_zarr(dt.ones(3), store)
    ... except dt.StoreError as error:
    ...     print(str(error).split(":")[-1].strip())
    give overwrite=True to replace it
    """


class ComputeError(TapestryError):
    """A block could not be computed.

    What is raised is of this type and of the type of the error that stopped the block, so that
    ``except ValueError`` works as for NumPy. Its text names operator, box and the user's line.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     (dt.arange(2) ** dt.asarray([-1, -1])).compute()
    ... except ValueError as error:
    ...     print(type(error).__name__, str(error).splitlines()[0])
    ComputeError Integers to negative integer powers are not allowed.
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class StoreNotFoundError(StoreError, FileNotFoundError):
    """There is no array where a store was expected.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.from_zarr("nowhere.zarr")
    ... except dt.StoreNotFoundError as error:
    ...     print(error)
    there is no Zarr array at nowhere.zarr
    """


def compute_error(error: Exception, where: str) -> Exception:
    """Return `error` as a `ComputeError` of its own type too, its text ending in `where`.

    Examples
    --------
    >>> raised = compute_error(ValueError("no"), "while computing add")
    >>> isinstance(raised, ValueError), isinstance(raised, ComputeError)
    (True, True)
    >>> print(raised)
    no
    while computing add
    """
    said = error.args[0] if len(error.args) == 1 else error
    return _compute_error(type(error), f"{said}\n{where}")


def _compute_error(kind: type[Exception], text: str) -> Exception:
    return _compute_error_type(kind)(text)  # type: ignore[arg-type]  # a type is hashable


@lru_cache(maxsize=128)
def _compute_error_type(kind: type[Exception]) -> type[Exception]:
    """`ComputeError` and `kind` in one; `ComputeError` alone where `kind` is made otherwise."""
    if issubclass(kind, TapestryError):
        return kind
    if issubclass(kind, StopIteration | StopAsyncIteration):
        return ComputeError  # in a coroutine those mean something else
    try:
        made = type("ComputeError", (ComputeError, kind), {"__reduce__": _reduce, "kind": kind})
        made("text")
    except TypeError:
        return ComputeError
    return made


def _reduce(self: Any) -> tuple[Any, ...]:
    return _compute_error, (self.kind, str(self))

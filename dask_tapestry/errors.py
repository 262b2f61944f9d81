"""The errors that users can meet: each is a `TapestryError` and the builtin that NumPy raises.

Most are raised while an expression is built, at the user's own line. `ConstraintError`, `PlanError`
and `MemoryLimitError` come when it is planned, `ComputeError` from a task, `StoreError` from all
three.

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

import numpy as np

from dask_tapestry.basic_errors import ArgumentError, ArgumentTypeError, TapestryError
from dask_tapestry.device_errors import DeviceError, DeviceMemoryError

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "AxisError",
    "ComputeError",
    "ConstraintError",
    "DTypeError",
    "DeviceError",
    "DeviceMemoryError",
    "IndexingError",
    "LinAlgError",
    "MemoryLimitError",
    "PlanError",
    "ShapeError",
    "SignatureError",
    "StoreError",
    "StoreNotFoundError",
    "TapestryError",
    "TraceError",
    "UnsupportedError",
    "ValueRangeError",
]


class ShapeError(TapestryError, ValueError):
    """Shapes do not fit together, or an argument is not a shape.

    Raised when an expression is built: by operands that do not broadcast, chunks or names of
    dimensions that do not fit a shape, nested lists of unequal lengths. The text has the shapes;
    give operands, chunks or names that fit.

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

    Raised when an expression is built, by functions that take ``axis``. The axes of an array are
    ``-ndim`` to ``ndim - 1``; none may be named twice.

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
    """Matrices do not have the shape that linear algebra needs, or have no such result.

    Raised when an expression is built, if arrays have too few dimensions or matrices are not
    square.

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
    """A dtype is unknown, or a function does not take the dtypes it was given.

    Raised when an expression is built: for names that are no dtype, for Python objects, which have
    no fixed dtype, and where NumPy has no loop. Convert with ``astype`` first.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.ones(2, "no such type")
    ... except dt.DTypeError as error:
    ...     print(error)
    unknown dtype 'no such type': data type 'no such type' not understood
    """


class UnsupportedError(TapestryError, NotImplementedError):
    """What NumPy, Dask or SciPy would do with this argument is not done here.

    Raised when an expression is built. The text says what to do instead.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.stats.ttest_1samp(dt.ones(6), 0, nan_policy="omit")
    ... except dt.UnsupportedError as error:
    ...     print(str(error).split(";")[0])
    nan_policy='omit': NaN propagates here
    """


class ValueRangeError(TapestryError, OverflowError):
    """A Python integer does not fit into the dtype it must take.

    Raised when an expression is built, as by NumPy 2: a Python integer takes the dtype of the array
    it meets. Convert the array, or the integer, to a larger dtype.

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

    Raised when an expression is built, or, where the index is itself an array that is not computed
    yet, when that is computed. The text has the bounds.

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
    """The signature of a user's own operator is wrong, or does not match its tensors.

    Raised by `block_operator`, `apply_gufunc` and `gufunc`, when the operator is declared or
    applied. Index dimensions, projections and core dimensions must agree with the shapes of the
    inputs.

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
    """A graph breaks a rule of the graph language; the text has the name of each rule.

    Raised before the first task runs, where two writes may meet in a stored chunk: give ``after=``
    to one of them, so that it follows the other.

    Examples
    --------
    >>> issubclass(ConstraintError, ValueError)
    True
    """


class TraceError(TapestryError, TypeError):
    """A function cannot be traced with symbols in the place of values.

    Raised by `patterns.zipmapreduce` when it calls its function, if that asks for the value of a
    cell, as ``if`` and ``float`` do, or computes with whole arrays. Write `where` or
    `patterns.select` in the place of ``if``.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.patterns.zipmapreduce(lambda attrs, x: -x if x < 0 else x, [dt.ones(2)])
    ... except dt.TraceError as error:
    ...     print(str(error).split(", not with")[0])
    <lambda> cannot be traced: a cell has no value yet: choose with where or select
    """


class PlanError(TapestryError, RuntimeError):
    """There is not a plan that can be run, or a plan fails its verification.

    Raised when a value is planned or computed: if it is made of placeholders, which have no cells;
    if its shape has to be counted and nothing can count; if its steps are placed on workers that
    are not there; if it takes more tasks than ``max_tasks``. The text says what to change.

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
    """No plan fits the memory of the workers.

    Raised by `plan`, and before the first task runs. The text names the step, its bytes and the
    memory that would do. Give workers more of it, run fewer threads on each, or set a higher
    ``memory_limit``.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> machine = dt.Resources(memory="1 MB", threads=1, local=True)
    >>> try:
    ...     p = dt.ones((1000, 1000)).plan(resources=machine)
    ... except dt.MemoryLimitError as error:
    ...     print(str(error).split(":")[0])
    peak_memory_is_bounded
    """


class StoreError(TapestryError, OSError, ValueError):
    """A store cannot be read or written, or does not fit what is written to it.

    Raised when a store is opened, if it is corrupt or a write to it failed (write that region
    again), or if something is there already (give ``overwrite=True``); before the first task, if
    this process alone can write to it (use the threaded scheduler, or Zarr on disk); and by tasks
    that read or write, if the store fails. The text names the store.

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

    Raised by `compute` when a task fails: in a user's function, or where NumPy would raise too.
    What is raised is of this type and of the type of the error that stopped the block, so ``except
    ValueError`` works as for NumPy. Its text names the operator, the block, and the line of the
    user's program that built it.

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
    """There is not an array at a path, URL or component.

    Raised when it is opened. Check the path, and for a group the name of the array within.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.from_zarr("nowhere.zarr")
    ... except dt.StoreNotFoundError as error:
    ...     print(error)
    there is no Zarr array at nowhere.zarr
    """

"""Parts of arrays that threads read and write."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.write_arguments import Writable
from dask_tapestry.arrays.patterns.thread_trace import (
    Concurrently,
    InsertSlice,
    current,
    outer_trace,
)
from dask_tapestry.arrays.storage.zarr_arrays import from_zarr
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    ShapeError,
    TraceError,
)
from dask_tapestry.io.sources.coerce import is_zarr_array
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.threads.affine_cells import known_integer
from dask_tapestry.operators.threads.thread_inserts import ThreadInsert
from dask_tapestry.operators.threads.thread_slice import part_of, thread_slice
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor, TensorType

__all__ = [
    "extract_slice",
    "parallel_insert_slice",
    "perform_concurrently",
    "subview",
]

Offset = int | Array
Strides = int | Sequence[int]


def extract_slice(
    x: ArrayLike, offsets: Sequence[Offset], sizes: Sequence[Offset], strides: Strides = 1
) -> Array:
    """Take a part of an array, in the body of `foreach_thread`.

    Source: MLIR's RFC of `foreach_thread`, "tensor.extract_slice".

    {Parameters} {x, offsets, sizes, strides.cells}
    {Returns} Array: Of the shape `sizes`.
    {Raises}
        ShapeError: If the part does not fit the array.
        TraceError: If a size is computed of something else than threads' numbers.
    {See Also} foreach_thread, subview
    {Examples}
    >>> dt.extract_slice(dt.arange(10), [2], [3], 2).compute()
    array([2, 4, 6])
    """
    node = asarray(x).node
    starts, part, steps = _where("extract_slice", node.type, offsets, sizes, strides)
    known = [known_integer(one) for one in starts]
    first = [one for one in known if one is not None]
    if len(first) == len(starts):
        _check_inside("extract_slice", node.type, first, part, steps)
        spans = zip(first, part, steps, strict=True)
        return Array(basic_slice(node, tuple(slice(a, a + n * k, k) for a, n, k in spans)))
    _check_sizes("extract_slice", node.type, part, steps)
    around = part_of(node)
    if around is not None:
        own = zip(around.starts, starts, around.strides, strict=True)
        starts = tuple(
            elementwise("add", base, elementwise("multiply", start, k)) for base, start, k in own
        )
        steps = tuple(a * b for a, b in zip(steps, around.strides, strict=True))
        node = around.whole
    return Array(thread_slice(node, starts, part, steps))


def parallel_insert_slice(
    value: ArrayLike,
    into: ArrayLike,
    offsets: Sequence[Offset],
    sizes: Sequence[Offset] | None = None,
    strides: Strides = 1,
) -> InsertSlice:
    """Say what a thread puts into an array; for `perform_concurrently`.

    Source: MLIR's RFC of `foreach_thread`, "parallel_insert_slice".

    {Parameters}
        value: The thread's part, cast to the dtype of `into`.
        into: The array; it is left as it is.
        {offsets}
        sizes: The shape of the part; by default that of `value`.
        {strides.cells}
    {Returns} InsertSlice: For `perform_concurrently`.
    {Raises} ShapeError: If `value` does not have the shape `sizes`, or the part does not fit the
        array.
    {See Also} foreach_thread, perform_concurrently
    {Examples}
    >>> def body(i):
    ...     part = dt.parallel_insert_slice(i.reshape(1), dt.zeros(8, int), [i], [1], 2)
    ...     return dt.perform_concurrently(part)
    >>> dt.patterns.foreach_thread(body, 3).compute()
    array([0, 1, 2, 0, 0, 0, 0, 0])
    """
    whole, node = asarray(into).node, asarray(value).node
    if sizes is None:
        sizes = node.type.shape
    starts, part, steps = _where("parallel_insert_slice", whole.type, offsets, sizes, strides)
    if node.type.shape != part:
        raise ShapeError(f"parallel_insert_slice: {node.type} is no part of shape {part}")
    _check_sizes("parallel_insert_slice", whole.type, part, steps)
    _check_dtype("parallel_insert_slice", node.type, whole.type)
    return InsertSlice(astype(node, whole.type.dtype), whole, starts, steps)


def perform_concurrently(*inserts: InsertSlice) -> Concurrently:
    """Say what threads make; the body of `foreach_thread` returns it.

    Source: MLIR's RFC of `foreach_thread`, "perform_concurrently".

    {Parameters} *inserts: What `parallel_insert_slice` returns; each makes an array.
    {Returns} Concurrently: For the body to return.
    {Raises} TypeError: If an argument is something else.
    {See Also} foreach_thread, parallel_insert_slice
    {Examples}
    >>> def body(i):
    ...     square = (i * i).reshape(1)
    ...     return dt.perform_concurrently(
    ...         dt.parallel_insert_slice(square, dt.zeros(4, int), [i]),
    ...         dt.parallel_insert_slice(-square, dt.zeros(4, int), [3 - i]),
    ...     )
    >>> up, down = dt.patterns.foreach_thread(body, 4)
    >>> up.compute(), down.compute()
    (array([0, 1, 4, 9]), array([-9, -4, -1,  0]))
    """
    for one in inserts:
        _check_insert(one)
    return Concurrently(inserts)


@final
class Subview:
    """A part of an array that exists, for a thread to read and to write; `subview` makes one.

    {Parameters}
        target: A NumPy or Zarr array.
        offsets, sizes, strides: The part, as `extract_slice` takes it.
    {Attributes} shape: Of the part.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.subview(np.arange(6), [1], [3])[...].compute()
    array([1, 2, 3])
    """

    def __init__(
        self, target: Writable, offsets: Sequence[Offset], sizes: Sequence[Offset], strides: Strides
    ) -> None:
        if not isinstance(target, np.ndarray) and not is_zarr_array(target):
            name = type(target).__name__
            raise ArgumentTypeError(f"subview takes a NumPy or Zarr array to write to, not {name}")
        self._target, self._offsets, self._strides = target, tuple(offsets), strides
        self.shape = tuple(_size("subview", n) for n in listed(sizes, "sizes"))

    def __getitem__(self, key: EllipsisType | slice) -> Array:
        _check_key(key)
        target: Any = self._target
        whole = asarray(target) if isinstance(target, np.ndarray) else from_zarr(target)
        trace = outer_trace()
        if trace is not None:
            trace.reads.add(whole.node)
        return extract_slice(whole, self._offsets, self.shape, self._strides)

    def __setitem__(self, key: EllipsisType | slice, value: ArrayLike) -> None:
        _check_key(key)
        trace, target = current("writing to a subview"), self._target
        type_ = TensorType(tuple(target.shape), np.dtype(target.dtype))
        starts, part, steps = _where("subview", type_, self._offsets, self.shape, self._strides)
        _check_sizes("subview", type_, part, steps)
        node = broadcast(asarray(value).node, part)
        _check_dtype("subview", node.type, type_)
        cells = astype(node, type_.dtype)
        insert = ThreadInsert(trace.threads, cells, starts, steps, type_, False, False)
        trace.writes.append((target, insert))


def subview(
    target: Writable, offsets: Sequence[Offset], sizes: Sequence[Offset], strides: Strides = 1
) -> Subview:
    """Take a part of an array that exists, to read it or to write to it in `foreach_thread`.

    ``subview(...)[...]`` reads the part, ``subview(...)[...] = value`` writes it when the result of
    `foreach_thread` is computed.

    Source: MLIR's RFC of `foreach_thread`, "memref.subview".

    {Parameters}
        target: A NumPy or Zarr array.
        {offsets, sizes, strides.cells}
    {Returns} Subview: The part.
    {Raises} TypeError: If the target is of another kind.
    {See Also} foreach_thread, extract_slice

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> target = np.zeros((2, 6))
    >>> def body(i):
    ...     dt.subview(target, [i, 3 * i], [1, 3])[...] = i + 1
    >>> dt.patterns.foreach_thread(body, 2).compute()
    >>> target
    array([[1., 1., 1., 0., 0., 0.],
           [0., 0., 0., 2., 2., 2.]])
    """
    return Subview(target, offsets, sizes, strides)


def _check_insert(one: object) -> None:
    if not isinstance(one, InsertSlice):
        name = type(one).__name__
        raise ArgumentTypeError(
            f"perform_concurrently takes what parallel_insert_slice makes, not {name}"
        )


def _check_key(key: Any) -> None:
    if key is not Ellipsis and key != slice(None):
        raise ArgumentError("a subview is read and written whole: write [...]")


def _check_dtype(function: str, given: TensorType, into: TensorType) -> None:
    if not np.can_cast(given.dtype, into.dtype, "same_kind"):
        raise DTypeError(
            f"{function}: {dtype_name(given.dtype)} does not go into {dtype_name(into.dtype)}: use "
            "astype"
        )


def _where(
    function: str,
    x: TensorType,
    offsets: Sequence[Offset],
    sizes: Sequence[Offset],
    strides: Strides,
) -> tuple[tuple[Tensor, ...], tuple[int, ...], tuple[int, ...]]:
    """The arguments that say where a part lies, checked."""
    part = tuple(_size(function, n) for n in listed(sizes, "sizes"))
    try:
        each = strides if isinstance(strides, Sequence) else (strides,) * x.ndim
        steps = tuple(integer(k) for k in each)
    except TypeError as error:
        raise TraceError(f"{function}: strides are the same for all threads") from error
    starts = tuple(_start(function, one) for one in listed(offsets, "offsets"))
    if not len(starts) == len(part) == len(steps) == x.ndim:
        raise ShapeError(
            f"{function}: {x} has {x.ndim} axes; there are {len(starts)} offsets, {len(part)} "
            f"sizes and {len(steps)} strides"
        )
    if any(n < 0 for n in part) or any(k < 1 for k in steps):
        raise ShapeError(f"{function}: sizes {part} are at least 0, strides {steps} at least 1")
    return starts, part, steps


def _size(function: str, size: Offset) -> int:
    """A size, which all threads that are traced together have."""
    if not isinstance(size, Array):
        return integer(size)
    if size.ndim or size.dtype.kind not in "iu":
        raise DTypeError(f"{function}: a size is one integer, not {size.node.type}")
    return int(size)


def _start(function: str, offset: Offset) -> Tensor:
    if isinstance(offset, Array):
        if offset.ndim or offset.dtype.kind not in "iu":
            raise DTypeError(f"{function}: an offset is one integer, not {offset.node.type}")
        return offset.node
    return full((), np.int64(integer(offset)))


def _check_inside(
    function: str, x: TensorType, first: Sequence[int], part: Sequence[int], steps: Sequence[int]
) -> None:
    for a, n, k, extent in zip(first, part, steps, x.shape, strict=True):
        if a < 0 or (n and a + k * (n - 1) >= extent):
            raise ShapeError(f"{function}: {n} cells from {a}, step {k}, are no part of {x}")


def _check_sizes(function: str, x: TensorType, part: Sequence[int], steps: Sequence[int]) -> None:
    """Refuse parts that are larger than the tensor, unless there is no thread to take one."""
    trace = outer_trace()
    if trace is None or 0 not in trace.threads.extents:
        _check_inside(function, x, (0,) * x.ndim, part, steps)

"""To and from Dask: its arrays, and its delayed values."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_blocks import blocks_of
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.masked import LOSES_MASK, Masked
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.core.unknown_lengths import counted_blocks, lengths_are_known
from dask_tapestry.compute_errors import compute_error
from dask_tapestry.errors import ArgumentTypeError, DTypeError
from dask_tapestry.io.sources.declared_type import checked_block
from dask_tapestry.teg import Node
from dask_tapestry_kernels.block_format import is_foreign, with_all_cells

if TYPE_CHECKING:
    from dask.array import Array as DaskArray

__all__ = [
    "from_dask_array",
    "from_delayed",
    "to_dask_array",
]


class HasDType(Protocol):
    """An array that tells the dtype of others."""

    @property
    def dtype(self) -> np.dtype[Any]: ...


def from_dask_array(d: DaskArray | Array) -> Array:
    """Return a Dask array as an array of this library, lazily; its blocks are used as they are.

    If chunk sizes are unknown, blocks are computed, and kept, when the shape is first asked for.

    {Parameters} d: A `dask.array.Array`.
    {Returns} Array: Of the same shape, dtype and chunks.
    {Raises}
        ShapeError: If blocks side by side do not fit, once unknown sizes are counted.
        {DTypeError.fields}
    {See Also} to_dask_array, from_delayed

    Examples
    --------
    >>> import dask.array as da, dask_tapestry as dt
    >>> dt.from_dask_array(da.ones(4, chunks=2)).numblocks
    (2,)
    """
    if isinstance(d, Array):
        return d
    given: object = d
    if is_delayed(given):
        raise DTypeError(
            "a Delayed value has neither shape nor dtype: dt.from_delayed(value, shape, dtype)"
        )
    if isinstance(given, Masked):
        raise DTypeError(
            f"a masked array was given where an array without a mask is needed: {LOSES_MASK}"
        )
    known = not hasattr(d, "chunks") or lengths_are_known(d.chunks)
    return Array(blocks_of(d) if known else counted_blocks(d))


def to_dask_array(x: Array) -> DaskArray:
    """Return the array as a dask.array, lazily, in its nominal chunks.

    `dask.array.asarray` does the same; `dask.array.from_array`, which is for arrays in memory and
    warns of a collection, does not compute what it slices.

    {Parameters} {x}
    {Returns} dask.array.Array: Of the same shape, dtype and chunks.
    {See Also} from_dask_array
    {Examples}
    >>> dt.ones(4).to_dask_array().sum().compute()
    np.float64(4.0)
    """
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"an Array is needed, not {type(x).__name__}")
    from dask.array import Array as DaskArray  # noqa: PLC0415  (a quarter of a second)

    return DaskArray(x.dask, x.name, x.chunks, dtype=x.dtype, meta=empty_like_blocks(x.node))


def empty_like_blocks(node: Node) -> Any:
    """An empty array of the class, dtype and rank of a value's blocks: what Dask calls its meta.

    {Examples}
    >>> empty_like_blocks(dt.ones((4, 2)).node).shape
    (0, 0)
    """
    empty = np.empty((0,) * node.type.ndim, node.type.dtype)
    return empty if node.format is None else node.format.holding(empty)


def is_dataframe(data: object) -> bool:
    """Whether an object is a dataframe, or a column of one, of Dask's.

    Examples
    --------
    >>> is_dataframe([1, 2])
    False
    """
    if isinstance(data, Array):
        return False
    return hasattr(data, "to_dask_array") and hasattr(data, "map_partitions")


def to_dask_dataframe(
    x: Array,
    columns: str | Sequence[str] | None = None,
    index: Any = None,
    meta: Any = None,
) -> Any:
    """Return the array as a dataframe of Dask's, lazily: a partition for each nominal chunk.

    {Parameters}
        columns: Names of the columns; for a series its name.
        index: A Dask index of as many partitions; by default rows are numbered.
        meta: An empty dataframe that says of which library the partitions are.
    {Returns} dask.dataframe.DataFrame or dask.dataframe.Series: Of an array of two dimensions, or
        of one.
    {Raises} ModuleNotFoundError: If pandas or pyarrow is not installed.
    {See Also} to_dask_array, dask.array.Array.to_dask_dataframe
    {Examples}
    >>> frame = dt.ones((4, 2)).to_dask_dataframe(columns=["a", "b"])  # doctest: +SKIP
    """
    rows = with_chunks(x, (x.chunks[0], -1)) if x.ndim == 2 else x
    return to_dask_array(rows).to_dask_dataframe(columns, index, meta)


def is_delayed(value: object) -> bool:
    """Whether it is a Delayed value of Dask's, which is not imported to see that."""
    delayed = sys.modules.get("dask.delayed")
    return delayed is not None and isinstance(value, delayed.Delayed)


def delayed_cell(value: object) -> object:
    """A Delayed value as a Delayed array of one cell, which holds what it yields."""
    from dask.delayed import delayed  # noqa: PLC0415  (it imports a good part of Dask)

    return delayed(_cell)(value)


def _cell(value: object) -> np.ndarray[Any, Any]:
    held = np.empty(1, object)
    held[0] = value
    return held


def from_delayed(
    value: object,
    shape: Sequence[int],
    dtype: DTypeLike | None = None,
    meta: HasDType | None = None,
    name: str | bool | None = None,
) -> Array:
    """Return an array of a Dask Delayed value: one block, computed when it is needed.

    Join several with `concatenate` or `stack`.

    {Parameters}
        value: Delayed, or anything `dask.delayed` takes.
        shape, dtype: Of what it yields; if it yields something else, computing it raises
            `ComputeError`. Lengths may be NaN, which are unknown: the value is computed, and kept,
            when the shape is first asked for.
        meta: An array whose dtype is taken where `dtype` is not given.
        name: What keys of its block begin with; by default a name of Dask's.
    {Returns} Array: Of `shape` and `dtype`, in one chunk.
    {Raises} DTypeError: If neither dtype nor meta is given.
    {See Also} from_dask_array, dask.array.from_delayed

    Examples
    --------
    >>> import dask, numpy as np, dask_tapestry as dt
    >>> x = dt.from_delayed(dask.delayed(np.ones)(4), (4,), "float64")
    >>> float(x.sum())
    4.0
    """
    from dask.array import from_delayed as dask_from_delayed  # noqa: PLC0415
    from dask.delayed import delayed  # noqa: PLC0415  (it imports a good part of Dask)

    if dtype is None:
        if meta is None:
            raise DTypeError("from_delayed needs the dtype of what will be computed")
        dtype = meta.dtype
    declared = as_dtype(dtype)
    exact = tuple(n if isnan(n) else int(n) for n in shape)
    checked = delayed(_checked)(value, exact, declared)
    like = meta if is_foreign(meta) else None
    return named(from_dask_array(dask_from_delayed(checked, exact, declared, like)), name)


def _checked(value: object, declared: tuple[float, ...], dtype: np.dtype[Any]) -> Any:
    """What a delayed value has yielded, if it is what was declared; NaN stands for any length."""
    try:
        shape = _where_unknown(declared, value)
        cells = checked_block(with_all_cells(value), shape, dtype, value)
        return value if is_foreign(value) else cells
    except (TypeError, ValueError) as error:
        raise compute_error(
            error, "while computing a delayed value given to from_delayed"
        ) from None


def _where_unknown(declared: tuple[float, ...], value: Any) -> tuple[float, ...]:
    """Declared lengths, of which those that are NaN are as long as the value."""
    found: tuple[int, ...] = np.shape(value)
    if len(found) != len(declared):
        return declared
    return tuple(mine if isnan(n) else n for n, mine in zip(declared, found, strict=True))

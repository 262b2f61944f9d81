"""`asarray` and `from_array` convert to our arrays: NumPy's, array-likes, files, placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading, refuse_unknown
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.block_format_like import held_as, held_like
from dask_tapestry.arrays.core.casts import cast
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.dask_arrays import from_dask_array, is_dataframe
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.guarded_reads import Getter, guarded
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.masked import from_numpy
from dask_tapestry.arrays.core.memory_arguments import check_order, moved_to, new_on
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.core.shape_arguments import Shape, lengths_of, shape_of
from dask_tapestry.arrays.core.user_names import names_of, worker_names
from dask_tapestry.arrays.core.write_arguments import Lock
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from dask_tapestry.io.sources.coerce import as_tensor, is_array_like, unwrap_xarray
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.io.sources.placeholder import placeholder as placeholder_tensor
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.layouts.placement import place
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.rename import rename as rename_tensor
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor, TensorType
from dask_tapestry.teg.types import Dims

__all__ = [
    "asarray",
    "from_array",
    "placeholder",
    "rename",
    "result_type",
]


class Readable(Protocol):
    """An object that is indexed with slices when its cells are needed."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...


HINTS: Final = frozenset(
    "name lock asarray fancy meta inline_array getitem allow_unknown_chunksizes".split()
)


@implements(np.asarray)
def asarray(
    a: ArrayLike | Sequence[ArrayLike],
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    like: object = None,
    chunks: Chunks = None,
    dims: Sequence[str | None] | None = None,
    **hints: object,
) -> Array:
    """Return an array of NumPy data, a list, a scalar, or an array of another library.

    What is in memory is neither copied nor hashed: change it before computing at your own risk.
    What is in files or stores, or read by an object, is read when it is computed. Of a dataframe of
    Dask's the rows of each partition are counted now.

    {Parameters}
        a: The data; lists may hold arrays of this library.
        {dtype.converted}
        order: As NumPy's; values have no order in memory.
        {device, copy.now}
        like: As NumPy's: blocks are held in arrays as this one's are.
        chunks: Nominal chunks; by default those that it has itself, else a canonical grid.
        dims: Names of the dimensions; by default those it has.
        **hints: Dask's ``meta``, as of `from_array`; ``name``, ``inline_array``,
            ``allow_unknown_chunksizes`` and others of it, without effect.
    {Returns} Array: Of the shape of `a`, and of `dtype` or its own.
    {Raises}
        ArgumentError: For an unknown order or device, or a copy that is refused.
        DTypeError: For masked arrays, and what is not an array.
        ShapeError: For nested sequences of unequal lengths.
        ValueRangeError: For Python integers that `dtype` cannot hold.
    {See Also} from_array, numpy.asarray
    {Examples}
    >>> dt.asarray([1, 2, 3]).compute()
    array([1, 2, 3])
    """
    told = dtype is not None or order is not None or device is not None or copy is not None
    if type(a) is Array and not (told or like is not None or chunks is not None or dims or hints):
        return a
    refuse_unknown("asarray", hints, HINTS)
    check_order(order)
    if copy:
        a = _copied(a)
    in_memory = not isinstance(a, list | tuple | int | float | complex)
    if dtype is not None and is_pythons(a):
        a, dtype = _cells_of(a, as_dtype(dtype)), None
    x = _array_of(a, names_of(dims))
    target = x.dtype if dtype is None else as_dtype(dtype)
    if copy is False and not (in_memory and target == x.dtype):
        raise ArgumentError("Unable to avoid copy while creating an array as requested.")
    if copy is False and isinstance(a, Array) and chunks is None and dims is None:
        return a  # which later assignments change
    converted = x if dtype is None else Array(cast(x.node, target))
    converted = (moved_to if isinstance(a, Array) or x.bound.format else new_on)(converted, device)
    return with_chunks(held_as(held_like(converted, like), hints.get("meta")), chunks)


@implements(np.result_type)
def result_type(*arrays_and_dtypes: ArrayLike | DTypeLike) -> np.dtype[Any]:
    """Return the dtype that operands promote to, as `numpy.result_type`; nothing is computed.

    {Parameters} *arrays_and_dtypes: Arrays, dtypes and Python scalars, which do not widen what they
        are beside.
    {Returns} dtype: The dtype of a formula of all of them.
    {Raises} DTypeError: If there is none.
    {Examples}
    >>> dt.result_type(dt.ones(3, "float32"), 2.0, "int8")
    dtype('float32')
    """
    operands = [a.dtype if isinstance(a, Array) else a for a in arrays_and_dtypes]
    try:
        return np.result_type(*operands)
    except TypeError as error:
        raise DTypeError(str(error)) from None


def is_pythons(data: object) -> bool:
    """Whether data is Python's own, without a dtype: a value, or lists of values and no lazy array.

    NumPy makes other cells of such data in a dtype than it makes of the array that the data is
    without one: tuples are records, integers lose no digits, and floats are no dates.

    Examples
    --------
    >>> is_pythons((1, "a")), is_pythons(None), is_pythons(np.float32(1)), is_pythons(b"")
    (True, True, False, True)
    """
    if isinstance(data, list | tuple):
        return not _holds_arrays(data)
    return not is_array_like(data) and not hasattr(data, "dtype")


def _cells_of(data: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Python's own data as NumPy makes cells of it."""
    try:
        return np.asarray(data, dtype)
    except OverflowError as error:
        raise ValueRangeError(str(error)) from None
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise ArgumentError(f"not an array, as of lists of unequal lengths: {error}") from None
        raise ArgumentError(str(error)) from None
    except TypeError as error:
        raise DTypeError(str(error)) from None


def _copied(data: Any) -> Any:
    """What holds the same cells and shares neither memory nor later assignments with `data`."""
    if isinstance(data, np.ndarray):
        return np.array(data, copy=True, subok=True)
    return data.copy() if isinstance(data, Array) else data


def _array_of(data: Any, dims: Dims) -> Array:
    """An array of whatever holds one."""
    if (found := unwrap_xarray(data)) is not None:
        data, names = found
        dims = names if dims is None else dims
    if is_dataframe(data):
        data = data.to_dask_array(lengths=True)
    if isinstance(data, Array) or (
        hasattr(data, "__dask_graph__") and getattr(data, "chunks", None) is not None
    ):
        x = from_dask_array(data)
        return x if dims is None else rename(x, *dims)
    if isinstance(data, list | tuple) and _holds_arrays(data):
        return Array(_stacked([_array_of(item, None).node for item in data], dims))
    return Array(_repeated(data, dims) if type(data) is np.ndarray else as_tensor(data, dims))


def _repeated(data: np.ndarray[Any, Any], dims: Dims) -> Tensor:
    """The tensor of a NumPy array, of one that `broadcast_to` made that of the cells it has.

    Else all that it repeats would be sent to workers, and lie there.
    """
    sides = zip(data.shape, data.strides, strict=True)
    once: tuple[Any, ...] = tuple([slice(1 if n > 1 and not step else n) for n, step in sides])
    cells: np.ndarray[Any, Any] = data[(*once, ...)]
    if cells.size == data.size:
        return as_tensor(data, dims)
    whole = broadcast(as_tensor(cells), data.shape)
    return whole if dims is None else rename_tensor(whole, dims)


def _holds_arrays(data: Sequence[Any]) -> bool:
    """Whether nested lists hold arrays that must not be computed now."""
    kinds = set(map(type, data))  # few, however long the list is
    if any(hasattr(kind, "__dask_graph__") for kind in kinds):
        return True
    if not any(issubclass(kind, list | tuple) for kind in kinds):
        return False
    return any(_holds_arrays(item) for item in data if isinstance(item, list | tuple))


def _stacked(parts: Sequence[Tensor], dims: Dims) -> Tensor:
    """Tensors of one shape, one behind the other along a new first dimension."""
    if len({part.type.shape for part in parts}) != 1:
        shapes = [part.type.shape for part in parts]
        raise ArgumentError(f"not an array: its items have the shapes {shapes}")
    whole = concat([unsqueeze(part, (0,)) for part in parts], 0)
    return whole if dims is None else rename_tensor(whole, dims)


@checked
def from_array(
    x: ArrayLike | Readable,
    chunks: Chunks = None,
    name: str | bool | None = None,
    lock: Lock = False,
    asarray: bool | None = None,
    fancy: bool = True,
    getitem: Getter | None = None,
    meta: object = None,
    inline_array: bool = False,
    *,
    dims: Sequence[str | None] | None = None,
    workers: str | Sequence[str] = (),
) -> Array:
    """Return an array of anything that has ``shape``, ``dtype`` and ``__getitem__``.

    A NumPy array is not copied, which dask.array does: what is written to it before the array is
    computed is seen. Of 100 MB a copy takes 17 ms of one core, where a sum of them takes 23 ms in
    all; `array` makes one.

    {Parameters}
        x: A NumPy array or memory map, a dataset of h5py's, an array of zarr's, an xarray variable,
            or an object that is indexed with slices when its cells are needed.
        chunks: Nominal chunks; by default those that it has itself, else a canonical grid.
        lock: True, or a lock: one read at a time.
        getitem: What reads: called with `x` and a tuple of slices, instead of ``x[...]``.
        name: What keys of its blocks begin with.
        asarray, fancy, inline_array: As Dask's, without effect.
        meta: An array, such as an empty one, of the class in which blocks are held; of any dtype.
        {dims}
        workers: Names or addresses of the workers that read it; a constraint that
            ``config(relax_placement=True)`` makes a preference.
    {Returns} Array: Of the shape and dtype of `x`; of NumPy's masked arrays a
        `dask_tapestry.ma.MaskedArray`.
    {Raises}
        StoreError: If a write of it has not ended, or its file is closed.
        ArgumentError: If blocks cannot be held as `meta` tells.
        DTypeError: If it is not an array, or one of structured cells that hold Python objects.
    {See Also} asarray, from_dask_array, from_zarr, dask.array.from_array

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.from_array(np.eye(3), chunks=(1, 3)).numblocks
    (3, 1)
    """
    del asarray, fancy, inline_array
    if is_masked(x):
        return from_numpy(x, chunks)
    with reading("lock"):
        locked = bool(lock)
    if locked or getitem is not None:
        x = guarded(x, lock, getitem)
    found = _array_of(x, names_of(dims))
    placed = Array(place(held_as(found, meta).node, worker_names(workers)))
    return named(with_chunks(placed, chunks), name)


def placeholder(
    shape: Shape,
    dtype: DTypeLike,
    stored_chunks: Shape | None = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return a stored array that need not exist: it can be planned and verified, not computed.

    {Parameters}
        shape, dtype: Of the array.
        stored_chunks: Lengths of its stored chunks; by default it is stored whole.
        {dims}
    {Returns} Array: Of `shape` and `dtype`.
    {Raises} ShapeError: For negative lengths, or if there are not as many names as dimensions.
    {See Also} plan
    {Examples}
    >>> x = dt.placeholder((10_000_000, 256, 256, 3), "uint8", stored_chunks=(64, 256, 256, 3))
    >>> x.nbytes
    1966080000000
    """
    sides = shape_of(shape)
    names = names_of(dims, len(sides))
    stored = None if stored_chunks is None else lengths_of(stored_chunks)
    return Array(placeholder_tensor(TensorType(sides, as_dtype(dtype), names), stored))


def rename(x: ArrayLike, *dims: str | None) -> Array:
    """Name the dimensions of an array.

    {Parameters}
        {x}
        *dims: A name for each dimension; None leaves one without a name.
    {Returns} Array: The same value.
    {Raises} ShapeError: If there are not as many names as dimensions, or two are equal.
    {Examples}
    >>> dt.ones((2, 3)).rename("batch", "feature").dims
    ('batch', 'feature')
    """
    array = asarray(x)
    given = [name for name in names_of(dims) or () if name is not None]
    if len(dims) != array.ndim or len(set(given)) != len(given):
        raise ShapeError(f"{dims} are not distinct names for the {array.ndim} dimensions")
    return Array(rename_tensor(array.node, tuple(dims)))

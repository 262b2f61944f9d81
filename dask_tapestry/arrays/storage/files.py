"""HDF5 files, npy files, and stacks of npy files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import path_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.effect import Effect, check_options
from dask_tapestry.arrays.storage.stores import store
from dask_tapestry.errors import (
    ArgumentError,
    ArgumentTypeError,
    ShapeError,
    StoreError,
    StoreNotFoundError,
)
from dask_tapestry.io.chunks.default_chunks import default_chunk_shape
from dask_tapestry.io.sinks.npy_stack_sink import npy_stack_sink
from dask_tapestry.io.sources.npy_stack_source import from_npy_folder
from dask_tapestry.io.targets.hdf5_target import (
    ONE_PROCESS,
    create_dataset,
    replace_dataset,
    written_file,
)
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.planner.machine.resources import current, runs_elsewhere
from dask_tapestry.teg.nominal import chunk_bytes
from dask_tapestry.zspace import fitting_sides

__all__ = [
    "from_npy",
    "from_npy_stack",
    "to_hdf5",
    "to_npy_stack",
]

FilePath = str | PathLike[str]
StoredChunks = bool | int | Sequence[int] | Literal["auto"] | None


@checked
def to_hdf5(
    filename: FilePath,
    *args: Any,
    chunks: StoredChunks = True,
    overwrite: bool = False,
    **kwargs: Any,
) -> None:
    """Write arrays to datasets of an HDF5 file, whole chunks by one task each.

    While the write runs, and after one that failed, the datasets say that they are incomplete.
    Only this process writes; `from_array` reads a dataset lazily, in other processes too.

    {Parameters}
        filename: The file; it is made if it is not there.
        *args: Path of a dataset and an array, or a dictionary from paths to arrays.
        chunks: Sides of stored chunks; True for the array's nominal ones, None or False for none.
        overwrite: Replace datasets that are there, once the new ones are complete.
        **kwargs: For ``h5py.Group.create_dataset``, such as ``compression``.
    {Returns} None: Once the arrays are written.
    {Raises} StoreError: If a dataset is there and `overwrite` is false, or HDF5 cannot hold the
        dtype.

    See Also
    --------
    from_array, store

    Source: dask.array.to_hdf5.

    Examples
    --------
    >>> import tempfile, h5py, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.to_hdf5(f"{folder}/data.h5", {"/x": dt.arange(3), "/y": dt.ones((2, 2))})
    ...     with h5py.File(f"{folder}/data.h5") as file:
    ...         print(dt.from_array(file["x"]).compute())
    [0 1 2]
    """
    if len(args) == 1 and isinstance(args[0], Mapping):
        by_path = dict(args[0])
    elif len(args) == 2 and isinstance(args[0], str):
        by_path = {args[0]: args[1]}
    else:
        raise ArgumentTypeError(
            "to_hdf5 takes a path of a dataset and an array, or a dictionary of them"
        )
    arrays = {path: asarray(x) for path, x in by_path.items()}
    if runs_elsewhere():  # before anything is made or replaced
        raise StoreError(ONE_PROCESS)
    with written_file(filename) as file:
        complete = False
        try:
            datasets = [
                create_dataset(file, path, x.node.type, _sides(chunks, x), overwrite, kwargs)
                for path, x in arrays.items()
            ]
            store(list(arrays.values()), datasets)
            complete = True
        finally:
            for path in arrays:
                replace_dataset(file, path, complete)


def _sides(chunks: StoredChunks, x: Array) -> tuple[int, ...] | None:
    """Lengths of a dataset's chunks, or None: HDF5 cuts no dataset without elements."""
    if chunks is None or chunks is False or not x.size or not x.ndim:
        return None
    if chunks is True or chunks == "auto":
        return default_chunk_shape(x.node, current().task_bytes)
    sides = (chunks,) * x.ndim if isinstance(chunks, int) else tuple(chunks)
    if len(sides) != x.ndim:
        raise ShapeError(f"chunks {sides} do not fit the shape {x.shape}")
    return tuple(n if m == -1 else min(int(m), n) for m, n in zip(sides, x.shape, strict=True))


def from_npy(
    file: FilePath, mmap_mode: Literal["r", "r+"] = "r", *, dims: Sequence[str | None] | None = None
) -> Array:
    """Return the array in an npy file, which is mapped into memory where it is read.

    {Parameters}
        file: Path of the file, which all processes must see.
        mmap_mode: As NumPy's: ``"r"``, or ``"r+"``.
        {dims}
    {Returns} Array: Of the shape and dtype in the file.
    {Raises}
        ArgumentError: For another `mmap_mode`.
        StoreNotFoundError, StoreError: If there is no such file, or it holds no array with a fixed
            dtype.
    {See Also} from_npy_stack, numpy.load

    Examples
    --------
    >>> import tempfile, numpy as np, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/x.npy", np.arange(6).reshape(2, 3))
    ...     print(dt.from_npy(f"{folder}/x.npy")[1].compute())
    [3 4 5]
    """
    if mmap_mode not in ("r", "r+"):
        raise ArgumentError(f"mmap_mode must be 'r' or 'r+', not {mmap_mode!r}")
    try:
        cells = np.load(file, mmap_mode, allow_pickle=False)
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no file {file}") from None
    except (OSError, ValueError, EOFError, OverflowError, RecursionError, MemoryError) as error:
        raise StoreError(f"cannot read {file} as npy: {error}") from error
    if not isinstance(cells, np.ndarray):
        raise StoreError(f"{file} is not an npy file, but an archive of several: load those of it")
    return asarray(cells, dims=dims)


@checked
def to_npy_stack(
    dirname: FilePath,
    x: ArrayLike,
    axis: int = 0,
    *,
    length: int | None = None,
    overwrite: bool = False,
    compute: bool = True,
    **kwargs: Any,
) -> Effect | None:
    """Write an array as a folder of npy files, a file for each part along an axis.

    Each file is written by one task, and the file that describes the stack last.

    {Parameters}
        dirname: The folder, which all processes must see.
        {x}
        axis: Along which it is cut.
        length: Cells along the axis that a file holds; by default those of its nominal chunks, or
            fewer, as other dimensions are whole.
        overwrite: Replace npy files that are there, once the new ones are complete.
        compute: Write now; otherwise return a lazy write to compute later.
        **kwargs: For `compute`, such as ``scheduler``.
    {Returns} None or Effect: As `compute` says.
    {Raises}
        ShapeError: If `length` is less than 1.
        StoreError: If npy files are there and `overwrite` is false.

    See Also
    --------
    from_npy_stack

    Source: dask.array.to_npy_stack.

    Examples
    --------
    >>> import tempfile, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.to_npy_stack(folder, dt.arange(10), length=4)
    ...     print(dt.from_npy_stack(folder)[3:6].compute())
    [3 4 5]
    """
    check_options(to_npy_stack, kwargs)
    path = path_of("dirname", dirname)
    array = asarray(x)
    number = normalize_axis(axis, array.ndim)
    chosen = _rows(array, number) if length is None else length
    if chosen < 1:
        raise ShapeError(f"length must be at least 1, not {chosen}")
    effect = Effect(npy_stack_sink(array.node, path, number, chosen, overwrite))
    if not compute:
        return effect
    effect.compute(**kwargs)
    return None


def from_npy_stack(dirname: FilePath, mmap_mode: str | None = "r") -> Array:
    """Return an array that `to_npy_stack` wrote, ours or Dask's.

    {Parameters}
        dirname: The folder.
        mmap_mode: ``"r"`` to map the files into memory, None to read them.
    {Returns} Array: Whose chunks are the files.
    {Raises} StoreNotFoundError, StoreError: If there is no complete stack.

    See Also
    --------
    to_npy_stack, from_npy

    Source: dask.array.from_npy_stack.

    Examples
    --------
    >>> import tempfile, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.to_npy_stack(folder, dt.arange(3))
    ...     print(dt.from_npy_stack(folder).compute())
    [0 1 2]
    """
    return Array(from_npy_folder(path_of("dirname", dirname), mmap_mode))


def _rows(x: Array, axis: int) -> int:
    """Length of a file along `axis`: of a nominal chunk, or less, as the others are whole."""
    if not x.ndim:
        return 1
    sides = list(x.shape)
    sides[axis] = x.nominal_cuts[axis].longest
    return fitting_sides(sides, [axis], chunk_bytes() // max(1, x.itemsize))[axis]

"""Files and buffers by NumPy's functions: `load`, `savez`, `loadtxt`, `savetxt`, `frombuffer`.

What is read is an array at once; what is written is computed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.storage.files import from_npy
from dask_tapestry.imports import LateModule

MASKED = LateModule("dask_tapestry.arrays.ma")

__all__ = [
    "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "load", "loadtxt", "savetxt",
    "savez", "savez_compressed",
]  # fmt: skip

File = str | PathLike[str] | IO[Any]


class NpzArrays(Mapping[str, Array]):
    """Arrays of an npz file by name; each is read when it is asked for.

    Examples
    --------
    >>> import io, dask_tapestry as dt
    >>> file = io.BytesIO()
    >>> dt.savez(file, x=dt.arange(3))
    >>> with dt.load(io.BytesIO(file.getvalue())) as found:
    ...     print(found.files, found["x"].compute())
    ['x'] [0 1 2]

    Attributes
    ----------
    opened
        The file, as NumPy opens it.
    """

    def __init__(self, opened: Any) -> None:
        self.opened = opened

    @property
    def files(self) -> list[str]:
        """Names of the arrays."""
        return list(self.opened.files)

    def __getitem__(self, name: str) -> Array:
        return asarray(self.opened[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> NpzArrays:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.opened.close()


def load(
    file: File,
    mmap_mode: str | None = None,  # noqa: ARG001
    **kwargs: Any,
) -> Any:
    """Return the array of an npy file, or those of an npz file, as `numpy.load`.

    The npy file of a path is read when something is computed, block by block, as by `from_npy`.

    {Parameters}
        file: A path, or an open file.
        mmap_mode: As NumPy's, without meaning: nothing is written back.
        **kwargs: For `numpy.load`, where the file is open, an npz file, or of Python's objects.
    {Returns} Array, or a mapping of names to them with a list of `files`.
    {Raises} FileNotFoundError: If there is no such file.
    {See Also} save, savez, from_npy

    Examples
    --------
    >>> import tempfile, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.save(f"{folder}/x.npy", dt.arange(3))
    ...     print(dt.load(f"{folder}/x.npy").compute())
    [0 1 2]
    """
    if isinstance(file, str | PathLike) and not kwargs and _is_npy(file):
        return from_npy(file)
    with reading("file"):
        found = np.load(file, **kwargs)
    return NpzArrays(found) if isinstance(found, np.lib.npyio.NpzFile) else asarray(found)


def _is_npy(path: str | PathLike[str]) -> bool:
    """Whether a file is in NumPy's format of one array."""
    with open(path, "rb") as file:
        return file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX


@implements(np.savez)
def savez(file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Write arrays to one npz file, as `numpy.savez`; they are computed now.

    {Parameters}
        file: A path, to which ``.npz`` is added unless it ends so, or an open file.
        *args: Arrays, which are named ``arr_0``, ``arr_1``, ...
        allow_pickle: Whether Python's objects may be written.
        **kwds: Arrays by name.
    {See Also} load, savez_compressed, to_zarr

    Examples
    --------
    >>> import io, dask_tapestry as dt
    >>> file = io.BytesIO()
    >>> dt.savez(file, dt.arange(3))
    >>> dt.load(io.BytesIO(file.getvalue()))["arr_0"].compute()
    array([0, 1, 2])
    """
    np.savez(file, *_known(args), allow_pickle=allow_pickle, **_known_by_name(kwds))


@implements(np.savez_compressed)
def savez_compressed(
    file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Write arrays to one compressed npz file, as `numpy.savez_compressed`; they are computed now.

    {Parameters}
        file: A path, to which ``.npz`` is added unless it ends so, or an open file.
        *args: Arrays, which are named ``arr_0``, ``arr_1``, ...
        allow_pickle: Whether Python's objects may be written.
        **kwds: Arrays by name.
    {See Also} load, savez, to_zarr

    Examples
    --------
    >>> import io, dask_tapestry as dt
    >>> file = io.BytesIO()
    >>> dt.savez_compressed(file, x=dt.zeros(3))
    >>> dt.load(io.BytesIO(file.getvalue()))["x"].compute()
    array([0., 0., 0.])
    """
    np.savez_compressed(file, *_known(args), allow_pickle=allow_pickle, **_known_by_name(kwds))


@implements(np.savetxt)
def savetxt(fname: File, X: ArrayLike, *args: Any, **kwargs: Any) -> None:
    """Write an array to a text file, as `numpy.savetxt`; it is computed now.

    {Parameters}
        fname: A path, or an open file.
        X: One or two dimensions.
        *args, **kwargs: Of `numpy.savetxt`, such as `fmt`, `delimiter` and `header`.
    {See Also} loadtxt, save

    Examples
    --------
    >>> import sys, dask_tapestry as dt
    >>> dt.savetxt(sys.stdout, dt.arange(4).reshape(2, 2), fmt="%d")
    0 1
    2 3
    """
    with reading("X"):
        np.savetxt(fname, np.asarray(X), *args, **kwargs)


def loadtxt(fname: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the array of a text file, as `numpy.loadtxt`; it is read now.

    {Parameters}
        fname: A path, an open file, or lines.
        *args, **kwargs: Of `numpy.loadtxt`, such as `dtype`, `delimiter` and `usecols`.
    {Returns} Array: Or a list of them, one for each field, with ``unpack=True``.
    {Raises} FileNotFoundError: If there is no such file.
    {See Also} genfromtxt, savetxt
    {Examples}
    >>> dt.loadtxt(["1 2", "3 4"]).compute()
    array([[1., 2.],
           [3., 4.]])
    """
    return _read(np.loadtxt, fname, *args, **kwargs)


def genfromtxt(fname: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the array of a text file with gaps, as `numpy.genfromtxt`; it is read now.

    {Parameters}
        fname: A path, an open file, or lines.
        *args, **kwargs: Of `numpy.genfromtxt`, such as `delimiter`, `names` and `skip_header`.
    {Returns} Array: Or a list of them, one for each field, with ``unpack=True``; masked with
        ``usemask=True``.
    {Raises} FileNotFoundError: If there is no such file.
    {See Also} loadtxt
    {Examples}
    >>> dt.genfromtxt(["1,", "3,4"], delimiter=",").compute()
    array([[ 1., nan],
           [ 3.,  4.]])
    """
    return _read(np.genfromtxt, fname, *args, **kwargs)


def frombuffer(
    buffer: Any,
    dtype: DTypeLike = float,
    count: int = -1,
    offset: int = 0,
    *,
    like: object = None,  # noqa: ARG001
) -> Array:
    """Return the cells that lie in a buffer of bytes, as `numpy.frombuffer`; they are not copied.

    {Parameters}
        buffer: Bytes, or what has them, such as an `mmap`.
        dtype: Of the cells.
        count: How many there are; -1 stands for all.
        offset: Of the first one, in bytes.
        like: NumPy's `like`, without meaning.
    {Returns} Array: A vector.
    {Raises} ArgumentError: If the buffer is too short, or no multiple of a cell.
    {See Also} fromfile, from_array
    {Examples}
    >>> dt.frombuffer(bytes([1, 2]), "u1").compute()
    array([1, 2], dtype=uint8)
    """
    made: Array = _read(np.frombuffer, buffer, dtype, count, offset)
    return made


def fromfile(
    file: File,
    dtype: DTypeLike = float,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: object = None,  # noqa: ARG001
) -> Array:
    """Return the cells of a file without a header, as `numpy.fromfile`; it is read now.

    {Parameters}
        file: A path, or an open file.
        dtype: Of the cells.
        count: How many are read; -1 stands for all.
        sep: What separates numbers of a text; empty for bytes.
        offset: Of the first one, in bytes.
        like: NumPy's `like`, without meaning.
    {Returns} Array: A vector.
    {Raises} FileNotFoundError: If there is no such file.
    {See Also} frombuffer, from_npy

    Examples
    --------
    >>> import tempfile, dask_tapestry as dt
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(bytes([1, 2]))
    ...     file.flush()
    ...     print(dt.fromfile(file.name, "u1").compute())
    [1 2]
    """
    made: Array = _read(np.fromfile, file, dtype, count, sep, offset)
    return made


def fromiter(
    iter: Iterable[Any],
    dtype: DTypeLike,
    count: int = -1,
    *,
    like: object = None,  # noqa: ARG001
) -> Array:
    """Return an array of what an iterator gives, as `numpy.fromiter`; it is asked now.

    {Parameters}
        iter: Gives one cell after the other.
        dtype: Of the cells.
        count: How many are taken; -1 stands for all.
        like: NumPy's `like`, without meaning.
    {Returns} Array: A vector.
    {Raises} ArgumentError: If there are fewer than `count`.
    {See Also} asarray
    {Examples}
    >>> dt.fromiter((n * n for n in range(4)), int).compute()
    array([0, 1, 4, 9])
    """
    made: Array = _read(np.fromiter, iter, dtype, count)
    return made


def fromstring(
    string: str,
    dtype: DTypeLike = float,
    count: int = -1,
    *,
    sep: str,
    like: object = None,  # noqa: ARG001
) -> Array:
    """Return the numbers of a text, as `numpy.fromstring`.

    {Parameters}
        string: The text.
        dtype: Of the cells.
        count: How many are read; -1 stands for all.
        sep: What separates them.
        like: NumPy's `like`, without meaning.
    {Returns} Array: A vector.
    {Raises} ArgumentError: For what are no numbers.
    {See Also} frombuffer
    {Examples}
    >>> dt.fromstring("1 2", dtype=int, sep=" ").compute()
    array([1, 2])
    """
    made: Array = _read(np.fromstring, string, dtype, count, sep=sep)
    return made


def _read(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's reads, as arrays of ours."""
    with reading(function.__name__):
        found = function(*args, **kwargs)
    return [asarray(one) for one in found] if isinstance(found, list) else _ours(found)


def _ours(found: Any) -> Any:
    """An array of ours, masked if NumPy's is."""
    if isinstance(found, np.ma.MaskedArray):
        return MASKED.masked_array(found)
    return asarray(found)


def _known(arrays: Iterable[ArrayLike]) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(one) for one in arrays]


def _known_by_name(arrays: Mapping[str, ArrayLike]) -> dict[str, Any]:
    return {name: np.asarray(one) for name, one in arrays.items()}

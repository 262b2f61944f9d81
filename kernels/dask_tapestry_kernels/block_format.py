"""Blocks in the arrays of another library: sparse ones of pydata's sparse and SciPy's, CuPy's.

Kernels take and make NumPy's arrays, with all their cells. Between tasks, for functions of the user
and as results, a block may be held in another class of arrays instead: its format.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.device_error import DeviceError, UnusableDeviceError

Block = np.ndarray[Any, Any]
Number = bool | int | float | complex
WITHOUT: Final = {  # codes of dtypes that cannot be held, of a library and of a class
    "scipy": "e",
    "GCXS": "egG",
    "cupy": "gG",
}
DEVICES: Final = {"cupy": "cuda"}  # kinds of devices, by the libraries whose arrays lie on them


@dataclass(frozen=True)
class BlockFormat:
    """A class of arrays of another library.

    Attributes
    ----------
    module, name
        Where the class is found, and what it is called.
    fill
        The value of the cells that a sparse array does not hold.
    number
        Which device the arrays lie on; None for the one that a process uses by itself, and for
        arrays in the memory of the host.

    Examples
    --------
    >>> import scipy.sparse
    >>> found = BlockFormat.of(scipy.sparse.csr_array(np.eye(2)))
    >>> print(found)
    scipy.sparse.csr_array
    >>> found.holding(np.zeros((3, 4))).nnz
    0
    """

    module: str
    name: str
    fill: Number = 0
    number: int | None = None

    @classmethod
    def of(cls, array: object) -> BlockFormat | None:
        """The format of an array; None of NumPy's, and of what blocks cannot be held in."""
        own = type(array)
        library = own.__module__.partition(".")[0]
        if library not in ("sparse", "scipy", "cupy") or not hasattr(array, "dtype"):
            return None
        if library == "cupy":
            return on_cuda(array.device.id or None)  # type: ignore[attr-defined]
        fill = getattr(array, "fill_value", np.zeros((), np.int64)).item()
        made = cls(own.__module__, own.__qualname__, fill)
        rank = getattr(array, "ndim", 0) or 1  # a cell of a sparse array is sparse too
        return made if made.takes(rank, np.dtype(array.dtype)) else None

    @property
    def library(self) -> str:
        """Name of the library."""
        return self.module.partition(".")[0]

    @property
    def on_device(self) -> bool:
        """Whether its arrays lie in the memory of a device."""
        return self.library in DEVICES

    @property
    def kind(self) -> str:
        """The kind of device on which its arrays lie, a key of the tables of kernels."""
        return DEVICES.get(self.library, "cpu")

    @property
    def device(self) -> str:
        """The device on which its arrays lie, as a user names it."""
        return self.kind if self.number is None else f"{self.kind}:{self.number}"

    def current(self) -> AbstractContextManager[Any]:
        """A context in which its device is the one that is used."""
        return nullcontext() if self.number is None else _cupy().cuda.Device(self.number)

    def takes(self, ndim: int, dtype: np.dtype[Any]) -> bool:
        """Whether arrays of it may have so many dimensions, and cells of this dtype."""
        ranks = {"scipy": ndim == 2, "sparse": ndim > 0}
        without = WITHOUT.get(self.library, "") + WITHOUT.get(self.name, "")
        return ranks.get(self.library, True) and dtype.kind in "biufc" and dtype.char not in without

    def filled(self, fill: Number) -> BlockFormat:
        """The same class with another fill value, if its arrays have one."""
        return replace(self, fill=fill) if self.library == "sparse" else self

    def holding(self, cells: Block) -> Any:
        """The cells as an array of this format."""
        if self.library == "sparse":
            coordinates = import_module("sparse").COO
            made = coordinates.from_numpy(cells, fill_value=cells.dtype.type(self.fill))
            return made.asformat(self.name.lower())
        if self.on_device:
            with self.current():
                return _cupy().asarray(cells)
        return getattr(import_module(self.module), self.name)(cells)

    def of_block(self, block: Any) -> Any:
        """A block in any format in this one, whatever its fill value."""
        own = type(block)
        if self.on_device and own.__module__.partition(".")[0] == self.library:
            return self._here(block)
        if (own.__module__, own.__qualname__) == (self.module, self.name):
            return block
        return self.holding(with_all_cells(block))

    def _here(self, block: Any) -> Any:
        """A block of some device on this one."""
        if self.number is None or block.device.id == self.number:
            return block
        with self.current():
            return block.copy()  # to the device that is used

    def room(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Memory of a device for so many cells, which are to be written."""
        with self.current():
            return _cupy().empty(tuple(shape), dtype)

    def joined(self, blocks: Sequence[Any], axis: int) -> Any:
        """Arrays of this format, side by side along an axis."""
        if self.library == "scipy":
            stack = (import_module("scipy.sparse").vstack, import_module("scipy.sparse").hstack)
            return stack[axis](blocks, format=blocks[0].format)
        if self.library == "sparse" and len({block.fill_value for block in blocks}) > 1:
            return self.holding(np.concatenate(list(map(with_all_cells, blocks)), axis))
        if self.name == "DOK":  # which is not joined as it is
            pairs = [block.asformat("coo") for block in blocks]
            return np.concatenate(pairs, axis).asformat("dok")  # type: ignore[attr-defined]
        return np.concatenate(blocks, axis)

    def __str__(self) -> str:
        return f"{self.module.partition('._')[0].removesuffix('.numba_backend')}.{self.name}"


def on_cuda(number: int | None = None) -> BlockFormat:
    """The format of arrays on a CUDA device: CuPy's. CuPy need not be there.

    Examples
    --------
    >>> on_cuda().device, on_cuda(1).device
    ('cuda', 'cuda:1')
    """
    return BlockFormat("cupy", "ndarray", number=number)


def _cupy() -> Any:
    """CuPy.

    Raises
    ------
    DeviceError
        If it is not there.
    """
    try:
        return import_module("cupy")
    except ImportError as error:
        raise UnusableDeviceError(
            f"there is no CuPy ({error}): arrays on a CUDA device are CuPy's, which "
            "pip install 'dask_tapestry[cuda]' brings"
        ) from error


def device_among(formats: Sequence[BlockFormat | None]) -> BlockFormat | None:
    """The device on which blocks in some of these formats lie; None if all are on the host.

    Raises
    ------
    DeviceError
        If they lie on several.

    Examples
    --------
    >>> device_among([None, on_cuda(1)]).device
    'cuda:1'
    """
    found = [one for one in formats if one is not None and one.on_device]
    if len({one.device for one in found}) > 1:
        raise DeviceError(
            f"arrays are on {' and '.join(sorted({one.device for one in found}))}: bring them to "
            "one device with to_device"
        )
    return found[0] if found else None


def is_on_device(block: object) -> bool:
    """Whether a block lies in the memory of a device."""
    return type(block).__module__.partition(".")[0] in DEVICES


def is_foreign(block: object) -> bool:
    """Whether a block is in a format other than NumPy's."""
    return type(block) is not np.ndarray and BlockFormat.of(block) is not None


def refusal(value: object) -> str | None:
    """Why a sparse array is no block; None of what is not sparse, or in a format."""
    if is_foreign(value) or not hasattr(type(value), "todense"):
        return None
    return (
        f"a sparse {type(value).__name__} of {getattr(value, 'dtype', 'no dtype')} and "
        f"{getattr(value, 'ndim', 'no')} dimensions: blocks can be pydata's sparse arrays of "
        "numbers, SciPy's of two dimensions, and NumPy's, which todense() gives"
    )


def with_all_cells(block: Any) -> Any:
    """A block in any format as a NumPy array of all its cells; anything else as it is."""
    if not is_foreign(block):
        return block
    for way in ("toarray", "todense", "get"):
        if hasattr(block, way):
            return np.asarray(getattr(block, way)())
    return np.asarray(block)

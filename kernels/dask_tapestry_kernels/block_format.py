"""Blocks in the arrays of another library: CuPy's, and those of `block_libraries`.

Kernels take and make NumPy's arrays, with all their cells. Between tasks, for functions of the user
and as results, a block may be held in another class of arrays instead: its format.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.block_libraries import library_named, names
from dask_tapestry_kernels.block_library import Block, BlockLibrary, Number
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.cupy_module import cupy_module, cupy_with_device
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.device_transfers import to_device, to_host
from dask_tapestry_kernels.field_blocks import FieldBlocks, cell_dtypes

WITHOUT: Final = "gG"  # codes of dtypes that CuPy's arrays cannot hold
DEVICES: Final = {"cupy": "cuda"}  # kinds of devices, by the libraries whose arrays lie on them


@dataclass(frozen=True)
class BlockFormat:
    """A class of arrays of another library.

    Attributes
    ----------
    module, name
        Where the class is found, and what it is called.
    fill
        The value of the cells that an array does not hold, where it may leave cells out.
    number
        Which device the arrays lie on; None for the one that a process uses by itself, and for
        arrays in the memory of the host.

    Examples
    --------
    >>> print(on_cuda())
    cupy.ndarray
    >>> BlockFormat.of(np.ones(3)) is None
    True
    """

    module: str
    name: str
    fill: Number = 0
    number: int | None = None

    @classmethod
    def of(cls, array: object) -> BlockFormat | None:
        """The format of an array; None of NumPy's, and of what blocks cannot be held in.

        Of collected arrays the device's, if they lie on one.
        """
        if isinstance(array, Collected):
            return device_among([cls.of(one) for one in islice(array.held, 1)])
        own = type(array)
        name = own.__module__.partition(".")[0]
        if name in DEVICES and hasattr(array, "device"):
            return on_cuda(array.device.id or None)
        library = library_named(name)
        if library is None or not hasattr(array, "dtype"):
            return None
        made = cls(own.__module__, own.__qualname__)
        rank = getattr(array, "ndim", 0) or 1  # a cell of such an array is one too
        if not made.takes(rank, np.dtype(array.dtype)):
            return None
        return replace(made, fill=library.fill_of(array))

    @property
    def library(self) -> str:
        """Name of the library."""
        return self.module.partition(".")[0]

    @property
    def _library(self) -> BlockLibrary:
        """The library; not of arrays on a device."""
        library = library_named(self.library)
        assert library is not None, f"no library {self.library}"
        return library

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
        if self.number is None:
            return nullcontext()
        device: AbstractContextManager[Any] = cupy_with_device(self.number).cuda.Device(self.number)
        return device

    def takes(self, ndim: int, dtype: np.dtype[Any]) -> bool:
        """Whether arrays of it may have so many dimensions, and cells of this dtype."""
        if dtype.kind not in "biufc":
            return False
        if self.on_device:
            return dtype.char not in WITHOUT
        return self._library.takes(self.name, ndim, dtype)

    def holds(self, dtype: Any) -> bool:
        """Whether a block of such cells may lie on its device: of several fields, an array each."""
        return self.on_device and all(self.takes(1, one) for one in cell_dtypes(dtype))

    def filled(self, fill: Number) -> BlockFormat:
        """The format with another fill value, if its arrays have one."""
        has_fill = not self.on_device and self._library.has_fill
        return replace(self, fill=fill) if has_fill else self

    def holding(self, cells: Block) -> Any:
        """The cells as an array of this format."""
        if self.on_device:
            with self.current():
                return to_device(np.asarray(cells))
        return self._library.holding(cells, self.module, self.name, self.fill)

    def of_block(self, block: Any) -> Any:
        """A block in any format in this one, whatever its fill value.

        On a device structured cells are `FieldBlocks`, and collected arrays lie there each.
        """
        if isinstance(block, Collected):
            return block.map(self.of_block)
        if self.on_device and block.dtype.names:
            return FieldBlocks.of(block).map(self.of_block)
        own = type(block)
        if self.on_device and own.__module__.partition(".")[0] == self.library:
            return self._here(block)
        if (own.__module__, own.__qualname__) == (self.module, self.name):
            return block
        return self.holding(with_all_cells(block))

    def _here(self, block: Any) -> Any:
        """A block of some device on this one, or on the one that is used."""
        with self.current():
            is_here = block.device.id == cupy_module().cuda.Device().id
            return block if is_here else block.copy()  # to the device that is used

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Memory of a device for so many cells, which are to be written."""
        with self.current():
            return cupy_module().empty(tuple(shape), dtype)

    def beside(self, block: Any, shape: Sequence[int]) -> Any:
        """Memory for cells of a shape where a block on a device lies, of its kind."""
        if isinstance(block, Collected):
            return block.like(tuple(shape))
        return self.empty(shape, block.dtype)

    def joined(self, blocks: Sequence[Any], axis: int) -> Any:
        """Arrays of this format, side by side along an axis."""
        if self.on_device:
            return np.concatenate(blocks, axis)
        return self._library.joined(blocks, axis, self.holding)

    def indexable(self, array: Any) -> Any:
        """An array of this format in one that takes slices."""
        return array if self.on_device else self._library.indexable(array)

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


def device_among(formats: Sequence[BlockFormat | None]) -> BlockFormat | None:
    """The device on which blocks in some of these formats lie; None if all are on the host.

    Raises
    ------
    KernelDeviceError
        If they lie on several.

    Examples
    --------
    >>> device_among([None, on_cuda(1)]).device
    'cuda:1'
    """
    devices = [fmt for fmt in formats if fmt is not None and fmt.on_device]
    if len({fmt.device for fmt in devices}) > 1:
        raise KernelDeviceError(
            f"arrays are on {' and '.join(sorted({fmt.device for fmt in devices}))}: bring them to "
            "one device with to_device"
        )
    return devices[0] if devices else None


def is_on_device(block: object) -> bool:
    """Whether a block lies in the memory of a device."""
    if type(block) is np.ndarray:
        return False
    if isinstance(block, Collected):
        return any(map(is_on_device, islice(block.held, 1)))
    return type(block).__module__.partition(".")[0] in DEVICES


def is_foreign(block: object) -> bool:
    """Whether a block is in a format other than NumPy's."""
    return type(block) is not np.ndarray and BlockFormat.of(block) is not None


def refusal(value: object) -> str | None:
    """Why an array that leaves cells out is no block; None of others, and of those in a format."""
    if is_foreign(value) or not hasattr(type(value), "todense"):
        return None
    return (
        f"a {type(value).__name__} of {getattr(value, 'dtype', 'no dtype')} and "
        f"{getattr(value, 'ndim', 'no')} dimensions, which leaves cells out: blocks can be "
        f"{described()}NumPy's, which todense() gives"
    )


def described() -> str:
    """The arrays in which blocks may be held beside NumPy's, for errors."""
    found = [library for name in names() if (library := library_named(name)) is not None]
    return "".join(f"{library.described}, " for library in reversed(found))


def with_all_cells(block: Any) -> Any:
    """A block in any format as a NumPy array of all its cells; anything else as it is."""
    if not is_foreign(block):
        return block
    if isinstance(block, FieldBlocks):
        return block.map(with_all_cells).structured()
    if isinstance(block, Collected):
        return block.map(with_all_cells)
    if is_on_device(block):
        return to_host(block)
    for way in ("toarray", "todense"):
        if hasattr(block, way):
            return np.asarray(getattr(block, way)())
    return np.asarray(block)

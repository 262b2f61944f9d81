"""Arrays from and for other libraries by DLPack, and the device that they are on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.core.memory_arguments import device_named, moved_to
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry_kernels.block_format import is_on_device

__all__ = ["from_dlpack"]

CPU: Final = (1, 0)  # DLPack's number of the kind of device, and which one
CUDA: Final = 2  # the kind


@checked
def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Array:
    """Return an array of what another library holds, by DLPack.

    {Parameters}
        x: An object with ``__dlpack__``. Its memory is shared: what is written to it before the
            array is computed is seen.
        {device}
        copy: True to copy it now; False to refuse what cannot be had without a copy.
    {Returns} Array: Of its shape and dtype.
    {Raises}
        {ArgumentError.device}
        BufferError: If the object has no cells that can be shared.
    {See Also} asarray, from_array

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.from_dlpack(np.arange(3)).compute()
    array([0, 1, 2])
    """
    device_named(device)
    if isinstance(x, Array) or is_on_device(x):
        return asarray(x, device=device, copy=copy)
    return asarray(np.from_dlpack(x, copy=copy), device=device)


def dlpack(
    self: Array,
    /,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return the computed array as a DLPack capsule.

    {Parameters}
        stream: Of a device, that which uses the cells; None of the host.
        max_version, dl_device: As of `numpy.ndarray.__dlpack__`.
        copy: False to hand out the memory of an array that was made of memory, which is then shared
            with who gave it. Other arrays have none: they are computed, and what was computed is
            handed out without a copy. By default, and with True, the memory is shared with nobody.
    {Returns} PyCapsule: It holds the cells.
    {Raises} BufferError: For another device, or cells that DLPack cannot describe.
    """
    if self.device != "cpu":
        cells = self.compute()
        return cells.__dlpack__(stream=stream, max_version=max_version)
    held = where_known(self) if copy is False else self
    cells = np.asarray(self if isinstance(held, Array) else held)
    return cells.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def dlpack_device(self: Array) -> tuple[int, int]:
    """Return the kind and number of the device that the cells are on, as DLPack counts them.

    {Returns} tuple of int: (1, 0): the CPU; (2, number): a CUDA device.
    """
    known = self.bound.format
    return (CUDA, known.number or 0) if known is not None and known.on_device else CPU


def to_device(self: Array, device: str, /, *, stream: Any = None) -> Array:
    """Return the array on a device, to which each block is brought when it is computed.

    What is computed of an array on a device is computed there, and its result is CuPy's array.

    {Parameters}
        device: ``"cpu"``, ``"cuda"`` for the device that a worker uses by itself, or one of
            several, as ``"cuda:1"``.
        stream: None: a worker uses the stream that its CuPy uses.
    {Returns} Array: Of the same cells; the array itself if it is there.
    {Raises}
        {ArgumentError.device}
        DeviceError: If no array there can hold cells of its dtype.
    """
    if stream is not None:
        raise ArgumentTypeError("stream is None: a worker uses the stream that its CuPy uses")
    return moved_to(self, device)

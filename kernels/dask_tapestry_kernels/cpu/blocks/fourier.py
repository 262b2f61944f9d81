"""Discrete Fourier transforms of lanes, by NumPy's pocketfft.

A lane is transformed by itself, so its value does not depend on the block that it is in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.sort import some_lanes
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.fourier import TRANSFORMS

Block = np.ndarray[Any, Any]


def fourier(
    out: Block | None, block: Block, *, function: str, axis: int, length: int, norm: str
) -> Block:
    """Transform each lane along `axis`, cut or filled up with zeros to `length` cells.

    Parameters
    ----------
    function
        A key of `TRANSFORMS`, each as in `numpy.fft`.
    length
        Cells of a lane of time, ``n`` of NumPy's functions.
    norm
        ``"backward"``, ``"ortho"`` or ``"forward"``, as NumPy's.
    """
    transform = TRANSFORMS[function]
    result = out
    for lanes in some_lanes(block, axis):
        if result is None:
            transformed = transform(block[lanes], length, axis, norm)
            if transformed.size == 0 or block[lanes].shape == block.shape:
                return transformed
            shape = list(block.shape)
            shape[axis] = transformed.shape[axis]
            result = np.empty(shape, transformed.dtype)
            result[lanes] = transformed
        else:
            transform(block[lanes], length, axis, norm, out=result[lanes])
    return transform(block, length, axis, norm) if result is None else result


KERNELS: Final[dict[str, Kernel]] = {"fourier": fourier}

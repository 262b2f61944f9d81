"""Discrete Fourier transforms of lanes on a GPU, by cuFFT through CuPy.

A lane is transformed by itself; its bits are cuFFT's, within rounding of NumPy's.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.fourier import TRANSFORMS


def fourier(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    function: str,
    axis: int,
    length: int,
    norm: str,
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
    gpu, dtype = runtime(), _result_dtype(function, block.dtype)
    shape = list(block.shape)
    shape[axis] = length // 2 + 1 if function == "rfft" else length
    if 0 in shape:
        return gpu.empty(tuple(shape), dtype)
    lanes = _hermitian(block, axis, length) if function == "irfft" else block
    transform = getattr(gpu.library.fft, function)
    return transform(lanes, length, axis, norm).astype(dtype, copy=False)


def _result_dtype(function: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """NumPy's dtype of a transform."""
    transformed: np.dtype[Any] = TRANSFORMS[function](np.zeros(2, dtype), 2).dtype
    return transformed


def _hermitian(block: Block, axis: int, length: int) -> Block:
    """The half of a Hermitian lane, whose ends are real: NumPy looks at no imaginary part there."""
    lead = (slice(None),) * axis
    half = block[(*lead, slice(0, length // 2 + 1))]
    if block.dtype.kind != "c" or not half.size:
        return half
    half = half.copy()
    half.imag[(*lead, slice(0, 1))] = 0
    if length % 2 == 0:
        half.imag[(*lead, slice(length // 2, None))] = 0
    return half


KERNELS: Final[dict[str, Kernel]] = {"fourier": fourier}

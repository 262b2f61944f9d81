"""Eigenvalues of Hermitian bands, which have one diagonal a row, from the main one down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.bulge_chase import prepared, two_diagonals
from dask_tapestry_kernels.cpu.blocks.matrices import one_result
from dask_tapestry_kernels.cpu.blocks.tridiagonal import tridiagonal_values
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def scaled(band: Block, failed: str = "Eigenvalues did not converge") -> tuple[Block, float]:
    """A band in double precision, and the power of two by which it is divided.

    So squares of its cells neither overflow nor vanish all.

    Raises
    ------
    LinAlgError
        If a cell is not finite, with the words `failed`.
    """
    largest = max(float(np.abs(part).max(initial=0)) for part in (band.real, band.imag))
    if not np.isfinite(largest):
        raise np.linalg.LinAlgError(failed)
    scale = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest else 1.0
    return band.astype(np.result_type(band, np.float64)) / scale, scale


def band_values(band: Block) -> Block:
    """Ascending eigenvalues."""
    cells, scale = scaled(band)
    cells = prepared(cells, is_hermitian=True)
    found = lapack.tridiagonal_of_band(cells)
    if found is None:
        diagonal, below = two_diagonals(cells)
        found = diagonal.real, below
    return tridiagonal_values(*found) * scale


KERNELS: Final[Mapping[str, Kernel]] = {"bandvalues": one_result(band_values)}

"""Singular values of upper bands, which have one diagonal a row, from the main one up.

Where LAPACK is not at hand they are eigenvalues of a Hermitian band twice as long, whose rows are
those of the band and of its adjoint by turns: for each value it has both signs.

Source: Golub, Kahan, "Calculating the singular values and pseudo-inverse of a matrix", J. SIAM
Numer. Anal. 2, 1965.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.bands import band_values, scaled
from dask_tapestry_kernels.cpu.blocks.lapack_bidiagonal import (
    bidiagonal_of_band,
    bidiagonal_values,
)
from dask_tapestry_kernels.cpu.blocks.matrices import one_result
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def band_singular_values(band: Block) -> Block:
    """Descending singular values of a square band; each column has its own cells of diagonals.

    Raises
    ------
    LinAlgError
        If a cell is not finite.
    """
    cells, scale = scaled(band, "SVD did not converge")
    found = bidiagonal_of_band(cells)
    values = None if found is None else bidiagonal_values(*found)
    if values is None:
        values = np.maximum(band_values(by_turns(cells))[::-1][: cells.shape[1]], 0)
    return values * scale


def by_turns(band: Block) -> Block:
    """The diagonals of the Hermitian band, from the main one down.

    Examples
    --------
    >>> by_turns(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[0., 0., 0., 0.],
           [1., 3., 2., 0.]])
    """
    diagonals, side = band.shape
    made = np.zeros((max(2, 2 * diagonals - 2), 2 * side), band.dtype)
    made[1, ::2] = band[0].conj()
    for d in range(1, min(diagonals, side)):
        made[2 * d - 1, 1 : 2 * (side - d) : 2] = band[d, d:]
    return made


KERNELS: Final[Mapping[str, Kernel]] = {"bandsingularvalues": one_result(band_singular_values)}

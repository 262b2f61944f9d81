"""The triangle of a positive definite matrix larger than a worker, in panels of columns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.operators.panels import Factorization, adjoint, factored, panels_of, place
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`.

    No cells of the other half are looked at.
    """
    runs = panels_of(x.type.shape[0], width)
    lower, _, _ = factored(adjoint(x) if upper else x, runs, CHOLESKY)
    return adjoint(lower) if upper else lower


def _columns(panel: Any, *_awaited: Any) -> Any:
    """Columns of the triangle, from the diagonal on."""
    width = panel.shape[1]
    corner = np.linalg.cholesky(panel[:width])
    made = np.empty(panel.shape, corner.dtype)
    made[:width] = corner
    made[width:] = solve_triangle(corner, panel[width:].conj().T, lower=True).conj().T
    return made


def _strip(panel: Any, numbers: Any, block: Any) -> Any:
    """Columns without what a panel makes zero; above the diagonal they are not looked at."""
    start, own, behind = place(panel, numbers, block)
    made = np.array(block)
    made[:start, own] = 0
    made[start:, own] = panel[:, numbers[own] - start]
    if count := len(numbers[behind]):
        first = int(numbers[behind][0])
        below = panel[first - start :]
        made[first:, behind] -= below @ below[:count].conj().T
    return made


CHOLESKY: Final = Factorization(_columns, {}, _strip, 1.0)

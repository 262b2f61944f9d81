"""Several factors of one large matrix, side by side in one array: so they have a form in panels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.linalg.matrix_functions import apply_whole
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.matrices.panel_lu import (
    lu_by_panels,
    packed_lu,
    sign_and_logarithm_by_panels,
)
from dask_tapestry.operators.matrices.panel_qr import qr_by_panels, triangle_by_panels
from dask_tapestry.teg import Tensor


def large_qr(x: Array) -> tuple[Tensor, Tensor]:
    """Orthonormal columns and a triangle."""
    rows, columns = x.shape
    is_tall = rows >= columns
    sizes = {"p": rows + columns if is_tall else rows, "q": columns + (0 if is_tall else rows)}
    (packed,) = apply_whole(
        _qr,
        "(m,n)->(p,q)",
        x,
        dtypes=(x.dtype,),
        sizes=sizes,
        order=(("m", "n", "n"), 4.0),
        panels=qr_by_panels,
        copies=3,
    )
    q, r = (packed[:rows], packed[rows:]) if is_tall else (packed[:, :rows], packed[:, rows:])
    return q.node, r.node


def _qr(block: Any) -> Any:
    rows, columns = block.shape
    return np.concatenate(np.linalg.qr(block), axis=0 if rows >= columns else 1)


def large_triangle(x: Array) -> Array:
    """The triangle alone."""
    (triangle,) = apply_whole(
        _r,
        "(m,n)->(k,n)",
        x,
        dtypes=(x.dtype,),
        sizes={"k": min(x.shape)},
        order=(("m", "n", "n"), 2.0),
        panels=triangle_by_panels,
        copies=2,
    )
    return triangle


def _r(block: Any) -> Any:
    return np.linalg.qr(block, mode="r")


def large_slogdet(x: Array) -> tuple[Array, Array]:
    """The sign of the determinant, and the logarithm of its modulus."""
    (sign_and_log,) = apply_whole(
        _slogdet,
        "(m,m)->(t)",
        x,
        dtypes=(x.dtype,),
        sizes={"t": 2},
        order=(("m", "m", "m"), 2 / 3),
        panels=sign_and_logarithm_by_panels,
    )
    return sign_and_log[0], Array(real_part(sign_and_log[1].node))


def _slogdet(block: Any) -> Any:
    return np.stack(np.linalg.slogdet(block))


def packed_factors(x: Array) -> Array:
    """What `lu` is made of: both triangles, and two digits of the order of rows."""
    (packed,) = apply_whole(
        packed_lu,
        "(m,n)->(m,p)",
        x,
        dtypes=(x.dtype,),
        sizes={"p": x.shape[1] + 2},
        order=(("m", "m", "n"), 1.0),
        panels=lu_by_panels,
        copies=2,
    )
    return packed

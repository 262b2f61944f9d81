"""Several factors of one large matrix, side by side in one array: so they have a form in panels."""

from __future__ import annotations

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.matrices.equations import packed_sign_and_logarithm
from dask_tapestry.operators.matrices.matrix_factors import packed_qr_of
from dask_tapestry.teg import Tensor


def large_qr(x: Tensor) -> tuple[Tensor, Tensor]:
    """Orthonormal columns and a triangle."""
    rows, columns = x.type.shape
    packed = Array(packed_qr_of(x))
    is_tall = rows >= columns
    q, r = (packed[:rows], packed[rows:]) if is_tall else (packed[:, :rows], packed[:, rows:])
    return q.node, r.node


def large_slogdet(x: Array) -> tuple[Array, Array]:
    """The sign of the determinant, and the logarithm of its modulus."""
    both = Array(packed_sign_and_logarithm(x.node))
    return both[0], Array(real_part(both[1].node))

import numpy as np
import pytest

from dask_tapestry.operators.matrices.panel_qr import qr_by_panels, triangle_by_panels
from tests.operators.large import KINDS, cells, computed, near


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(17, 12), (9, 20)])
@pytest.mark.parametrize("rank", [2, 30])
def test_panels_make_orthonormal_columns(dtype, shape, rank):
    """Of matrices too whose rank is lower, where orthogonalising columns would fail."""
    a = cells((shape[0], rank), dtype) @ cells((rank, shape[1]), dtype, 1)
    both = computed(qr_by_panels, a, width=5)
    rows, side = shape[0], min(shape)
    q, r = (both[:rows], both[rows:]) if side == shape[1] else np.split(both, [rows], axis=1)
    near(q.conj().T @ q, np.eye(side), dtype)
    near(q @ r, a, dtype, 1000)
    assert not np.tril(r, -1).any()
    np.testing.assert_array_equal(computed(triangle_by_panels, a, width=5), r)

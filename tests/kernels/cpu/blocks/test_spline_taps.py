import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.spline_taps import mapped, taps
from dask_tapestry_kernels.parameters.splines import FAR


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("mode", ["mirror", "reflect", "wrap", "grid-wrap"])
def test_coordinates_come_into_range(mode, n):
    c = np.linspace(-40, 40, 1234)
    found = mapped(c, n, mode)
    inside = (c >= 0) & (c <= n - 1)
    np.testing.assert_array_equal(found[inside], c[inside])
    assert (found > -1).all()
    assert (found <= n).all()


def test_where_there_is_no_spline():
    found = taps(np.array([-0.1, 1.5, np.nan, np.inf]), 3, 1, "constant")
    assert found.outside.tolist() == [True, False, True, True]
    assert found.places[:, 0].tolist() == [0, 0]
    far = taps(np.array([-np.inf, 1e300]), 3, 1, "nearest")
    assert far.places.tolist() == [[0, 2], [0, 2]]
    assert far.weights.tolist() == [[1, 1], [0, 0]]
    assert FAR == 2.0**50

import numpy as np
import pytest
from scipy.interpolate import BSpline

from dask_tapestry_kernels.cpu.blocks.spline_weights import WEIGHTS


@pytest.mark.parametrize("order", range(6))
def test_weights_are_values_of_the_b_spline(order):
    c = np.linspace(3.0, 5.0, 41)[:-1] + 0.013
    first = np.floor(c if order % 2 else c + 0.5) - order // 2
    spline = BSpline.basis_element(np.arange(order + 2) - (order + 1) / 2, extrapolate=False)
    weights = WEIGHTS[order](c)
    for number, weight in enumerate(weights):
        expected = np.nan_to_num(spline(c - first - number)) if order else 1.0
        np.testing.assert_allclose(weight, expected, atol=1e-15)
    np.testing.assert_allclose(sum(weights), 1, rtol=1e-15)

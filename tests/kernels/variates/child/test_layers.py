"""The tables belong to the compiling process; here they are checked by what they mean."""

import numpy as np
import pytest

from dask_tapestry_kernels.variates.child import layers


@pytest.mark.parametrize(
    ("edges", "heights", "area"),
    [
        (layers.NORMAL_EDGES, layers.NORMAL_HEIGHTS, layers.NORMAL[1]),
        (layers.EXPONENTIAL_EDGES, layers.EXPONENTIAL_HEIGHTS, layers.EXPONENTIAL[1]),
    ],
)
def test_layers_have_one_area_and_end_at_the_top(edges, heights, area):
    assert len(edges) == len(heights) == layers.LAYERS + 1
    np.testing.assert_allclose(edges[1:-1] * np.diff(heights)[1:], float(area), rtol=1e-11)
    assert (edges[-1], heights[0], heights[-1]) == (0, 0, 1)
    assert (np.diff(edges) < 0).all()


def test_heights_are_the_density_at_the_edges():
    np.testing.assert_allclose(
        layers.NORMAL_HEIGHTS[1:], np.exp(-(layers.NORMAL_EDGES[1:] ** 2) / 2), rtol=1e-13
    )
    np.testing.assert_allclose(
        layers.EXPONENTIAL_HEIGHTS[1:], np.exp(-layers.EXPONENTIAL_EDGES[1:]), rtol=1e-13
    )

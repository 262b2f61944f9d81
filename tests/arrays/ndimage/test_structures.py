import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("connectivity", [0, 1, 2, 3, 7])
def test_neighbours(rank, connectivity):
    found = dt.ndimage.generate_binary_structure(rank, connectivity)
    expected = ndimage.generate_binary_structure(rank, connectivity)
    assert found.dtype == bool
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("structure", [[0, 1, 1], [[0, 1], [1, 1]], np.eye(3), [[1, 1, 0, 1]]])
@pytest.mark.parametrize("times", [0, 1, 2, 4])
def test_structures_that_are_iterated(structure, times):
    found = dt.ndimage.iterate_structure(structure, times)
    np.testing.assert_array_equal(found, ndimage.iterate_structure(np.array(structure), times))
    if times > 1:
        assert dt.ndimage.iterate_structure(structure, times, -1)[1] == [-times] * np.ndim(
            structure
        )

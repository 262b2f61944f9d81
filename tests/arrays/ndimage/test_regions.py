import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.regions import Regions
from dask_tapestry.teg import Graph

CELLS = np.array([[1, 5, 2], [7, 0, 3]])
LABELS = np.array([[1, 1, 2], [0, 2, 2]])


def test_labels_are_broadcast_and_may_be_lazy():
    found = dt.ndimage.sum_labels(dt.asarray(CELLS), dt.asarray([1, 2, 1]) + 0, [2, 1])
    np.testing.assert_array_equal(found.compute(), ndimage.sum_labels(CELLS, [1, 2, 1], [2, 1]))


def test_labels_may_be_asked_for_twice_and_in_any_shape():
    found = dt.ndimage.mean(dt.asarray(CELLS), LABELS, [[2, 1], [2, 0]])
    np.testing.assert_array_equal(found, ndimage.mean(CELLS, LABELS, [[2, 1], [2, 0]]))


def test_graphs_do_not_grow_with_regions():
    x, labels = (dt.placeholder((4000, 4000), kind, (1000, 1000)) for kind in ("f4", "i4"))
    few, many = (
        len(Graph([dt.ndimage.sum_labels(x, labels, np.arange(n)).node]).nodes) for n in (3, 9999)
    )
    assert few == many


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (["a"], TypeError),
        ([[1], [2, 3]], TypeError),
        (object(), TypeError),
        (lambda: dt.placeholder((3,), "i8") + 1, TypeError),
    ],
)
def test_an_index_that_is_no_known_labels_is_refused(index, error):
    chosen = index() if callable(index) else index
    with pytest.raises(error, match="mean: index"):
        dt.ndimage.mean(dt.ones(3), [1, 2, 3], chosen)


def test_cells_and_labels_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="shape"):
        dt.ndimage.sum_labels(dt.ones((3, 4)), dt.ones(5, dtype=int))
    with pytest.raises(TypeError, match="sum_labels: cells must be numbers"):
        dt.ndimage.sum_labels(np.array(["a"]))


def test_one_region_is_all_without_labels():
    regions = Regions.of("mean", CELLS, None, 7)
    assert regions.is_one
    assert int(regions.reduce("sum")) == CELLS.sum()

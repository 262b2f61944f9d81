import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.turned_folds import fold_before_turning, has_turned, turned_axes
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(130, 9, 14))
WEIGHTS = RANDOM.normal(size=130)

FOLDS = {  # of a turned array, each beside the mean along the first axis of the array as it lies
    "max": lambda x, xp: x.T.max(2),
    "weighted": lambda x, xp: (xp.transpose(x, (1, 2, 0)) * WEIGHTS).sum(-1),
    "two of one": lambda x, xp: (x.T * x.T + 1).std(2),
    "kept dimensions": lambda x, xp: x.T.sum(2, keepdims=True),
    "places": lambda x, xp: xp.transpose(x, (2, 0, 1)).argmin(1),
    "deep": lambda x, xp: xp.sqrt(xp.abs(x.T - 1) + x.T**2).mean(2),
}


def reads_of_passes(*arrays):
    """How many passes over cells there are."""
    nodes = dt.plan(*arrays).teg.nodes
    return len([n for n in nodes if n.operator.name in ("reduce", "jointreductions")])


@pytest.mark.parametrize("name", FOLDS)
def test_folds_of_turned_arrays_share_a_pass_with_others(name, tmp_path):
    dt.to_zarr(dt.asarray(X), tmp_path / "x", chunks=(20, 9, 14))
    x = dt.from_zarr(tmp_path / "x")
    turned, mean = FOLDS[name](x, dt), x.mean(0)
    assert reads_of_passes(turned, mean) == 1
    found, beside = dt.compute(turned, mean)
    np.testing.assert_allclose(found, FOLDS[name](X, np), rtol=1e-12)
    assert same_bits(found, turned.compute())
    assert same_bits(beside, mean.compute())


def test_what_folds_axes_in_another_order_stays_with_its_bits():
    x = dt.asarray(X)
    node = dt.plan(x.T.sum((0, 1))).teg  # of axes 2 and 1, in this order
    assert any(turned_axes(n) for n in node.nodes)
    np.testing.assert_allclose(x.T.sum((0, 1)).compute(), X.T.sum((0, 1)), rtol=1e-12)


def test_cells_that_are_not_turned_alike_stay_as_they_are():
    x, y = dt.asarray(X), dt.asarray(np.ascontiguousarray(X.T))
    for array in ((x.T + y).max(2), (x.T + x.transpose(2, 0, 1).transpose(0, 2, 1)[::-1]).max(2)):
        turned = [n for n in dt.plan(array).teg.nodes if turned_axes(n)]
        assert turned
    np.testing.assert_array_equal((x.T + y).max(2).compute(), (2 * X.T).max(2))


def test_names_of_dimensions_go_along():
    x = dt.asarray(X, dims=("time", "y", "x"))
    found = x.T.mean("time")
    assert found.dims == ("x", "y")
    np.testing.assert_allclose(found.compute(), X.T.mean(2), rtol=1e-12)


def test_what_is_not_turned():
    graph = dt.asarray(X).mean(0).teg
    assert not has_turned(graph)
    assert [fold_before_turning(node) for node in graph.roots] == [None]

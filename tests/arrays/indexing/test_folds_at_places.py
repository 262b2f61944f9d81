import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.indexing import folds_at_places
from dask_tapestry.arrays.indexing.folds_at_places import MONOIDS, fold_many_at
from dask_tapestry.teg import Graph


@pytest.fixture
def all_are_many(monkeypatch):
    monkeypatch.setattr(folds_at_places, "MOST_ORDERED_BYTES", 0)
    monkeypatch.setattr(folds_at_places, "LEAST_AT_A_CELL", 0)


def _folded(x, name, key, values):
    node = fold_many_at(asarray(x).node, name, key, asarray(values).node)
    return None if node is None else dt.Array(node)


@pytest.mark.usefixtures("all_are_many")
@pytest.mark.parametrize("name", [*MONOIDS])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8", "?"])
def test_folds_at_places_are_numpys(name, dtype):
    if name.startswith("logical") != (dtype == "?"):
        return
    generator = np.random.default_rng(0)
    x = generator.integers(1, 4, (5, 3)).astype(dtype)
    rows, columns = generator.integers(-5, 5, 60), generator.integers(0, 3, 60)
    square = generator.integers(0, 5, (2, 30))
    for key, shape in (
        (rows, (60, 3)),
        (square, (2, 30, 3)),
        ((rows, columns), (60,)),
        ((square[:, :, None], columns), (2, 30, 60)),
    ):
        values = generator.integers(0, 3, shape).astype(dtype)
        expected = x.copy()
        getattr(np, name).at(expected, key, values)
        with dt.config(block_bytes=64):
            found = _folded(x, name, key, values)
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.usefixtures("all_are_many")
def test_indices_that_are_lazy_and_known_to_be_in_bounds():
    generator = np.random.default_rng(1)
    numbers, values = generator.integers(0, 1000, 200_000), generator.normal(size=200_000)
    expected, ours = np.zeros(100), dt.zeros(100)
    np.add.at(expected, numbers % 100, values)
    np.add.at(ours, dt.asarray(numbers) % 100, dt.asarray(values))
    found = [ours.compute(scheduler=scheduler) for scheduler in ("sync", "threads")]
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("dtype", ["u1", "f8"])
def test_values_are_many_with_their_places(monkeypatch, dtype):
    """Places of small numbers take most of what a task would go through."""
    monkeypatch.setattr(folds_at_places, "MOST_ORDERED_BYTES", 2000)
    for count in (10, 400):
        places = np.zeros(count, np.int64)
        found = _folded(np.zeros(2, dtype), "add", places, np.ones(count, dtype))
        assert (found is None) == (count == 10)


@pytest.mark.usefixtures("all_are_many")
def test_where_order_or_conversion_matters():
    places = np.array([0, 1, 1])
    assert _folded(np.zeros(3), "divide", places, np.ones(3)) is None
    assert _folded(np.zeros(3, "f4"), "add", places, np.ones(3)) is None
    assert _folded(np.full(3, 5), "logical_or", places, np.ones(3, int)) is None
    assert _folded(np.zeros(3), "add", np.array([True, False, True]), np.ones(2)) is None
    assert _folded(np.zeros(3), "add", np.array([0, 3]), np.ones(2)) is None
    assert _folded(np.zeros(3), "add", (slice(None),), np.ones(3)) is None
    assert _folded(np.zeros((3, 2)), "add", (slice(None), places - 1), np.ones((3, 3))) is None


def test_few_values_are_folded_in_order():
    assert _folded(np.zeros(3), "add", np.zeros(1000, int), np.ones(1000)) is None


@pytest.mark.usefixtures("all_are_many")
@pytest.mark.parametrize("name", ["add", "subtract", "maximum"])
def test_indices_that_may_be_out_of_bounds_are_looked_up(name):
    generator = np.random.default_rng(1)
    rows, columns = generator.integers(-7, 7, 5000), generator.integers(-5, 5, 5000)
    values = generator.integers(-9, 9, 5000)
    expected, ours = np.zeros((7, 5), int), dt.zeros((7, 5), int)
    getattr(np, name).at(expected, (rows, columns), values)
    getattr(np, name).at(ours, (dt.asarray(rows), dt.asarray(columns)), dt.asarray(values))
    assert "groupfold" in {node.operator.name for node in Graph([ours.node]).nodes}
    with dt.config(block_bytes=2**10):
        np.testing.assert_array_equal(ours.compute(), expected)
    columns[4000] = 5
    wrong = dt.zeros((7, 5), int)
    getattr(np, name).at(wrong, (dt.asarray(rows), dt.asarray(columns)), values)
    with dt.config(block_bytes=2**10), pytest.raises(IndexError, match="5 is out of bounds"):
        wrong.compute()


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("most", [100, 2**31])
@pytest.mark.parametrize("name", ["add", "maximum"])
def test_folds_at_places_read_values_once(name, most):
    n, chunks = 2_000_000_000, (10_000_000,)
    numbers = dt.placeholder((n,), "int32", stored_chunks=chunks)
    values = dt.placeholder((n,), "float64", stored_chunks=chunks)
    table = dt.zeros(100)
    getattr(np, name).at(table, numbers % 100 if most == 100 else numbers, values)
    p = dt.plan(table, resources=dt.Resources(8, 2, "1 GiB"))
    assert p.cost["bytes_read"] <= 1.3 * (numbers.nbytes + values.nbytes)

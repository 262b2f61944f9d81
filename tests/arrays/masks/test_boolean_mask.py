import asyncio

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core import array
from dask_tapestry.lower import planned_expression, small_jobs
from tests.arrays.parity import agreed
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
CELLS = np.arange(60).reshape(3, 4, 5) * 7 % 11


@pytest.fixture
def runs(monkeypatch):
    """How many plans have been run, by a scheduler or without one."""
    made = []
    for module, name in ((planned_expression, "lower_plan"), (small_jobs, "_run")):
        run = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, run=run: made.append(a) or run(*a))
    return made


def test_a_shape_is_exact():
    x = dt.asarray(CELLS)
    picked = x[x > 5]
    assert picked.shape == (int((CELLS > 5).sum()),)
    assert picked.dtype == CELLS.dtype


def test_nothing_is_counted_before_a_shape_is_asked(runs):
    x = dt.asarray(CELLS)
    picked = x[x > 5]
    assert repr(picked) == "dt.Array<compress, at most int64[60], not counted yet>"
    assert "at most (60,)" in picked._repr_html_()
    assert (picked.ndim, picked.dtype) == (1, CELLS.dtype)
    assert not runs
    assert len(picked) == (CELLS > 5).sum()
    assert runs


def test_a_mask_is_counted_once(runs):
    x = dt.asarray(CELLS)
    mask = x > 5
    first, second = x[mask], (x + 1)[mask]
    assert first.shape == second.shape
    counted = len(runs)
    assert x[mask].shape == first.shape
    assert [len(i) for i in dt.nonzero(mask)] == [first.shape[0]] * 3
    assert len(runs) == counted


def test_few_cells_are_counted_without_a_scheduler(monkeypatch):
    monkeypatch.setattr(array, "dask_persist", None)
    x = dt.asarray(CELLS)
    assert x[x > 5].compute().tolist() == CELLS[CELLS > 5].tolist()


def test_a_plan_of_what_is_not_counted_shows_the_bound(runs):
    x = dt.asarray(CELLS)
    plan = x[x > 5].plan()
    assert "60" in plan.explain()
    assert not runs


def test_the_value_reads_the_mask_that_was_counted():
    calls = []

    class Cells:
        shape, dtype = (6,), np.dtype("f8")

        def __getitem__(self, key):
            calls.append(key)
            return np.full(6, len(calls), "f8")[key]

    x = dt.from_array(Cells())
    picked = dt.arange(6)[x < 2]
    assert picked.shape == (6,)
    assert picked.compute().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("side", [1, 2, 5, 60])
def test_nonzero_and_its_kin(side):
    x = dt.asarray(CELLS).rechunk(side)
    for ours, theirs in zip(dt.nonzero(x), np.nonzero(CELLS), strict=True):
        assert same_bits(ours.compute(), theirs)
    assert same_bits(dt.argwhere(x).compute(), np.argwhere(CELLS))
    assert same_bits(dt.flatnonzero(x).compute(), np.flatnonzero(CELLS))
    assert same_bits(dt.extract(x > 3, x).compute(), np.extract(CELLS > 3, CELLS))
    assert same_bits(
        dt.compress([True, False, True], x, axis=1).compute(),
        np.compress([True, False, True], CELLS, axis=1),
    )


@pytest.mark.parametrize("wanted", [True, False])
def test_a_cell_is_compressed_as_an_array_of_one(wanted):
    made = dt.compress([wanted], dt.asarray(np.float32(3)), axis=0)
    assert same_bits(made.compute(), np.compress([wanted], np.float32(3), axis=0))


@pytest.mark.parametrize(
    "cells", [np.zeros((0, 3)), np.zeros((2, 3)), np.ones((1, 1)), np.ones(())]
)
def test_nothing_and_everything(cells):
    assert same_bits(dt.argwhere(dt.asarray(cells)).compute(), np.argwhere(cells))
    assert same_bits(dt.flatnonzero(cells).compute(), np.flatnonzero(cells))


def test_bad_arguments():
    with pytest.raises(ValueError, match="0d"):
        dt.nonzero(dt.asarray(1))
    with pytest.raises(ValueError, match="1-d"):
        dt.compress([[True]], dt.arange(3))
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        dt.compress([True] * 4, dt.arange(3)).compute()
    assert dt.compress([True, False, True, False], dt.arange(3)).compute().tolist() == [0, 2]
    with pytest.raises(np.exceptions.AxisError):
        dt.compress([True], dt.arange(3), axis=1)


def test_shapes_are_resolved_from_asynchronous_code():
    x = dt.arange(10)
    picked = x[x > 6]
    asyncio.run(dt.resolve_shapes(picked, x))
    assert picked.deferred is None
    assert picked.shape == (3,)


@pytest.mark.parametrize("dtype", ["S1", "U2"])
def test_texts_are_true_where_they_are_not_empty(dtype):
    cells = np.array(["a", "", "b"], dtype)
    agreed(lambda np, a: np.argwhere(a(cells)))
    agreed(lambda np, a: np.nonzero(a(cells)))
    agreed(lambda np, a: np.flatnonzero(a(cells)))


RECORDS = np.array(
    [((0, 0), "", 2), ((0, 1), "", 0), ((0, 0), "a", 0), ((0, 0), "", 0)],
    [("a", [("x", "i2"), ("y", "f4")]), ("b", "U1"), ("c", "u1")],
)


@pytest.mark.parametrize(
    "cells",
    [
        RECORDS,
        RECORDS.reshape(2, 2),
        np.frombuffer(b"\0\0\0\1\0\0", "V2"),
        RECORDS[:0],
        RECORDS[["a"]],
    ],
)
def test_a_record_is_zero_if_all_its_fields_are(cells):
    x = dt.asarray(cells, chunks=1)
    for ours, theirs in zip(dt.nonzero(x), np.nonzero(cells), strict=True):
        same_bits(ours.compute(), theirs)
    assert same_bits(dt.argwhere(x).compute(), np.argwhere(cells))
    assert int(dt.count_nonzero(x)) == np.count_nonzero(cells)


@pytest.mark.parametrize("kind", ["f8", "c16", "M8[s]", "m8[s]", "U3", "S3", "O", "?"])
def test_what_is_counted_is_what_is_found(kind):
    cells = np.array(["0", "1", "7"]).astype("i8").astype(kind)
    x = dt.asarray(cells)
    assert int(dt.count_nonzero(x)) == dt.flatnonzero(x).size == np.count_nonzero(cells)


def test_compress_is_a_method_too():
    x = np.arange(12).reshape(3, 4)
    for args, kwargs in (([[1, 0, 1]], {"axis": 0}), ([[True, False, True]], {}), ([[1]], {})):
        found = dt.asarray(x).compress(*args, **kwargs)
        np.testing.assert_array_equal(found.compute(), x.compress(*args, **kwargs))

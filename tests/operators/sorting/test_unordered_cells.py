"""Unordered cells: percentiles of all cells of an array read its chunks as they lie."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.sorting import unique_of_few
from dask_tapestry.operators.sorting import topk, unordered_cells
from dask_tapestry.operators.sorting.order_statistics import by_digits, ranks
from dask_tapestry.operators.sorting.unordered_cells import (
    in_order_of_chunks,
    run_of_chunks,
    unordered,
)
from tests.comparisons import same_bits
from tests.rules.test_ends_of_lanes import cells as mixed_cells

A, B = (np.random.default_rng(key).normal(size=(60, 70)) for key in (0, 1))
SMALL = dt.Resources(4, 2, "1 GiB")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda xp, a, b: a.reshape(-1), (60, 70)),
        (lambda xp, a, b: xp.abs(a.reshape(-1)) * 2, (60, 70)),
        (lambda xp, a, b: a.reshape(-1) - b.reshape(-1), (60, 70)),
        (lambda xp, a, b: a.T.reshape(-1) + 1, (70, 60)),
        (lambda xp, a, b: a.reshape(-1) - b.T.reshape(-1), (4200,)),  # in different orders
        (lambda xp, a, b: a.reshape(-1)[::2], (2100,)),
        (lambda xp, a, b: xp.where(a.reshape(-1) > 0, xp.arange(4200.0), 1), (4200,)),
    ],
)
def test_reshapes_of_one_shape_are_left_out(make, shape, sync):
    arrays = [dt.from_array(a) for a in (A, B)]
    y, expected = make(dt, *arrays), make(np, A, B)
    found = dt.Array(unordered(y.node))
    assert found.shape == shape
    np.testing.assert_array_equal(np.sort(found.compute().ravel()), np.sort(expected))
    chosen = [0, len(expected) // 3, len(expected) - 1]
    cells = dt.Array(by_digits(ranks(y.node, chosen, 0), 4)).compute()
    np.testing.assert_array_equal(cells, np.sort(expected)[chosen])


@pytest.mark.few(2)  # of one pass or of two
@pytest.mark.parametrize(
    ("make", "passes"),
    [
        (lambda x: dt.percentile(x, [1, 99]), 2),
        (lambda x: dt.median(dt.abs(x)), 2),
        (lambda x: dt.median(x.T.astype("f2")), 1),
    ],
)
def test_chunks_in_tiles_are_read_once_in_each_pass(make, passes):
    x = dt.placeholder((40_000, 40_000), "f4", (2000, 2000))
    plan = dt.plan(make(x), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.05 * passes * x.nbytes


STORED = [
    ((60, 70), (6, 7), np.s_[:, :]),
    ((60, 70), (7, 9), np.s_[:, :]),  # the last ones are shorter
    ((60, 70), (7, 9), np.s_[3:57, 5:]),  # and the first ones
    ((60, 70), (1, 9), np.s_[:, :]),  # of lines of one cell, in order
    ((12, 9, 11), (5, 4, 3), np.s_[2:, :, 1:]),
    ((12, 9, 11), (1, 4, 3), np.s_[:, :, :]),
]


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setattr(unordered_cells, "WIDEST_CHUNK_ROW_BYTES", 0)


def stored(tmp_path, cells, chunks, part=np.s_[:]):
    dt.to_zarr(dt.asarray(cells), tmp_path / "x.zarr", chunks=chunks, overwrite=True)
    return dt.from_zarr(tmp_path / "x.zarr")[part]


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(("shape", "chunks", "part"), STORED)
def test_cells_are_taken_chunk_by_chunk(shape, chunks, part, tmp_path, narrow):
    cells = np.arange(np.prod(shape)).reshape(shape)
    x = stored(tmp_path, cells, chunks, part)
    found = dt.Array(in_order_of_chunks(x.ravel().node)).compute()
    np.testing.assert_array_equal(np.sort(found), np.sort(cells[part].ravel()))
    starts = [one.start or 0 for one in part]
    first = tuple(slice(n - start % n) for n, start in zip(chunks, starts, strict=True))
    chunk = cells[part][first].ravel()
    np.testing.assert_array_equal(found[: chunk.size], chunk)


def test_what_lies_in_order_stays(tmp_path, narrow):
    cells = np.arange(60.0).reshape(6, 10)
    assert is_left(stored(tmp_path, cells, (2, 10)).ravel())  # rows of one chunk
    assert is_left(dt.asarray(cells).ravel())
    tiles = stored(tmp_path, cells, (2, 5))
    assert not is_left(tiles.ravel())
    assert is_left(dt.Array(in_order_of_chunks(tiles.ravel().node)))
    assert is_left(tiles.ravel()[1:])


def test_short_rows_of_chunks_stay(tmp_path):
    assert is_left(stored(tmp_path, np.arange(60.0).reshape(6, 10), (2, 5)).ravel())


def is_left(x):
    return in_order_of_chunks(x.node) is x.node


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda x: dt.topk(x.ravel(), 9), 1.3),
        (lambda x: dt.topk(dt.abs(x).ravel(), -9), 1.3),
        (lambda x: dt.partition(x.ravel(), 9)[:10], 1.3),
        (lambda x: dt.sort(x.ravel())[-9:], 1.3),
    ],
)
def test_tiles_that_are_sorted_are_read_about_once(make, most):
    x = dt.placeholder((20_000, 200_000), "f4", (2000, 2000))
    plan = dt.plan(make(x), resources=dt.Resources(16, 2, "8 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] <= most * x.nbytes


PROGRAMS = {
    "best": lambda x: dt.topk(x.ravel(), 7),
    "least": lambda x: dt.topk(x.ravel(), -7),
    "end": lambda x: dt.sort(x.ravel())[5:20],
    "values": lambda x: dt.unique(x),
    "counts": lambda x: dt.unique(x, return_counts=True)[1],
    "places": lambda x: dt.unique(x, return_index=True)[1],
    "inverse": lambda x: dt.unique(x, return_inverse=True)[1],
    "best places": lambda x: dt.argtopk(x.ravel(), 7),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", ["f8", "f4", "i2", "?", "c16", "m8[s]", "u1"])
def test_bits_are_those_of_cells_in_c_order(kind, name, tmp_path, shardings, narrow, monkeypatch):
    monkeypatch.setattr(topk, "SHORTEST_TOPK_RUN", 50)
    monkeypatch.setattr(unique_of_few, "FEWEST_CELLS", 100)
    x = mixed_cells(kind, (30, 41))
    expected = PROGRAMS[name](dt.asarray(x)).compute()
    dt.to_zarr(dt.asarray(x), tmp_path / "x.zarr", chunks=(7, 9))
    for block_bytes in (10**9, 2000):
        with shardings.tiny(block_bytes):
            found = PROGRAMS[name](dt.from_zarr(tmp_path / "x.zarr")).compute()
            assert same_bits(found, expected)


def test_runs_are_of_whole_chunks():
    tiles = dt.placeholder((100_000, 100_000), "f8", (2000, 2000)).reshape(-1).node
    assert run_of_chunks(tiles, 300_000) == 400_000  # a tenth of a tile
    assert run_of_chunks(tiles, 5_000_000) == 8_000_000
    assert run_of_chunks(dt.placeholder((10**9,), "f8", (10**7,)).node, 65_540) == 78_125
    assert run_of_chunks(dt.placeholder((10**9,), "f8").node, 65_540) in range(65_540, 131_081)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("steps", [3, 40, 300])
def test_what_formulas_read_twice_is_met_once(steps):
    """As of loops: paths to the flattened array double with each step."""

    def written(x):
        y = x.ravel()
        for _ in range(steps):
            y = (y + 1) * (y - 1) / 4
        return y

    x = dt.asarray(A)
    assert unordered(written(x).node).type.shape == A.shape
    if steps == 3:
        assert same_bits(dt.unique(written(x)).compute(), np.unique(written(A)))

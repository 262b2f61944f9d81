import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import sparse_matmul
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(3)
GRID, TABLE = (12, 10), (5, 6)
COUNTS = RANDOM.integers(0, 9, 30)
COUNTS[4] = 0
STARTS = np.append(0, np.cumsum(COUNTS))
COLUMNS = np.concatenate([np.sort(RANDOM.permutation(120)[:n]) for n in COUNTS]).astype(np.int32)
VALUES = RANDOM.normal(size=COLUMNS.size)
X = RANDOM.normal(size=(7, *GRID, 3))


@pytest.fixture(autouse=True)
def _by_numpy():
    with compile_service.mode("off"):
        yield


def multiplied(cells=X, values=VALUES, out=None, columns=COLUMNS, starts=STARTS, **told):
    how = {"axes": (1, 2), "at": 1, "grid": GRID, "corner": (0, 0), "table": TABLE}
    how |= {"rows": tuple(map(range, TABLE)), "first": (0, 0), "shape": (7, *TABLE, 3)}
    how |= {"dtype": values.dtype, "least": None}
    return KERNELS["sparsematmul"](out, cells, values, columns, starts, **{**how, **told})


def each_row(cells):
    """Sums of the rows over two axes that are first, one cell after the other."""
    found = np.zeros((30, *cells.shape[2:]))
    for row in range(30):
        for k in range(STARTS[row], STARTS[row + 1]):
            found[row] += VALUES[k] * cells[divmod(COLUMNS[k], 10)]
    return found.reshape(*TABLE, *cells.shape[2:])


WHOLE = np.moveaxis(each_row(np.moveaxis(X, 0, 2)), 2, 0)


def test_rows_are_added_up_in_the_order_of_columns():
    assert same_bits(multiplied(), WHOLE)
    assert same_bits(multiplied(np.asfortranarray(X)), WHOLE)
    last = multiplied(X.transpose(0, 3, 1, 2), axes=(2, 3), at=2, shape=(7, 3, *TABLE))
    assert same_bits(last, WHOLE.transpose(0, 3, 1, 2).copy())


def test_tiles_do_not_matter(monkeypatch):
    monkeypatch.setattr(sparse_matmul, "TILE_CELLS", 1)
    assert same_bits(multiplied(), WHOLE)


def test_memory_that_is_given_is_filled():
    out = np.empty((7, *TABLE, 3))
    assert multiplied(out=out) is out
    assert same_bits(out, WHOLE)
    part = np.empty((7, 9, 9, 3))[:, 1:6, 2:8]  # where rows are not one line
    assert multiplied(out=part) is not part


def test_some_rows_of_some_cells():
    rows = (range(1, 5, 2), range(2, 6))
    wanted = WHOLE[:, 1:5:2, 2:6]
    begin = STARTS[3]
    told = {"rows": rows, "first": (2, int(begin)), "shape": wanted.shape}
    found = multiplied(values=VALUES[begin:], columns=COLUMNS[begin:], starts=STARTS[2:], **told)
    assert same_bits(found, np.ascontiguousarray(wanted))
    used = np.stack(np.divmod(COLUMNS, 10))
    low, high = used.min(1), used.max(1) + 1
    box = X[:, low[0] : high[0], low[1] : high[1]]
    assert same_bits(multiplied(box, corner=tuple(low.tolist())), WHOLE)


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4", "c8", "c16"])
def test_sums_are_of_the_dtype(dtype):
    cells = (X * 5).astype(dtype)
    values = (VALUES * 5).astype(dtype)
    found = multiplied(cells, values)
    assert found.dtype == dtype
    dense = np.zeros((30, 120), dtype)
    dense[np.repeat(np.arange(30), COUNTS), COLUMNS] = values
    flat = np.moveaxis(cells, 0, -1).reshape(120, -1)
    expected = (dense @ flat).reshape(*TABLE, 3, 7)
    np.testing.assert_allclose(np.moveaxis(found, 0, -1), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["f4", "f8", "c16"])
@pytest.mark.parametrize("least", [1e-6, 0.5, 1 - 1e-6])
def test_what_is_not_nan_is_weighed(least, kind):
    cells = X.astype(kind)
    cells[RANDOM.random(X.shape) < 0.3] = np.nan
    shares = np.repeat(1 / np.maximum(1, COUNTS), COUNTS).astype(kind)
    found = multiplied(cells, shares, least=least)
    turned = np.moveaxis(cells, 0, 2)
    for row in range(30):
        own = turned[np.divmod(COLUMNS[STARTS[row] : STARTS[row + 1]], 10)]
        known = ~np.isnan(own)
        share = known.sum(0) / max(1, len(own))
        mean = np.where(known, own, 0).sum(0) / np.maximum(1, known.sum(0))
        expected = np.where(share < least - 1e-7, np.nan, mean)
        np.testing.assert_allclose(found[:, row // 6, row % 6], expected, rtol=1e-5, atol=1e-6)


def test_nothing_is_zero_or_nan():
    none = np.empty(0)
    told = {"values": none, "columns": np.empty(0, np.int32), "starts": np.zeros(31, int)}
    assert not multiplied(X[:, :0, :0], **told).any()
    assert np.isnan(multiplied(X[:, :0, :0], **told, least=0.5)).all()
    assert multiplied(X[:0], shape=(0, *TABLE, 3)).shape == (0, *TABLE, 3)

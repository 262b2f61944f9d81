import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.blocks import stable_order as module
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order

RANDOM = np.random.default_rng(3)
DTYPES = "f4,f8,i4,u4,i8,u8".split(",")


@pytest.fixture(autouse=True)
def few_cells_suffice(monkeypatch):
    monkeypatch.setattr(module, "FEW", 2)


def cells(dtype, kind, shape):
    x = {
        "few": lambda: RANDOM.integers(0, 5, shape),
        "wide": lambda: RANDOM.integers(0, 2**63, shape, "u8") << np.uint64(1),
        "close": lambda: 2**40 + RANDOM.random(shape),
        "equal": lambda: np.ones(shape),
        "spread": lambda: np.exp(RANDOM.normal(size=shape) * 20) * RANDOM.choice([-1, 1], shape),
    }[kind]()
    with np.errstate(all="ignore"):
        return x.astype(dtype)


@pytest.mark.covering
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["few", "wide", "close", "equal", "spread"])
@pytest.mark.parametrize("shape", [(2,), (3001,), (7, 501), (3, 1), (2, 3, 100)])
def test_places_are_those_of_a_stable_sort(dtype, kind, shape):
    x = cells(dtype, kind, shape)
    before = x.copy()
    assert np.array_equal(stable_order(x), np.argsort(x, axis=-1, kind="stable"))
    assert np.array_equal(x, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["few", "wide", "close", "spread"])
def test_lanes_may_lie_side_by_side(dtype, kind):
    """Numbers of which bits are lost, and that are alike without them, among these."""
    x = cells(dtype, kind, (3001, 5))
    x[7], x[9] = x.max(), 0
    for lanes in (x.T, x[::2].T, np.asfortranarray(x.reshape(-1, 5, 1)).transpose(2, 1, 0)):
        expected = np.argsort(lanes, axis=-1, kind="stable")
        assert np.array_equal(stable_order(lanes), expected)
    wide = np.array([2**63 - 1, 2**62, *range(5), *range(5)], "i8")
    both = np.stack([wide, wide[::-1]], axis=1)
    assert np.array_equal(stable_order(both.T), np.argsort(both.T, axis=-1, kind="stable"))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zeros_are_equal_and_nan_is_last(dtype):
    x = RANDOM.choice(np.array([0.0, -0.0, 1, -1, np.nan, -np.nan, np.inf, -np.inf], dtype), 999)
    assert np.array_equal(stable_order(x), np.argsort(x, kind="stable"))


def test_bits_that_are_lost_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "WORD", 64)
    x = RANDOM.integers(0, 4, 5000).astype("u8") << np.uint64(62)
    x += RANDOM.integers(0, 2, 5000).astype("u8")
    assert np.array_equal(stable_order(x), np.argsort(x, kind="stable"))


@given(st.lists(st.floats(width=64), min_size=2, max_size=60))
def test_any_numbers(values):
    x = np.array(values)
    assert np.array_equal(stable_order(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ["?", "i2", "f2", "c16", "S3", "M8[s]", ">f8"])
def test_other_cells_are_left_to_numpy(dtype):
    x = RANDOM.integers(0, 9, 100).astype("i8").astype(dtype)
    assert np.array_equal(stable_order(x), np.argsort(x, kind="stable"))


def test_cells_in_order_are_not_sorted(monkeypatch):
    monkeypatch.setattr(module, "_order", None)
    assert np.array_equal(stable_order(np.sort(RANDOM.random((3, 50)))), [range(50)] * 3)


@pytest.mark.parametrize("shape", [(7, 5000), (3, 5, 1000), (4, 1, 3000), (2, 2, 2, 2000), (9000,)])
@pytest.mark.parametrize("many", [3, 10**9])
def test_lanes_are_ordered_in_groups(shape, many, monkeypatch):
    monkeypatch.setattr(module, "GROUP", 6000)
    cells = np.random.default_rng(0).integers(0, many, shape).astype("f8")
    expected = np.argsort(cells, axis=-1, kind="stable")
    np.testing.assert_array_equal(module.stable_order(cells), expected)


def test_alike_cells_take_no_more_than_is_said():
    """`scratch_bytes` of argsort: all places, and twelve numbers for each cell of a group."""
    cells = np.random.default_rng(0).integers(0, 100, (400, 5000)).astype("f8")
    tracemalloc.start()
    module.stable_order(cells)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 8 * (cells.size + 12 * module.GROUP)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 61, 65])
def test_texts_are_ordered_by_words(size):
    random = np.random.default_rng(size)
    long = random.integers(0, 2, (300, size)).astype("u1") * random.choice([1, 255], (300, 1))
    texts = long.astype("u1").reshape(-1).view(f"S{size}")
    for cells in (texts, texts.reshape(4, -1), np.sort(texts), texts[::2]):
        assert np.array_equal(stable_order(cells), np.argsort(cells, axis=-1, kind="stable"))

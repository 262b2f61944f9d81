import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import sort
from dask_tapestry_kernels.cpu.blocks.sort import pair_dtype, sort_cells, sort_pairs
from dask_tapestry_kernels.parameters.largest_cell import largest

RANDOM = np.random.default_rng(7)


def zeros_and_nans(shape, dtype):
    """Cells of few values, with zeros of both signs and NaN of several kinds."""
    x = RANDOM.integers(-2, 3, shape).astype(dtype)
    x[RANDOM.random(shape) < 0.3] = -0.0
    x[RANDOM.random(shape) < 0.1] = np.nan
    x[RANDOM.random(shape) < 0.1] = -np.nan
    return x


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_signs_of_zeros_are_kept_and_come_in_order(dtype, in_runs, axis):
    x = zeros_and_nans((37, 41), dtype)
    made = x.copy()
    sort_cells(made, axis, in_runs)
    np.testing.assert_array_equal(made, np.sort(x, axis=axis))
    zero = made == 0
    assert np.array_equal((np.signbit(made) & zero).sum(axis), (np.signbit(x) & (x == 0)).sum(axis))
    falls = np.diff(np.where(zero, np.signbit(made), 0).astype(int), axis=axis) > 0
    entered = ~np.take(zero, range(zero.shape[axis] - 1), axis)
    assert not (falls & ~entered).any(), "a positive zero before a negative one"
    assert not np.signbit(made[np.isnan(made)]).any()


@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("shape", [(6000,), (3, 20_000), (9000, 2)])
def test_halves_of_both_signs(shape, in_runs):
    """NumPy 2.4's default sort fails for them."""
    for seed in range(5):
        cells = np.random.default_rng(seed).integers(-4, 5, shape).astype("f2")
        cells.flat[7:9] = np.nan, -np.nan
        for axis in range(cells.ndim):
            made = cells.copy()
            sort_cells(made, axis, in_runs)
            wanted = np.sort(cells.astype("f8"), axis=axis)
            assert np.array_equal(made, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_cells_have_one_order(dtype):
    parts = [zeros_and_nans((3, 200), "f4") for _ in range(2)]
    x = np.empty((3, 200), dtype)
    x.real, x.imag = parts
    made, mixed = x.copy(), RANDOM.permuted(x, axis=1)
    sort_cells(made, 1, in_runs=False)
    sort_cells(mixed, 1, in_runs=True)
    assert made.tobytes() == mixed.tobytes()
    np.testing.assert_array_equal(made, np.sort(x))


def test_the_input_is_left_alone():
    x = np.array([[3.0, 1.0, 2.0, 5.0, 4.0, 0.0]])
    before = x.copy()
    KERNELS["sort"](None, x, axis=1, part=slice(0, 6), in_runs=False)
    KERNELS["top"](None, x, keep=2, length=6, last=True, part=slice(0, 2))
    KERNELS["ranks"](None, x, ranks=(1,), axis=1, part=slice(0, 1))
    assert np.array_equal(x, before)


@pytest.mark.parametrize("part", [slice(0, 7), slice(2, 5), slice(0, 0)])
def test_a_part_of_sorted_cells(part):
    x = RANDOM.normal(size=(3, 7))
    assert np.array_equal(
        KERNELS["sort"](None, x, axis=1, part=part, in_runs=False), np.sort(x)[:, part]
    )
    assert np.array_equal(KERNELS["argsort"](None, x, axis=1, part=part), np.argsort(x)[:, part])


def test_sort_fills_the_buffer():
    x = RANDOM.normal(size=9)
    out = np.empty(9)
    assert KERNELS["sort"](out, x, axis=0, part=slice(0, 9), in_runs=False) is out
    assert np.array_equal(out, np.sort(x))


@pytest.mark.covering
@pytest.mark.parametrize("far", [0, 2**60])
@pytest.mark.parametrize("kind", ["f4", "c8"])
@pytest.mark.parametrize("keys", [3, 10**6])
def test_equal_pairs_come_by_place(keys, kind, far):
    pairs = np.empty((2, 500), pair_dtype(np.dtype(kind)))
    pairs["key"] = RANDOM.integers(0, keys, (2, 500))
    pairs["key"][0, :3] = np.nan
    pairs["key"][0, 3:6] = 1 + np.nan
    pairs["place"] = far + RANDOM.permuted(np.arange(1000).reshape(2, 500), axis=1)
    made = sort_pairs(pairs)
    order = np.lexsort((pairs["place"], pairs["key"]), axis=-1)
    assert np.array_equal(made["place"], np.take_along_axis(pairs["place"], order, -1))


@pytest.mark.parametrize("dtype", "?,i1,u8,f2,f8,c16,M8[s],m8[s],S3,U2".split(","))
def test_nothing_comes_after_the_largest(dtype):
    x = RANDOM.integers(0, 9, 20).astype("i8").astype(dtype)
    filled = np.append(x, np.array([largest(np.dtype(dtype))]).astype(dtype))
    np.testing.assert_array_equal(np.sort(filled)[:-1], np.sort(x))


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dtype", ["i4", "f8", "c8"])
def test_top(last, dtype):
    x = RANDOM.integers(-5, 5, (3, 40)).astype(dtype)
    if dtype == "f8":
        x[:, ::7] = -0.0
    made = KERNELS["top"](None, x, keep=5, length=17, last=last, part=slice(0, 5))
    assert made.shape == (3, 3, 5)
    for run, cells in enumerate((x[:, :17], x[:, 17:34], x[:, 34:])):
        ordered = cells.copy()
        sort_cells(ordered, 1, in_runs=False)
        part = ordered[:, -5:] if last else ordered[:, :5]
        assert made[:, run].tobytes() == part.tobytes()


@pytest.mark.parametrize("shape", [(7, 5, 3), (1, 40, 2), (0, 4, 3), (4, 0, 3)])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_lanes_are_sorted_a_few_at_a_time(shape, axis, monkeypatch):
    monkeypatch.setattr(sort, "PIECE", 100)
    x = zeros_and_nans(shape, "f8")
    parts = [x[lanes] for lanes in sort.some_lanes(x, axis)]
    assert sum(part.size for part in parts) == x.size
    assert all(part.shape[axis] == shape[axis] for part in parts)
    made = x.copy()
    sort_cells(made, axis, in_runs=False)
    np.testing.assert_array_equal(made, np.sort(x, axis=axis))
    if not x.size:
        return
    chosen = (0, shape[axis] - 1)
    told = {"ranks": chosen, "axis": axis % 3, "part": slice(0, 2)}
    np.testing.assert_array_equal(KERNELS["ranks"](None, x, **told), np.take(made, chosen, axis))

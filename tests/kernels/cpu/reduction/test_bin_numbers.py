import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import bin_numbers as kernel

RANDOM = np.random.default_rng(8)
CELLS = 40_000  # more than a tile, and than the grid is worth


@pytest.fixture(autouse=True)
def by_numpy():
    """Nothing compiled, whose tests are apart."""
    with compile_service.mode("off"):
        yield


def numbers(x, edges, even, dtype="u4"):
    return kernel.bin_number(None, x, edges, even=even, dtype=np.dtype(dtype))


def expected(x, edges):
    """Bins by comparison with every edge; 0 for what lies below all, one beyond the bins else."""
    found = np.where(x < edges[0], 0, len(edges))
    for place in range(len(edges) - 1):
        last = place == len(edges) - 2
        below = x <= edges[place + 1] if last else x < edges[place + 1]
        found[(x >= edges[place]) & below] = place + 1
    return found


def near(edges, dtype):
    """Cells on the edges, next to them, and beyond all of them."""
    if np.dtype(dtype).kind != "f":
        info = np.iinfo(dtype)
        cells = RANDOM.integers(max(info.min, -20), min(info.max, 20), CELLS)
        return cells.astype(dtype)
    on = edges[np.isfinite(edges)].astype(dtype)
    exact = np.concatenate([on, np.nextafter(on, np.inf), np.nextafter(on, -np.inf)])
    beyond = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, -0.0]).astype(dtype)
    with np.errstate(over="ignore"):
        some = (RANDOM.normal(size=CELLS) * 3).astype(dtype)
    return RANDOM.permutation(np.concatenate([some, np.tile(exact, 3), beyond]))


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i4", "u8", "i8"])
@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001])
@pytest.mark.parametrize("span", [(-1, 1), (0, 1e-3), (-5.1, 7.3), (1000, 1001)])
@pytest.mark.filterwarnings("ignore:overflow")
def test_even_bins_are_those_of_the_edges(dtype, count, span):
    edges = np.linspace(*span, count + 1)
    x = near(edges, dtype)
    assert np.array_equal(numbers(x, edges, True), expected(x, edges))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1", "i8"])
@pytest.mark.parametrize(
    "edges",
    [
        [0, 1],
        [-np.inf, 0, 1],
        [-1, 0, 0, 2, np.inf],
        [-np.inf, np.inf],
        [0, 0],
        [1, 1, 1, 2],
        [-1e300, 0, 1e300],
        np.sort(RANDOM.normal(size=300)),
        np.linspace(0, 1, 50).astype("f4"),
        np.arange(-9, 9),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_uneven_bins_are_those_of_the_edges(dtype, edges):
    edges = np.asarray(edges)
    x = near(edges, dtype)
    assert np.array_equal(numbers(x, edges, False), expected(x, edges))


@given(st.data())
def test_few_cells_are_searched_for(data):
    cells = st.floats(width=32, allow_nan=True)
    x = np.array(data.draw(st.lists(cells, max_size=20)), "f4")
    edges = np.sort(np.array(data.draw(st.lists(st.floats(allow_nan=False), min_size=2)), "f8"))
    assert np.array_equal(numbers(x, edges, False), expected(x, edges))


def test_times_are_searched_for():
    x = np.array([0, 3, 9, 10, "NaT"], "M8[s]")
    edges = np.array([0, 3, 9], "M8[s]")
    assert numbers(x, edges, False).tolist() == [1, 2, 2, 3, 3]


def test_a_range_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="not finite"):
        numbers(np.ones(3), np.array([0, np.nan]), True)


def test_it_fills_the_buffer_it_is_given_and_keeps_the_shape():
    out = np.empty((2, 3), "u1")
    edges = np.array([0.0, 1, 2])
    x = np.arange(6.0).reshape(3, 2).T
    result = kernel.bin_number(out, x, edges, even=True, dtype=out.dtype)
    assert result is out
    assert np.array_equal(out, expected(x, edges))

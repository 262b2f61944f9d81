import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import check, few
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(3)


def alike(call, x):
    """Ours and NumPy's histograms agree in counts and edges, or both are refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = call(np, x)
    except (ValueError, TypeError) as error:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        with pytest.raises(kind):
            call(dt, dt.asarray(x))[0].compute()
        return
    for ours, expected in zip(call(dt, dt.asarray(x)), theirs, strict=True):
        assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
        assert same_bits(ours.compute(), expected)


@few
@given(st.data())
def test_bins_between_the_least_and_greatest_cell(data):
    dtype = data.draw(st.sampled_from(["i1", "u1", "i4", "u8", "f2", "f4", "f8", "?"]))
    cells = data.draw(st.lists(st.integers(0, 12), max_size=30))
    x = (np.array(cells, "f8") / (3 if dtype[0] == "f" else 1)).astype(dtype)
    bins = data.draw(st.sampled_from([1, 2, 3, 7, 10, 100]))
    alike(lambda np, x: np.histogram(x, bins), x)


@few
@given(st.data())
def test_bins_of_a_range_or_edges(data):
    cells = data.draw(
        st.lists(st.sampled_from([-1, 0, 0.5, 1, 1.5, 2, np.nan, np.inf]), max_size=9)
    )
    x = np.array(cells, data.draw(st.sampled_from(["f4", "f8"])))
    edges = sorted(data.draw(st.lists(st.sampled_from([-np.inf, -1, 0, 0.5, 1, 2.5]), max_size=5)))
    alike(lambda np, x: np.histogram(x, np.asarray(edges)), x)
    alike(lambda np, x: np.histogram(x, 4, (-1, 1)), x)


def test_density():
    x = RANDOM.normal(size=90)
    for arguments in ((7,), (4, (-1, 1)), ([-1, 0, 0.5, 2],)):
        alike(lambda np, x, a=arguments: np.histogram(x, *a, density=True), x)


@pytest.mark.parametrize(
    "arguments",
    [
        {"bins": 0},
        {"bins": -1},
        {"bins": 2.5},
        {"bins": [3, 1]},
        {"bins": [[1, 2]]},
        {"bins": 3, "range": (2, 1)},
        {"bins": 3, "range": (0, np.inf)},
        {"weights": [1.0]},
        {"bins": [2]},
        {"bins": []},
        {"range": (5, 5)},
    ],
    ids=str,
)
def test_arguments_are_refused_as_in_numpy(arguments):
    alike(lambda np, x: np.histogram(x, **arguments), np.arange(4.0))


def test_a_range_that_is_not_finite_is_refused_when_computed():
    counts, _ = dt.histogram(np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="not finite"):
        counts.compute()


def test_edges_come_back_as_they_were_given():
    edges = dt.asarray([0.0, 1, 4])
    lazy = dt.arange(4) * 1.0
    assert dt.histogram(np.arange(3.0), edges)[1] is edges
    assert dt.histogram(np.arange(3.0), lazy, density=True)[1] is lazy


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f4", "f8", "c16"])
def test_weights_keep_their_dtype(dtype):
    x = RANDOM.normal(size=200)
    weights = RANDOM.integers(0, 9, 200).astype(dtype)
    alike(lambda np, x: np.histogram(x, 6, (-2, 2), weights=weights), x)


NUMBERS = np.array([1 + 2j, 3 - 1j, 2, 0.5j, 1 + 1j, 1, 3 - 2j, complex(1, np.nan), np.inf])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_cells_have_the_order_in_which_they_are_sorted(dtype):
    x = NUMBERS.astype(dtype)
    for edges in ([0, 1, 2, 3], [0, 1 + 1j, 1 + 3j, 3 - 1j], [0.5j, 1], [3, 2, 1]):
        alike(lambda np, x, e=edges: np.histogram(x, e), x)
        alike(lambda np, x, e=edges: np.histogram(x, e, weights=x.real), x[:6])
    alike(lambda np, x: np.histogram(x, [0, 1 + 1j, 3]), x[:7].real.copy())
    alike(lambda np, x: np.histogram2d(x, x.real, [[0, 1 + 1j, 3], 2])[:1], x[:7])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_bins_between_the_least_and_greatest_complex_cell(dtype):
    x = NUMBERS[:7].astype(dtype)
    for bins in (1, 3, 4):
        alike(lambda np, x, n=bins: np.histogram(x, n), x)
        alike(lambda np, x, n=bins: np.histogram(x, n, (0, 3)), x)
        alike(lambda np, x, n=bins: np.histogram(x, n, density=True), x)
    alike(lambda np, x: np.histogram(x, 2), np.full_like(x, 2))
    alike(lambda np, x: np.histogram(x, 2), x[:0])
    alike(lambda np, x: (np.histogram_bin_edges(x, 3),), x)
    alike(lambda np, x: np.histogram(x, 2, (0, 1 + 1j)), x)
    alike(lambda np, x: np.histogram(x, "auto"), x)
    alike(lambda np, x: np.histogram(x * np.nan, 2), x)


def test_complex_cells_are_counted_between_their_edges_however_large_their_imaginary_parts():
    x = RANDOM.normal(size=500) + 100j * RANDOM.normal(size=500)
    counts, edges = (made.compute() for made in dt.histogram(dt.asarray(x), 8))
    ordered = np.sort(x)
    places = np.searchsorted(ordered, edges[:-1])
    assert same_bits(counts, np.diff(np.append(places, len(x))))


def test_lazy_edges():
    x = RANDOM.normal(size=100)
    edges = np.array([-1.0, 0, 0.25, 2])
    counts, given = dt.histogram(x, dt.asarray(edges))
    np.testing.assert_array_equal(counts.compute(), np.histogram(x, edges)[0])
    np.testing.assert_array_equal(given.compute(), edges)
    with pytest.raises(ValueError, match="1d"):
        dt.histogram(x, dt.ones((2, 2)))


def test_lazy_edges_that_fall_are_refused():
    falling = np.array([1, 3, 1], np.uint64)
    with pytest.raises(ValueError, match="monotonically"):
        dt.histogram([2], dt.asarray(falling))
    with pytest.raises(ValueError, match="monotonically"):
        dt.histogram([2], dt.asarray(falling) * 1)[0].compute()
    counts, _ = dt.histogram([2.0, 1.0], dt.asarray([1.0, 2.0, np.nan]) * 1)
    np.testing.assert_array_equal(counts.compute(), np.histogram([2.0, 1.0], [1, 2, np.nan])[0])


def test_edges_alone():
    x = np.array([1, 5, 9])
    check(lambda: dt.histogram_bin_edges(x, 4), lambda: np.histogram_bin_edges(x, 4))
    check(
        lambda: dt.histogram_bin_edges(x, 4, (0, 2)), lambda: np.histogram_bin_edges(x, 4, (0, 2))
    )
    with pytest.raises(ValueError, match="weights"):
        dt.histogram_bin_edges(x, weights=[1])


def flat(result):
    counts, edges = result
    return counts, *edges


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bins": 3},
        {"bins": (2, 3)},
        {"bins": (2, [-1, 0, 0.5])},
        {"range": [(-1, 1), (0, 2)]},
        {"range": [None, (0, 2)]},
        {"density": True, "bins": 2},
        {"weights": np.arange(50.0)},
        {"bins": (1, 2, 3)},
        {"range": [(0, 1)]},
    ],
    ids=str,
)
def test_histograms_of_points(options):
    points = RANDOM.normal(size=(50, 2))
    alike(lambda np, x: flat(np.histogramdd(x, **options)), points)


def test_points_as_a_sequence_of_coordinates():
    points = RANDOM.normal(size=(50, 3))
    ours = flat(dt.histogramdd([dt.asarray(x) for x in points.T], bins=3))
    for made, expected in zip(ours, flat(np.histogramdd(points, bins=3)), strict=True):
        np.testing.assert_array_equal(made.compute(), expected)
    with pytest.raises(TypeError, match="real"):
        dt.histogramdd(points, weights=np.ones(50) * 1j)


def test_histograms_of_a_plane():
    x, y = RANDOM.normal(size=(2, 60))
    for bins in (4, (3, 5), [-1, 0, 0.5, 2], ([-1, 0, 1], 3)):
        for ours, theirs in zip(
            dt.histogram2d(x, y, bins), np.histogram2d(x, y, bins), strict=True
        ):
            np.testing.assert_array_equal(ours.compute(), theirs)
    with pytest.raises(ValueError, match="same length"):
        dt.histogram2d(x, y[:3])


def test_points_have_two_dimensions():
    with pytest.raises(ValueError, match="shape"):
        dt.histogramdd(np.ones((2, 2, 2)))
    check(
        lambda: dt.histogramdd(np.arange(5.0))[0],
        lambda: np.histogramdd(np.arange(5.0)[:, None])[0],
    )


def test_a_histogram_of_many_blocks_has_one_value(shardings):
    x, w = RANDOM.normal(size=(2, 300_000)) * 10.0 ** RANDOM.integers(-9, 9, 300_000)
    values = set()
    for block_bytes in (100_000, 10**6, 10**9):
        with shardings.tiny(block_bytes):
            counts, _ = dt.histogram(x, 11, (-3, 3), weights=w)
            values.add(counts.compute().tobytes())
    assert len(values) == 1


def test_it_is_planned_as_a_reduction():
    stored = dt.placeholder((10**9,), "float32", stored_chunks=(10**7,))
    counts, _ = dt.histogram(stored, 50, (0, 1))
    machines = dt.Resources(workers=10, threads=4, memory="16 GiB")
    plan = counts.plan(resources=machines)
    plan.verify()
    assert "bincount" in plan.explain(all=True)
    assert plan.cost["bytes_moved"] < 10**9


def test_a_range_too_small_for_its_bins():
    cells = np.array([1.0, np.nextafter(1.0, 2)])
    alike(lambda np, x: np.histogram(x), cells)
    alike(lambda np, x: np.histogram(x, 1), cells)
    alike(lambda np, x: np.histogram(x), np.array([2**60, 2**60 + 1]))
    alike(lambda np, x: np.histogram(x), np.array([1.0, np.inf]))


@few
@given(st.data())
def test_points_with_weights_of_any_dtype(data):
    """Sums, edges and their dtypes are NumPy's, also of complex coordinates."""
    count, dims = data.draw(st.integers(0, 30)), data.draw(st.integers(1, 3))
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    kind = data.draw(st.sampled_from(["i2", "f4", "f8", "c16"]))
    points = generator.integers(-5, 6, (count, dims)).astype(kind)
    if kind == "c16":
        points += 1j * generator.integers(-2, 3, (count, dims))
    weights = generator.integers(0, 120, count).astype(data.draw(st.sampled_from("?bhif")))
    edges = np.sort(generator.choice(np.arange(-6.0, 7.0), 4, replace=False))
    bins = [data.draw(st.sampled_from([1, 3, edges])) for _ in range(dims)]
    options = {"bins": bins, "weights": data.draw(st.sampled_from([weights, None]))}
    if data.draw(st.booleans()) or not count:
        options["range"] = [(-4.0, 3.0)] * dims
    counts, found = dt.histogramdd(dt.asarray(points), **options)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy discards imaginary parts where it does not matter
        wanted, wanted_edges = np.histogramdd(points, **options)
    np.testing.assert_array_equal(counts.compute(), wanted, strict=True)
    for mine, theirs in zip(found, wanted_edges, strict=True):
        np.testing.assert_array_equal(mine.compute(), theirs, strict=True)

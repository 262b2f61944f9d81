import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.parity import raised
from tests.comparisons import same_bits

TABLE = [1, 3, 5]


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("searchsorted", ([[1, 2]], 1), {}),
        ("searchsorted", (TABLE, 1), {"side": "middle"}),
        ("searchsorted", (TABLE, 1), {"sorter": [0, 1]}),
        ("searchsorted", (TABLE, 1), {"sorter": [0.0, 1, 2]}),
        ("digitize", (1, [1, 3, 2]), {}),
        ("digitize", (1, [[1, 3, 2]]), {}),
        ("digitize", (1j, TABLE), {}),
        ("isin", (1, [1]), {"kind": "x"}),
        ("isin", (1.0, [1]), {"kind": "table"}),
        ("interp", (1, TABLE, [1, 2]), {}),
        ("interp", (1, TABLE, TABLE), {"period": 0}),
        ("interp", (1, [], []), {}),
        ("interp", (1j, TABLE, TABLE), {}),
    ],
)
def test_errors_are_numpy_s(name, args, options):
    expected = raised(getattr(np, name), *args, **options)
    assert expected is not None
    with pytest.raises(expected):
        getattr(dt, name)(*args, **options)


def test_lazy_bins_are_checked_when_computed():
    numbers = dt.digitize([1, 2], dt.asarray([1, 3, 2]))
    with pytest.raises(ValueError, match="monotonic"):
        numbers.compute()


def test_lists_and_scalars():
    assert int(dt.searchsorted(TABLE, 4)) == 2
    assert dt.asarray(TABLE).searchsorted([0, 9]).compute().tolist() == [0, 3]
    assert bool(dt.isin(3, TABLE))
    assert float(dt.interp(2, TABLE, TABLE)) == 2


@pytest.mark.parametrize("kinds", [("i8", "u8"), ("f4", "i8"), ("?", "i1"), ("U1", "U5")])
def test_tables_of_another_dtype(kinds):
    x, table = (np.array([0, 3, 1, 2]).astype(kind) for kind in kinds)
    table = np.sort(table)
    assert np.array_equal(dt.searchsorted(table, x).compute(), np.searchsorted(table, x))
    assert np.array_equal(dt.isin(x, table).compute(), np.isin(x, table))


def test_complex_cells_are_searched_for_in_the_order_in_which_they_are_sorted():
    x = np.array([1 + 2j, 3 - 1j, 2, 0.5j, 1 + 1j, complex(1, np.nan), np.inf])
    table = np.sort(x)
    for side in ("left", "right"):
        made = dt.searchsorted(dt.asarray(table), dt.asarray(x), side=side)
        assert same_bits(made.compute(), np.searchsorted(table, x, side=side))
        made = dt.searchsorted(dt.asarray([0, 1, 2]), dt.asarray(x), side=side)
        assert same_bits(made.compute(), np.searchsorted([0, 1, 2], x, side=side))


@pytest.mark.parametrize("edges", [[-1, 0, 2], ["a", "b"], dt.asarray(["a", "b"])])
@pytest.mark.parametrize("cells", [["a", "0"], [b"a"], [None]])
def test_what_has_no_order_among_numbers_is_not_digitized(cells, edges):
    with pytest.raises(TypeError):
        dt.digitize(dt.asarray(np.array(cells)), edges)


def test_complex_cells_and_complex_edges_are_not_digitized():
    for cells, edges in ((np.ones(2, complex), [0, 1]), (np.ones(2), [0, 1j])):
        with pytest.raises(TypeError):
            np.digitize(cells, edges)
        with pytest.raises(TypeError):
            dt.digitize(dt.asarray(cells), edges)
    with pytest.raises(TypeError):
        dt.digitize(dt.ones(2), dt.asarray([0, 1j]))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("edges", [[0, 3], [-1, 0, 0, 4], [5, 1, -9], [], [2]])
def test_times_are_digitized_by_numbers_as_numpy_does(edges, right):
    x = np.array([1, 5, -3, 3, 0, -9, "NaT"], "m8[s]").repeat(3)
    edges = np.array(edges, "i8")
    made = dt.digitize(dt.asarray(x).rechunk(4), edges, right)
    assert same_bits(made.compute(), np.digitize(x, edges, right))
    assert same_bits(made.node.operator.reference(x, edges.astype("m8[s]")), made.compute())


def test_times_are_not_digitized_by_edges_in_disorder():
    with pytest.raises(ValueError, match="monotonic"):
        dt.digitize(dt.asarray(np.arange(3).astype("m8[s]")), dt.asarray([0, 3, 1])).compute()


@given(st.integers(0, 10**6), st.sampled_from(["left", "right"]), st.sampled_from(["c8", "c16"]))
def test_complex_numbers_are_searched_as_numpy_orders_them(seed, side, dtype):
    """By their real, then by their imaginary parts; what has a NaN in it goes last."""
    generator = np.random.default_rng(seed)
    values = np.array([-1.0, 0.0, -0.0, 1.0, np.inf, np.nan])
    table, x = np.empty(generator.integers(0, 12), dtype), np.empty((3, 4), dtype)
    for one in (table, x):
        one.real, one.imag = (generator.choice(values, one.shape) for _ in range(2))
    table.sort()
    made = dt.searchsorted(dt.asarray(table), dt.asarray(x), side=side)
    np.testing.assert_array_equal(made.compute(), np.searchsorted(table, x, side))
    by_real = dt.searchsorted(dt.asarray(table), x.real, side=side)
    np.testing.assert_array_equal(by_real.compute(), np.searchsorted(table, x.real, side))


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["u1", "i2", "u8", "f2", "f4", "f8", "?"])
@pytest.mark.parametrize(
    "listed", [[], [3], [-1, 300, 3, 70_000], [0.1, 2.5, np.nan], [True], range(30)]
)
@pytest.mark.parametrize("invert", [False, True])
def test_cells_are_in_sets_of_any_size_and_dtype(dtype, listed, invert):
    x = (np.arange(40) / (10 if dtype[0] == "f" else 1)).astype(dtype)
    x[5:7] = np.array([np.nan, 0.1] if dtype[0] == "f" else [3, 1]).astype(dtype)
    found = dt.isin(dt.from_array(x, chunks=7), np.array(list(listed)), invert=invert).compute()
    assert np.array_equal(found, np.isin(x, np.array(list(listed)), invert=invert))


def test_cells_are_compared_as_they_are_with_what_they_may_be():
    x = dt.from_array(np.arange(40, dtype="u1"), chunks=7)
    few, many = dt.isin(x, [3, 500, -2]), dt.isin(x, range(-9, 500))
    assert "int64" not in str(few.teg) + str(many.teg)
    assert "isin" not in str(few.teg)
    assert few.sum().compute() == 1
    assert many.all().compute()

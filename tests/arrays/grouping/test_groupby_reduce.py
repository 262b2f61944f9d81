import warnings

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(4, 30, 7))
X[RANDOM.random(X.shape) < 0.2] = np.nan
LABELS = RANDOM.integers(0, 5, 30) * 10
NUMPY = ("sum", "prod", "mean", "var", "std", "min", "max", "median")


def each_group(x, labels, function, axis):
    """NumPy's function of the cells of each label, groups last."""
    with warnings.catch_warnings(action="ignore"):
        found = [function(np.compress(labels == g, x, axis), axis=axis) for g in np.unique(labels)]
    return np.stack(found, -1)


@pytest.mark.parametrize("func", [*NUMPY, *[f"nan{name}" for name in NUMPY]])
@pytest.mark.parametrize("chunks", [(4, 30, 7), (2, 4, 3), (1, 11, 7)])
def test_each_group_is_reduced_by_itself(func, chunks):
    x = dt.from_array(X, chunks=chunks)
    found, groups = dt.groupby_reduce(x, LABELS, func=func, axis=1)
    assert groups.tolist() == np.unique(LABELS).tolist()
    np.testing.assert_allclose(found.compute(), each_group(X, LABELS, getattr(np, func), 1))


@pytest.mark.parametrize("func", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_places_are_counted_along_the_reduced_axis(func):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, (5, 40)).astype(float)
    x[1, 3] = np.nan
    labels = np.arange(40) % 3
    found, _ = dt.groupby_reduce(dt.from_array(x, chunks=(2, 7)), labels, func=func)
    for group in range(3):
        own = np.flatnonzero(labels == group)
        expected = own[getattr(np, func)(x[:, own], axis=1)]
        assert found.compute()[:, group].tolist() == expected.tolist()


def test_places_are_counted_along_the_reduced_axes_alone():
    labels = RANDOM.integers(0, 2, (30, 7))
    found, _ = dt.groupby_reduce(X, labels, func="nanargmax", axis=1)
    places = found.compute()
    for k, j, group in np.ndindex(4, 7, 2):
        own = np.flatnonzero(labels[:, j] == group)
        assert places[k, j, group] == own[np.nanargmax(X[k, own, j])]


@pytest.mark.parametrize("func", ["first", "last", "nanfirst", "nanlast"])
@pytest.mark.parametrize("dtype", ["f4", "i2", "c16", "M8[s]", "?"])
def test_ends_are_those_of_the_order_of_cells(func, dtype):
    x = RANDOM.integers(0, 99, (3, 20)).astype("i8").astype(dtype)
    if dtype in ("f4", "c16"):
        x[:, ::3] = np.nan
    labels = np.arange(20) % 4
    found, _ = dt.groupby_reduce(dt.from_array(x, chunks=(2, 6)), labels, func=func)
    assert found.dtype == x.dtype
    for row, group in np.ndindex(3, 4):
        own = x[row, labels == group]
        own = own[own == own] if func.startswith("nan") else own
        expected = own[0 if func.endswith("first") else -1]
        np.testing.assert_array_equal(found.compute()[row, group], expected)


def test_several_labels_are_broadcast_and_each_pair_is_a_group():
    rows, columns = np.array([["a"], ["b"], ["a"]]), np.array([1, 0, 1, 1])
    x = np.arange(24.0).reshape(2, 3, 4)
    found, first, second = dt.groupby_reduce(x, rows, columns, func="sum")
    assert (first.tolist(), second.tolist()) == (["a", "b"], [0, 1])
    expected = [[[x[k][np.ix_(rows[:, 0] == a, columns == b)].sum() for b in (0, 1)] for a in "ab"]
                for k in range(2)]  # fmt: skip
    assert found.compute().tolist() == expected


SHAPES = [(30, 1), (1, 7), (4, 1, 7), (4, 1, 1)]


@pytest.mark.parametrize("func", ["nanmean", "nanmin", "nanquantile", "first", "nanargmax"])
@pytest.mark.parametrize(
    ("shape", "axis"), [*[(s, None) for s in SHAPES], (SHAPES[0], -1), (SHAPES[2], (1, 2))]
)
def test_labels_of_one_cell_along_an_axis_are_those_of_all(func, shape, axis):
    labels = RANDOM.integers(0, 3, shape)
    wide = np.broadcast_to(labels, X.shape[-len(shape) :])
    options = {"q": [0.1, 0.5]} if func == "nanquantile" else {}
    options |= {"axis": axis, "expected_groups": np.arange(4)}
    with warnings.catch_warnings(action="ignore"):
        x = dt.from_array(X, chunks=(2, 9, 3))
        found, _ = dt.groupby_reduce(x, labels, func=func, **options)
        whole, _ = dt.groupby_reduce(X, wide, func=func, **options)
        np.testing.assert_allclose(found.compute(), whole.compute())


@pytest.mark.parametrize("func", ["sum", "min", "nanmean", "count"])
def test_a_label_without_an_axis_is_that_of_each_cell(func):
    values, groups = dt.groupby_reduce(dt.arange(3.0), 7, func=func)
    expected = [1, 1, 1] if func == "count" else [0, 1, 2]
    np.testing.assert_array_equal(values.compute(), np.reshape(expected, (3, 1)))
    assert groups.tolist() == [7]


def test_some_of_the_labelled_axes_are_reduced():
    x, labels = np.arange(12.0).reshape(3, 4), RANDOM.integers(0, 2, (3, 4))
    found, _ = dt.groupby_reduce(x, labels, func="sum", axis=-1, expected_groups=[0, 1, 2])
    expected = [
        [row[own == g].sum() for g in (0, 1, 2)] for row, own in zip(x, labels, strict=True)
    ]
    assert found.compute().tolist() == expected


def test_groups_are_in_the_order_that_is_expected_and_others_are_left_out():
    x = np.arange(6)
    labels = ["b", "a", "c", "b", "a", "b"]
    found, groups = dt.groupby_reduce(x, labels, func="sum", expected_groups=["c", "z", "b"])
    assert (found.compute().tolist(), groups.tolist()) == ([2, 0, 8], ["c", "z", "b"])
    found, _ = dt.groupby_reduce(x, labels, func="max", expected_groups=["c", "z", "b"])
    np.testing.assert_array_equal(found.compute(), [2, np.nan, 5])
    found, _ = dt.groupby_reduce(x, labels, func="max", expected_groups=["c", "z"], fill_value=-7)
    assert found.dtype == x.dtype
    assert found.compute().tolist() == [2, -7]


def test_nan_labels_nothing():
    labels = np.array([1.0, np.nan, 2.0, 1.0])
    found, groups = dt.groupby_reduce(np.arange(4), labels, func="sum")
    assert (found.compute().tolist(), groups.tolist()) == ([3, 2], [1, 2])
    days = np.array(["2001-01-01", "NaT", "2001-01-01", "2002-01-01"], "M8[D]")
    found, groups = dt.groupby_reduce(np.arange(4), days, func="count")
    assert (found.compute().tolist(), len(groups)) == ([2, 1], 2)


@pytest.mark.parametrize("make", [dt.asarray, lambda x: da.from_array(x, chunks=7)])
def test_labels_may_be_lazy(make):
    found, groups = dt.groupby_reduce(X, make(LABELS), func="nanmean", axis=1)
    expected, _ = dt.groupby_reduce(X, LABELS, func="nanmean", axis=1)
    assert groups.tolist() == np.unique(LABELS).tolist()
    np.testing.assert_array_equal(found.compute(), expected.compute())
    wanted = [40, 0, 99]
    for func in ("sum", "max", "count", "nanvar"):
        found, _ = dt.groupby_reduce(X, make(LABELS), func=func, axis=1, expected_groups=wanted)
        held, _ = dt.groupby_reduce(X, LABELS, func=func, axis=1, expected_groups=wanted)
        np.testing.assert_array_equal(found.compute(), held.compute())


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("make", [np.asarray, dt.asarray])
def test_bins_are_groups(closed, make):
    pandas = pytest.importorskip("pandas")
    bins = pandas.IntervalIndex.from_breaks([0, 2, 3, 7], closed=closed)
    labels = np.array([0, 1, 2, 3, 6.5, 7, 8, np.nan, -1])
    found, groups = dt.groupby_reduce(np.ones(9), make(labels), func="sum", expected_groups=bins)
    expected = [float(sum(value in one for value in labels)) for one in bins]
    assert found.compute().tolist() == expected
    assert groups is bins


def test_groups_of_too_few_cells_are_filled():
    x, labels = np.array([1, np.nan, 2, 3]), [0, 0, 1, 1]
    found, _ = dt.groupby_reduce(x, labels, func="nansum", min_count=2)
    np.testing.assert_array_equal(found.compute(), [np.nan, 5])
    found, _ = dt.groupby_reduce(x, labels, func="nansum", min_count=2, fill_value=-1)
    np.testing.assert_array_equal(found.compute(), [-1, 5])


def test_options():
    x, labels = RANDOM.normal(size=(3, 20)), np.arange(20) % 2
    found, _ = dt.groupby_reduce(x, labels, func="var", ddof=1)
    np.testing.assert_allclose(
        found.compute(), each_group(x, labels, lambda x, axis: x.var(axis, ddof=1), 1)
    )
    found, _ = dt.groupby_reduce(x, labels, func="quantile", q=[0.1, 0.5], method="lower")
    expected = each_group(
        x, labels, lambda x, axis: np.quantile(x, [0.1, 0.5], axis, method="lower"), 1
    )
    np.testing.assert_array_equal(found.compute(), expected)
    found, _ = dt.groupby_reduce(np.ones((2, 9), "i1"), np.zeros(9), func="sum", dtype="f4")
    assert found.dtype == np.float32
    found, _ = dt.groupby_reduce(x.astype("f4"), labels, func="mean", dtype="f8")
    assert found.dtype == np.float64


def test_a_group_may_have_very_many_cells():
    """float32 is added in double precision, though cell after cell."""
    x = np.full(3_000_000, 0.1, "f4")
    for func in ("sum", "mean"):
        found, _ = dt.groupby_reduce(x, np.zeros(x.size, "i1"), func=func)
        assert found.dtype == np.float32
        np.testing.assert_allclose(
            found.compute(), getattr(x.astype("f8"), func)(keepdims=True), 1e-7
        )


@pytest.mark.parametrize("func", ["mean", "nanmean", "var", "nanmax", "median", "nanfirst"])
def test_nothing_is_said_of_groups_without_cells(func):
    x = np.full((2, 9), np.nan) if func.startswith("nan") else np.ones((2, 9))
    with warnings.catch_warnings(action="error"):
        found, _ = dt.groupby_reduce(x, np.arange(9) % 2, func=func, expected_groups=[0, 1, 5])
        assert np.isnan(found.compute()[:, 2]).all()


def test_the_graph_does_not_grow_with_the_groups():
    x = dt.placeholder((30_000, 8), "f4", stored_chunks=(100, 8))
    few, many = (
        dt.groupby_reduce(x, np.arange(30_000) % n, func="nanmean", axis=0)[0] for n in (2, 10_000)
    )
    assert len(few.teg.nodes) == len(many.teg.nodes)
    machine = dt.Resources(workers=2, threads=2, memory="1 GiB")
    for result in (few, many):
        plan = dt.plan(result, resources=machine)
        assert plan.cost["bytes_read"] <= 1.01 * 30_000 * 8 * 4 + 30_000 * 8


def test_anomalies_are_those_of_numpy():
    x, months = RANDOM.normal(size=(60, 5)), np.arange(60) % 12
    means, _ = dt.groupby_reduce(dt.from_array(x, chunks=(7, 5)), months, func="mean", axis=0)
    found = dt.asarray(x) - means.T[months]
    expected = x - np.stack([x[months == m].mean(0) for m in range(12)])[months]
    np.testing.assert_allclose(found.compute(), expected)


@pytest.mark.parametrize(
    ("error", "text", "make"),
    [
        (ArgumentError, "did you mean 'mean'", lambda: dt.groupby_reduce(X, LABELS, func="maen")),
        (ShapeError, "labels of shape", lambda: dt.groupby_reduce(X, LABELS, func="sum")),
        (ShapeError, "labels of shape", lambda: dt.groupby_reduce(X, [1, 2], func="sum", axis=1)),
        (
            ShapeError,
            r"labels\[1\] of shape \(7, 30\) do not fit x of shape \(4, 30, 7\).* here \(30, 7\)",
            lambda: dt.groupby_reduce(X, LABELS[:, None], np.ones((7, 30)), func="sum"),
        ),
        (
            ShapeError,
            r"labels of shape \(29,\).* or one for each cell along axis 1",
            lambda: dt.groupby_reduce(X, LABELS[1:], func="sum", axis=1),
        ),
        (
            ShapeError,
            r"labels\[0\] of groupby_reduce: .* inhomogeneous",
            lambda: dt.groupby_reduce(X, [[1, 2], [3]], func="sum"),
        ),
        (
            DTypeError,
            r"expected_groups of dtype <U1 cannot be among labels\[0\] of dtype int64",
            lambda: dt.groupby_reduce(X, LABELS, func="sum", axis=1, expected_groups=["a"]),
        ),
        (
            ArgumentTypeError,
            r"groupby_reduce\(func='nanquantile'\) needs q",
            lambda: dt.groupby_reduce(X, LABELS, func="nanquantile", axis=1),
        ),
        (ArgumentTypeError, "needs labels", lambda: dt.groupby_reduce(X, func="sum")),
        (
            ArgumentTypeError,
            "has no argument 'ddof'",
            lambda: dt.groupby_reduce(X, LABELS, func="sum", axis=1, ddof=1),
        ),
        (
            ArgumentError,
            "duplicate labels",
            lambda: dt.groupby_reduce(X, LABELS, func="sum", axis=1, expected_groups=[1, 2, 1]),
        ),
        (
            ArgumentTypeError,
            "tuple of 2 entries",
            lambda: dt.groupby_reduce(X, X, X, func="sum", expected_groups=[1, 2]),
        ),
        (DTypeError, "by group", lambda: dt.groupby_reduce(np.array(["a"]), [1], func="min")),
        (DTypeError, "quantiles", lambda: dt.groupby_reduce(1j * X, X, func="quantile", q=0.5)),
    ],
)
def test_errors(error, text, make):
    with pytest.raises(error, match=text):
        make()


def test_groups_of_nan_alone_have_the_fill_value_unless_no_cells_are_needed():
    x, labels = np.array([1.0, np.nan, 2.0]), np.array([0, 1, 0])
    how = {"func": "nansum", "expected_groups": [0, 1, 2]}
    for options, expected in (
        ({"fill_value": 7}, [3, 7, 7]),
        ({"fill_value": 7, "min_count": 0}, [3, 0, 7]),
        ({"min_count": 0}, [3, 0, 0]),
        ({"min_count": 2}, [3, np.nan, np.nan]),
    ):
        np.testing.assert_array_equal(dt.groupby_reduce(x, labels, **how, **options)[0], expected)


def test_lazy_labels_that_do_not_fit_are_refused_before_they_are_computed():
    labels = dt.placeholder((29,), "i8")  # computing it raises
    for several in ((labels,), (LABELS, labels)):
        with pytest.raises(ShapeError, match=r"labels.* of shape \(29,\) do not fit x"):
            dt.groupby_reduce(X, *several, func="sum", axis=1)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_a_fill_value_of_python_does_not_widen_the_result(dtype):
    x = np.ones(6, dtype)
    found, _ = dt.groupby_reduce(
        x, [0, 0, 1, 1, 0, 1], func="max" if dtype != "c8" else "sum",
        expected_groups=[0, 1, 2], fill_value=np.nan, min_count=1,
    )  # fmt: skip
    assert found.dtype == found.compute().dtype == dtype
    assert np.isnan(found.compute()).tolist() == [False, False, True]


FIVE = np.arange(24) % 5 - 1


@pytest.mark.parametrize("func", ["min", "max", "first", "last", "nanmin"])
@pytest.mark.parametrize("dtype", ["i2", "u8", "?", "f4"])
def test_groups_that_are_found_in_lazy_labels_have_cells(func, dtype):
    x = np.arange(48).reshape(2, 24).astype(dtype)
    found, groups = dt.groupby_reduce(dt.asarray(x), dt.asarray(FIVE), func=func)
    expected, _ = dt.groupby_reduce(x, FIVE, func=func)
    assert groups.tolist() == [-1, 0, 1, 2, 3]
    assert found.dtype == expected.dtype == dtype
    assert np.array_equal(found.compute(), expected.compute())


WITH_EMPTY = {
    "more cells are needed": ((dt.asarray(FIVE),), {"min_count": 5}),
    "pairs of labels": ((dt.asarray(FIVE), dt.asarray(FIVE)), {}),
    "groups are expected": ((dt.asarray(FIVE),), {"expected_groups": [-1, 9]}),
    "labels differ by row": ((dt.asarray(np.stack([FIVE, FIVE + 1])),), {"axis": 1}),
}


@pytest.mark.parametrize("why", WITH_EMPTY)
def test_groups_may_lack_cells_where(why):
    labels, options = WITH_EMPTY[why]
    found = dt.groupby_reduce(dt.asarray(np.ones((2, 24), int)), *labels, func="min", **options)[0]
    assert np.isnan(found.compute()).any()

import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import raised

X = np.array([[3, 1, 2], [0, 5, 4]])


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("sort", (X,), {"kind": "foo"}),
        ("sort", (X,), {"kind": "stable", "stable": True}),
        ("sort", (X,), {"order": "a"}),
        ("sort", (X,), {"axis": 2}),
        ("sort", (5,), {}),
        ("argsort", (5,), {"axis": 1}),
        ("argsort", (X,), {"order": "a"}),
        ("lexsort", ((),), {}),
        ("lexsort", (([1, 2], [1]),), {}),
        ("lexsort", (([1, 2], [1, 3]),), {"axis": 1}),
    ],
)
def test_errors_are_numpy_s(name, args, options):
    expected = raised(getattr(np, name), *args, **options)
    assert expected is not None
    with pytest.raises(expected):
        getattr(dt, name)(*args, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, order=None: dt.partition(x, 0, order=order),
        lambda x, order=None: dt.argpartition(x, 0, order=order),
    ],
)
@pytest.mark.parametrize("order", [None, "f", ["f", "n"]])
def test_who_sorts_by_fields_is_told_how(call, order):
    x = dt.asarray(np.zeros(2, [("n", "i4"), ("f", "f8")]))
    with pytest.raises(TypeError, match=r"sort by fields, x\[dt\.lexsort"):
        call(x, order=order)


@pytest.mark.parametrize(
    "kind", ["quicksort", "mergesort", "heapsort", "stable", "quick", "M", None]
)
def test_every_kind_is_stable(kind):
    x = np.array([1, 0] * 50)
    expected = np.argsort(x, kind="stable")
    assert np.array_equal(dt.argsort(x, kind=kind).compute(), expected)


def test_sorting_in_place_gives_the_array_another_value():
    x = dt.asarray(X)
    y, before = x + 1, x.node
    assert x.sort(axis=0) is None
    assert np.array_equal(x.compute(), np.sort(X, 0))
    assert np.array_equal(y.compute(), X + 1)
    assert x.node is not before


def test_numpy_s_functions_are_ours():
    x = dt.asarray(X)
    for name in ("sort", "argsort"):
        value = getattr(np, name)(x)
        assert isinstance(value, dt.Array)
        assert np.array_equal(value.compute(), getattr(np, name)(X))
    assert isinstance(np.lexsort((x, x)), dt.Array)


def test_zeros_come_in_order_of_their_signs():
    made = dt.sort(dt.asarray([0.0, -0.0, 0.0, -0.0, -1.0])).compute()
    assert np.signbit(made).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("shape", [(40,), (3, 40), (0,), (3, 0), (1,)])
def test_long_doubles(shape):
    x = np.random.default_rng(0).normal(size=shape).astype("g")
    np.testing.assert_array_equal(dt.sort(x).compute(), np.sort(x))
    assert np.array_equal(dt.argsort(x).compute(), np.argsort(x))
    np.testing.assert_array_equal(dt.topk(x, 2).compute(), np.sort(x)[..., ::-1][..., :2])


def test_an_array_of_keys():
    x = np.random.default_rng(0).integers(0, 3, (3, 20))
    assert np.array_equal(dt.lexsort(dt.asarray(x)).compute(), np.lexsort(x))


def test_scalars():
    assert dt.argsort(5).compute().tolist() == [0]
    assert dt.sort(5, axis=None).compute().tolist() == [5]
    assert dt.lexsort((1, 2)).compute() == np.lexsort((1, 2)) == 0


def test_a_kind_is_a_word():
    with pytest.raises(TypeError, match="str"):
        dt.sort([3, 1, 2], kind=1)

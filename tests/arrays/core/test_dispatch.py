import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays import public_names  # noqa: F401  (chapters register their functions)
from dask_tapestry.arrays.core.dispatch import NUMPY_FUNCTIONS, UFUNC_FUNCTIONS, Answering
from dask_tapestry.arrays.elementwise import special

CELLS = np.arange(1.0, 7).reshape(2, 3)


def x():
    return dt.asarray(CELLS)


FUNCTIONS = {
    np.sum: lambda f, a: f(a, axis=0, keepdims=True),
    np.mean: lambda f, a: f(a, axis=1),
    np.transpose: lambda f, a: f(a),
    np.concatenate: lambda f, a: f([a, CELLS], axis=1),
    np.where: lambda f, a: f(a > 2, a, 0),
    np.clip: lambda f, a: f(a, 2, 4),
    np.reshape: lambda f, a: f(a, (3, 2)),
    np.zeros_like: lambda f, a: f(a),
    np.full_like: lambda f, a: f(a, 7),
    np.moveaxis: lambda f, a: f(a, 0, 1),
    np.broadcast_to: lambda f, a: f(a, (2, 2, 3)),
    np.argmax: lambda f, a: f(a, axis=0),
    np.expand_dims: lambda f, a: f(a, 0),
    np.flip: lambda f, a: f(a, 0),
    np.real: lambda f, a: f(a),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_numpy_functions_come_to_ours(function):
    result, expected = (FUNCTIONS[function](function, a) for a in (x(), CELLS))
    assert isinstance(result, dt.Array)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("ufunc", [np.add, np.less, np.hypot, np.logical_and])
def test_ufuncs_come_to_ours(ufunc):
    for result in (ufunc(x(), CELLS), ufunc(CELLS, x())):
        assert isinstance(result, dt.Array)
        np.testing.assert_array_equal(result.compute(), ufunc(CELLS, CELLS))


def test_a_ufunc_may_be_given_a_dtype():
    assert np.add(x(), 1, dtype="f4").dtype == np.float32


def test_every_function_that_is_registered_is_numpys():
    for name in UFUNC_FUNCTIONS:
        assert name in special.__all__ or isinstance(getattr(np, name), np.ufunc)
    for function in NUMPY_FUNCTIONS:
        assert function.__module__.startswith("numpy")


@pytest.mark.parametrize("keyword", ["out", "order", "subok"])
def test_keywords_of_ufuncs_that_we_lack_are_refused(keyword):
    values = {"out": (np.empty((2, 3)),), "order": "C"}
    with pytest.raises(TypeError):
        np.add(x(), 1, **{keyword: values.get(keyword, True)})


def test_methods_of_ufuncs_that_we_lack_are_refused():
    with pytest.raises(TypeError):
        np.subtract.reduce(x())


def test_a_ufunc_at_is_refused():
    target = CELLS.copy()
    with pytest.raises(TypeError):
        np.add.at(target, [0], x()[0])
    np.testing.assert_array_equal(target, CELLS)


def test_ufuncs_of_others_are_called_and_have_no_other_methods():
    mine = np.frompyfunc(lambda a, b: a + b, 2, 1)
    np.testing.assert_array_equal(mine(x(), 1).compute(), CELLS + 1)
    for method in (mine.reduce, mine.accumulate, mine.outer):
        with pytest.raises(TypeError):
            method(x(), x())


@pytest.mark.parametrize(
    "call",
    [
        lambda a: np.real_if_close(a),
        lambda a: np.common_type(a, a),
        lambda a: np.min_scalar_type(a),
    ],
)
def test_what_is_missing_is_refused_and_never_numpys(call):
    with pytest.raises(TypeError, match=r"dask_tapestry has no numpy\.|compute\(\)"):
        call(x())


def test_shapes_are_known_to_numpy():
    assert np.shape(x()) == (2, 3)
    assert np.ndim(x()) == 2
    assert (np.size(x()), np.size(x(), 1), np.size(x(), -2)) == (6, 3, 2)


class Wrapper(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another library, which holds one of ours."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "the wrapper's"

    def __array_function__(self, function, types, args, kwargs):
        return "the wrapper's"


class Prior:
    __array_priority__ = 20

    def __radd__(self, other):
        return "the wrapper's"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + Wrapper(),
        lambda x: Wrapper() * x,
        lambda x: x == Wrapper(),
        lambda x: np.add(x, Wrapper()),
        lambda x: np.concatenate([x, Wrapper()]),
        lambda x: x + Prior(),
    ],
)
def test_what_wraps_arrays_computes(call):
    assert call(x()) == "the wrapper's"


def test_what_holds_cells_does_not():
    for other in (CELLS, np.float32(1), 2.5, x(), da.ones((2, 3))):
        assert isinstance(x() + other, dt.Array)


def test_xarrays_objects_stay_theirs():
    xarray = pytest.importorskip("xarray")
    labelled = xarray.DataArray(CELLS, dims=("a", "b"))
    for total in (x() + labelled, np.add(x(), labelled)):
        assert isinstance(total, xarray.DataArray)
        assert isinstance(total.data, dt.Array)
        np.testing.assert_array_equal(total.values, x().compute() + CELLS)


def test_a_registered_type_is_taken_as_cells():
    class Registered(Wrapper):
        shape, dtype, ndim = CELLS.shape, CELLS.dtype, 2

        def __array__(self, dtype=None, copy=None):
            return CELLS

    assert x() + Registered() == "the wrapper's"
    dt.register_chunk_type(Registered)
    np.testing.assert_array_equal((x() + Registered()).compute(), 2 * CELLS)


def test_an_array_that_answers_itself_is_asked_by_ours_too():
    asked = []

    class Mine(Answering):
        def answers(self, function):
            return function in (np.sum, np.concatenate)

        def __array_function__(self, function, types, args, kwargs):
            asked.append((function, kwargs))
            return "mine"

    assert dt.sum(Mine(), axis=0) == dt.concatenate([x(), Mine()]) == "mine"
    assert asked == [(np.sum, {"axis": 0}), (np.concatenate, {})]
    with pytest.raises((TypeError, ValueError)):
        dt.diff(Mine())


def test_an_array_that_answers_itself_says_how():
    class Mute(Answering):
        def answers(self, function):
            return True

    with pytest.raises(TypeError, match="abstract"):
        Mute()

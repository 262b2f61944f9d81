"""Names of dimensions wherever axes are taken: the same as their numbers, for every function."""

from inspect import Parameter, signature

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.axis_names import AXES, OF_RESULT, axis_of

SPACES = ["", *"fft linalg ma ndimage nn overlap patterns random stats".split()]
CELLS = np.random.default_rng(0).random((3, 4, 3))
X = dt.asarray(CELLS).rename("time", "place", "depth")
MASKED = dt.ma.masked_greater(X, 0.5)


def functions_with_axes():
    for space in SPACES:
        home = getattr(dt, space) if space else dt
        for name in sorted(home.__all__):
            function = getattr(home, name)
            if not callable(function) or isinstance(function, type) or name in OF_RESULT:
                continue
            try:
                parameters = signature(function).parameters
            except ValueError:
                continue
            for axis in sorted(AXES & set(parameters)):
                yield pytest.param(function, parameters, axis, id=f"{space}.{name}-{axis}")


@pytest.mark.parametrize(("function", "parameters", "axis"), [*functions_with_axes()])
def test_every_function_that_takes_axes_looks_for_names(function, parameters, axis):
    given = {"nope": 1} if axis in {"depth", "boundary", "pad_width"} else "nope"
    inputs = {"func": len, "func1d": len, "signature": "(i)->()"}
    by_place, by_name = [], {}
    for name, one in parameters.items():
        value = given if name == axis else inputs.get(name, X)
        if (
            one.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.POSITIONAL_ONLY)
            or one.kind is Parameter.VAR_POSITIONAL
        ):
            by_place.append(value)
        elif name == axis:
            by_name[name] = value
    with pytest.raises(dt.AxisError, match="no dimension is named 'nope'"):
        function(*by_place, **by_name)


CALLS = {
    "sum": lambda xp, x, a, b: xp.sum(x, a),
    "sum, several": lambda xp, x, a, b: xp.sum(x, axis=(a, b)),
    "method": lambda xp, x, a, b: x.mean(axis=b),
    "std, keepdims": lambda xp, x, a, b: x.std(b, keepdims=True),
    "median": lambda xp, x, a, b: xp.median(x, axis=a),
    "quantile": lambda xp, x, a, b: xp.quantile(x, [0.25, 0.5], axis=b),
    "argmax": lambda xp, x, a, b: x.argmax(b),
    "cumsum": lambda xp, x, a, b: xp.cumsum(x, axis=b),
    "sort": lambda xp, x, a, b: xp.sort(x, axis=a),
    "concatenate": lambda xp, x, a, b: xp.concatenate([x, x], axis=b),
    "take": lambda xp, x, a, b: xp.take(x, [1, 0], axis=b),
    "take_along_axis": lambda xp, x, a, b: xp.take_along_axis(x, xp.argsort(x, axis=a), axis=a),
    "compress": lambda xp, x, a, b: xp.compress([True, False, True], x, axis=a),
    "insert": lambda xp, x, a, b: xp.insert(x, 1, 0.0, axis=b),
    "roll": lambda xp, x, a, b: xp.roll(x, (1, 2), axis=(b, a)),
    "flip": lambda xp, x, a, b: xp.flip(x, b),
    "rot90": lambda xp, x, a, b: xp.rot90(x, axes=(b, a)),
    "moveaxis": lambda xp, x, a, b: xp.moveaxis(x, a, -1),
    "swapaxes": lambda xp, x, a, b: x.swapaxes(a, b),
    "transpose": lambda xp, x, a, b: xp.transpose(x, (2, 1, 0)),
    "split": lambda xp, x, a, b: xp.split(x, 2, axis=b)[1],
    "diff": lambda xp, x, a, b: xp.diff(x, axis=b),
    "gradient": lambda xp, x, a, b: xp.gradient(x, axis=a),
    "norm": lambda xp, x, a, b: xp.linalg.norm(x, axis=(a, b)),
    "fft": lambda xp, x, a, b: xp.fft.rfft(x, axis=b),
    "fftn": lambda xp, x, a, b: xp.fft.fftn(x, axes=(b, a)),
    "tensordot": lambda xp, x, a, b: xp.tensordot(x, x, axes=((a, b), (a, b))),
    "tensordot, one each": lambda xp, x, a, b: xp.tensordot(x, x, axes=(b, b)),
    "cross": lambda xp, x, a, b: xp.cross(x, x[::-1], axis=a),
    "cross, each": lambda xp, x, a, b: xp.cross(x, x, axisa=a, axisb=a),
    "trace": lambda xp, x, a, b: xp.trace(x, axis1=a, axis2=b),
    "average": lambda xp, x, a, b: xp.average(x, axis=a, weights=np.arange(3)),
    "apply_along_axis": lambda xp, x, a, b: xp.apply_along_axis(np.sum, b, x),
    "ufunc.reduce": lambda xp, x, a, b: np.add.reduce(x, axis=b),
    "ufunc.accumulate": lambda xp, x, a, b: np.add.accumulate(x, axis=b),
    "ufunc.reduceat": lambda xp, x, a, b: np.add.reduceat(x, [0, 1], axis=a),
    "NumPy's function": lambda xp, x, a, b: np.sum(x, axis=b),
    "gufunc": lambda xp, x, a, b: np.vecdot(x, x, axis=b),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_names_mean_their_axes(call):
    by_name, numpys = call(dt, X, "time", "place"), call(np, CELLS, 0, 1)
    np.testing.assert_allclose(by_name.compute(), numpys, rtol=1e-13)
    by_number = call(dt, X, 0, 1)
    assert by_name.dims == by_number.dims


def test_methods_take_names_in_any_form():
    assert X.transpose("depth", "place", "time").dims == ("depth", "place", "time")
    assert X.transpose(["depth", "place", "time"]).dims == ("depth", "place", "time")
    x = X.copy()
    x.sort(axis="place")
    np.testing.assert_array_equal(x.compute(), np.sort(CELLS, axis=1))


def test_dictionaries_from_axes():
    np.testing.assert_array_equal(
        dt.map_overlap(lambda b: b, X, depth={"time": 1}, boundary={"time": "nearest"}).compute(),
        CELLS,
    )
    assert dt.coarsen(np.mean, X, {"place": 2}).shape == (3, 2, 3)
    assert dt.pad(X, {"place": 1}).shape == (3, 6, 3)


def test_the_function_may_come_after_its_array():
    y = dt.map_overlap(X, lambda b: b, depth={"place": 1}, boundary="none", dtype="f8")
    np.testing.assert_array_equal(y.compute(), CELLS)


def test_axes_of_each_operand():
    product = np.matmul(X, X, axes=[("time", "place"), ("place", "time"), (0, 1)])
    numpys = np.matmul(CELLS, CELLS, axes=[(0, 1), (1, 0), (0, 1)])
    np.testing.assert_allclose(product.compute(), numpys)
    w = dt.ones((5, 3, 4)).rename("who", "time", "place")
    y = dt.ones((3, 4)).rename("time", "place")
    assert dt.vecdot(w, y, axis="place").shape == (5, 3)  # of which y has fewer dimensions


def test_masked_arrays_have_names():
    assert MASKED.dims == X.dims
    numpys = np.ma.masked_greater(CELLS, 0.5)
    np.testing.assert_allclose(MASKED.mean(axis="place").compute(), numpys.mean(axis=1))
    np.testing.assert_array_equal(np.sum(MASKED, axis="time").compute(), numpys.sum(axis=0))


def test_filters_and_groups():
    np.testing.assert_array_equal(
        dt.ndimage.gaussian_filter1d(X, 1, axis="place").compute(),
        dt.ndimage.gaussian_filter1d(X, 1, axis=1).compute(),
    )
    result, _ = dt.groupby_reduce(X, np.array([0, 1, 0]), axis="time", func="mean")
    np.testing.assert_allclose(result.compute()[..., 0], (CELLS[0] + CELLS[2]) / 2)


def test_the_first_array_says_what_a_name_means():
    places = dt.asarray([0]).rename("time")
    with pytest.raises(dt.AxisError, match="no dimension is named 'time'"):
        dt.take(dt.ones((3, 3)), places, axis="time")  # not that of the places
    with pytest.raises(dt.AxisError, match=r"named 'places': the array has \('time', "):
        X.sum(axis="places")


def test_arrays_without_names_refuse_texts():
    with pytest.raises(dt.ArgumentTypeError, match=r"axis='time' names .* no names.*rename"):
        dt.ones((3, 3)).sum(axis="time")
    with pytest.raises(dt.ArgumentTypeError, match="have no names"):
        dt.sum(np.ones(3), axis=["time"])


def test_a_name_that_is_not_there():
    with pytest.raises(dt.AxisError, match="several dimensions are named 'a'"):
        axis_of("a", ("a", "a"))


def test_steps_and_warnings_are_of_the_users_line():
    p = dt.plan(dt.ndimage.median_filter(X, 3, axes="place"))
    assert "median_filter" in p.explain()
    with pytest.warns(UserWarning, match="ignoring size") as caught:
        dt.ndimage.median_filter(X, 3, footprint=np.ones((2, 2, 2)))
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="promoting") as caught:
        dt.ndimage.gaussian_filter1d(X.astype(complex), 1, axis="place", output=np.float64)
    assert caught[0].filename == __file__

import operator

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays import calibration, methods
from dask_tapestry.planner import long_jobs

WHOLE = np.array([[7, 2, 9], [4, 5, 6]])
BINARY = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift".split()
COMPARISONS = "lt le gt ge eq ne".split()
OTHERS = {
    "int": 2,
    "numpy scalar": np.int64(3),
    "numpy array": np.array([1, 2, 3]),
    "numpy matrix": np.array([[1], [2]]),
    "array": dt.asarray([3, 1, 2]),
}


def check(result, expected):
    """A lazy array with NumPy's value and dtype."""
    assert type(result) is dt.Array
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_operators_on_both_sides(name, other):
    function, value = getattr(operator, name), OTHERS[other]
    plain = np.asarray(value.compute()) if isinstance(value, dt.Array) else value
    check(function(dt.asarray(WHOLE), value), function(WHOLE, plain))
    check(function(value, dt.asarray(WHOLE)), function(plain, WHOLE))


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_operators_on_one(name):
    function = getattr(operator, name)
    check(function(dt.asarray(WHOLE)), function(WHOLE))


def test_products_on_both_sides():
    x = WHOLE.astype("f8")
    for result in (dt.asarray(x) @ x.T, x @ dt.asarray(x.T), dt.asarray(x) @ dt.asarray(x.T)):
        assert isinstance(result, dt.Array)
        np.testing.assert_allclose(result.compute(), x @ x.T)


@pytest.mark.parametrize("other", [2, 2.5, np.array([1, 2, 3])])
def test_divmod(other):
    for result, expected in (
        (divmod(dt.asarray(WHOLE), other), divmod(WHOLE, other)),
        (divmod(other, dt.asarray(WHOLE)), divmod(other, WHOLE)),
    ):
        for ours, theirs in zip(result, expected, strict=True):
            check(ours, theirs)


def test_python_numbers_do_not_widen():
    x = dt.ones(3, "f4")
    assert (x * 2.5).dtype == (2.5 * x).dtype == np.float32
    assert (dt.ones(3, "i1") + 1).dtype == np.int8
    with pytest.raises(OverflowError):
        dt.ones(3, "i1") + 1000


def test_a_numpy_array_is_not_filled_behind_the_users_back():
    target = WHOLE.copy()
    with pytest.raises(TypeError):
        target += dt.asarray(WHOLE)
    np.testing.assert_array_equal(target, WHOLE)


@pytest.mark.parametrize("wrong", ["a", b"a", None, object()])
@pytest.mark.parametrize("name", ["add", "lt"])
def test_what_is_no_array_is_refused(name, wrong):
    with pytest.raises(TypeError):
        getattr(operator, name)(dt.ones(1), wrong)
    with pytest.raises(TypeError):
        getattr(operator, name)(wrong, dt.ones(1))


@pytest.mark.parametrize("name", ["add", "lt"])
def test_objects_that_have_no_such_operator_are_told_when_computed(name):
    with pytest.raises(TypeError):
        getattr(operator, name)(dt.ones(1), np.array([object()])).compute()


def test_who_asks_to_be_deferred_to_is():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    assert dt.ones(3) + Other() == "mine"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sum", {"axis": 0}),
        ("prod", {}),
        ("min", {"axis": 1, "keepdims": True}),
        ("max", {}),
        ("any", {}),
        ("all", {"axis": 0}),
        ("mean", {"axis": -1}),
        ("var", {"ddof": 1}),
        ("std", {"axis": (0, 1)}),
        ("argmin", {}),
        ("argmax", {"axis": 1}),
        ("squeeze", {}),
        ("ravel", {}),
        ("flatten", {}),
        ("conj", {}),
        ("conjugate", {}),
    ],
)
def test_methods_are_those_of_numpy(name, arguments):
    x = WHOLE.astype("f8")
    result = getattr(dt.asarray(x), name)(**arguments)
    expected = np.asarray(getattr(x, name)(**arguments))
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result.compute(), expected, rtol=1e-15)


def test_methods_that_take_several_forms():
    x = dt.ones((2, 3, 4))
    assert x.T.shape == x.transpose().shape == x.transpose(None).shape == (4, 3, 2)
    assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert x.reshape(6, -1).shape == x.reshape((6, 4)).shape == (6, 4)
    assert x.reshape(-1).shape == (24,)
    assert x.swapaxes(0, 2).shape == (4, 3, 2)
    assert x.astype("i2").dtype == np.int16
    assert x.clip(0, 0.5).max().compute() == 0.5


def test_parts_of_complex_cells():
    x = dt.asarray([1 + 2j])
    assert x.real.compute() == 1
    assert x.imag.compute() == 2
    assert dt.ones(2).imag.compute().tolist() == [0, 0]


def test_every_method_has_a_docstring():
    for name in vars(dt.Array).copy():
        member = getattr(dt.Array, name)
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert member.__doc__, name


def test_in_place_operators_keep_dtype_and_shape():
    x = dt.zeros(3, "f4")
    same, before = x, x + 0
    x -= np.float64(1)
    x *= [1, 2, 3]
    assert same is x
    assert x.dtype == "f4"
    assert x.compute().tolist() == [-1, -2, -3]
    assert before.compute().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda x: x.__itruediv__(2), TypeError),
        (lambda x: x.__iadd__(0.5), TypeError),
        (lambda x: x.__iadd__(np.ones((2, 3), int)), ValueError),
    ],
)
def test_in_place_operators_refuse_what_numpy_refuses(wrong, error):
    with pytest.raises(error):
        wrong(np.arange(3))
    with pytest.raises(error):
        wrong(dt.arange(3))


def test_long_jobs_have_this_machine_measured(monkeypatch):
    measured = []
    monkeypatch.setattr(calibration, "calibrate", lambda: measured.append(True))
    monkeypatch.setattr(long_jobs, "_ways", [])
    methods.attach()
    long_jobs._ways.pop()()
    assert measured == [True]

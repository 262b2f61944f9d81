import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellExpression
from dask_tapestry.errors import DTypeError, ShapeError, ValueRangeError
from dask_tapestry.operators.cells.elementwise import Elementwise, astype, elementwise
from dask_tapestry.teg import apply
from dask_tapestry.teg.node import form_of, is_interned
from tests.comparisons import same_bits

X = np.array([-3, 0, 5], "i1")


@pytest.mark.parametrize("value", [True, 2, 2.5, 1j, np.int64(2), np.float32(0.5), np.uint8(3)])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", "c8", "?"])
def test_scalars_promote_as_in_numpy(value, dtype):
    x = np.array([0, 1, 3]).astype(dtype)
    for ours, numpy in ((dt.asarray(x) + value, x + value), (value * dt.asarray(x), value * x)):
        assert same_bits(ours.compute(), numpy)


@pytest.mark.parametrize("value", [300, -129, 2**70])
def test_an_integer_that_does_not_fit_is_refused(value):
    with pytest.raises(ValueRangeError, match=f"Python integer {value} out of bounds for int8"):
        dt.asarray(X) + value


@pytest.mark.parametrize("value", [300, -129, 2**70, -(2**70), 5])
@pytest.mark.parametrize(
    "name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
)
def test_integers_out_of_range_are_compared_by_value(name, value):
    ours, numpy = getattr(dt, name), getattr(np, name)
    assert same_bits(ours(dt.asarray(X), value).compute(), numpy(X, value))
    assert same_bits(ours(value, dt.asarray(X)).compute(), numpy(value, X))


def test_large_integers_are_compared_exactly():
    x = np.array([2**63, 2**53 + 1, 0], "u8")
    for value in (2**53, 2**63, -1, 2**64):
        assert same_bits((dt.asarray(x) > value).compute(), x > value)


def test_an_operand_used_twice_is_one_input():
    x = dt.asarray(X)
    assert len((x * x).node.inputs) == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: dt.invert(x.astype("f4")), DTypeError),
        (lambda x: x + dt.ones(4), ShapeError),
        (lambda x: x + dt.zeros(3, "M8[s]"), None),
        (lambda x: dt.zeros(3, "M8[s]") + dt.zeros(3, "M8[s]"), DTypeError),
    ],
)
def test_what_has_no_meaning_is_refused(call, error):
    if error is None:
        assert call(dt.asarray(X)).dtype == "M8[s]"
    else:
        with pytest.raises(error):
            call(dt.asarray(X))


def test_a_map_takes_one_shape():
    operator = (dt.ones(3) + dt.asarray(X)).node.operator
    assert isinstance(operator, Elementwise)
    with pytest.raises(ShapeError, match="tensors of one shape"):
        apply(operator, dt.ones(3).node, dt.ones(4).node)


def test_a_cast_to_the_same_dtype_is_nothing():
    x = dt.asarray(X).node
    assert astype(x, np.dtype("i1")) is x


def test_the_output_of_a_ufunc_with_several():
    x = np.array([7.25, -7.25])
    for place, expected in enumerate(np.modf(x)):
        node = elementwise("modf", dt.asarray(x).node, output=place)
        assert same_bits(dt.Array(node).compute(), expected)


def test_names_of_dimensions_must_not_contradict_each_other():
    x, y = dt.ones((3, 3)).rename("a", None), dt.ones((3, 3)).rename(None, "b")
    assert (x + y).dims == ("a", "b")
    with pytest.raises(ShapeError, match="two names"):
        dt.ones((3, 3)).rename("a", "b") + dt.ones((3, 3)).rename("b", "a")


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
def test_powers_of_integers_are_the_last_bits_of_the_exact_ones(dtype):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 2, 3, 7, 10, info.max, info.max - 1, info.min, info.min + 1], dtype)
    y = np.arange(0, 40, dtype=dtype)
    x, y = (a.ravel() for a in np.meshgrid(x, y))
    exact = [int(a) ** int(b) % 2 ** (8 * x.itemsize) for a, b in zip(x, y, strict=True)]
    expected = np.array(exact, f"u{x.itemsize}").view(dtype)
    assert same_bits((dt.asarray(x) ** dt.asarray(y)).compute(), expected)
    assert same_bits((dt.asarray(x[::-1]) ** y[::-1]).compute(), expected[::-1])
    assert same_bits((dt.asarray(x[y == 13]) ** 13).compute(), expected[y == 13])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_a_complex_number_to_the_power_of_a_python_number_is_as_numpys_operator_has_it(dtype):
    x = np.array([3 - 4j, 1.5 + 1e-3j, -2, complex(np.inf, 1), 0], dtype)
    rounding = 1e-5 if dtype == "c8" else 1e-14
    for power in (2, 3, -1, 0.5, 1, 0, -2, 2.5 + 1j):
        with np.errstate(all="ignore"):
            expected = x**power
        made = (dt.asarray(x) ** power).compute()
        assert np.allclose(made, expected, rtol=rounding, equal_nan=True)
    assert same_bits((dt.asarray(x) ** 2).compute(), dt.square(dt.asarray(x)).compute())
    assert same_bits((dt.asarray(x) ** 0.5).compute(), dt.sqrt(dt.asarray(x)).compute())


def test_calls_that_differ_in_the_bits_of_a_constant_or_in_a_dtype_are_not_one():
    x = dt.asarray(np.array([1.0, -2.0, 0.0]))
    made = [x * 0.0, x * -0.0, x * np.float32(0), x.astype("f4") * 0.0, x + np.nan, x + -np.nan]
    assert len({a.node.digest for a in made}) == 5  # float32(0) becomes a float64 like 0.0
    with np.errstate(all="ignore"):
        assert np.signbit((x * -0.0).compute()).tolist() == [True, False, True]
    assert len({a.node.operator for a in (x * 2, x * 2, dt.ones(7) * 2.0)}) == 1


def test_a_form_that_is_told_is_that_of_the_operator():
    y = dt.ones(3) + 1.5
    assert y.node.form == form_of(y.node.operator)
    assert is_interned(y.node)


@pytest.mark.parametrize("constant", [2, 2.5, True, 3 + 1j, np.float32(3), -0.0, np.nan])
@pytest.mark.parametrize("dtype", ["f8", "i4", "c16"])
def test_calls_with_other_constants_are_those_that_are_written_out(constant, dtype):
    x = dt.asarray(np.arange(5, dtype=dtype))
    for y in (x * constant, dt.where(x == constant, constant, constant), constant - x):
        node = y.node
        assert node.form == form_of(node.operator)
        expression = node.operator.expression
        again = CellExpression(expression.parameters, expression.steps)
        assert (again, hash(again)) == (expression, hash(expression))
        assert again.without_constants == expression.without_constants
        assert pickle.loads(pickle.dumps(expression)) == expression

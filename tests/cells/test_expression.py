import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder, CellStep, identity
from dask_tapestry_kernels.devices import kernels_of
from tests.comparisons import same_bits

F8, I8 = np.dtype("f8"), np.dtype("i8")
CALLS = ("add", "subtract", "multiply", "maximum", "copysign")


@st.composite
def builders(draw, parameters=2):
    """A builder with steps of random calls, some of them dead."""
    builder = CellBuilder((F8,) * parameters)
    known = list(range(parameters))
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.integers(0, 3)) == 0:
            known.append(builder.constant(np.float64(draw(st.integers(-3, 3)))))
        operands = [draw(st.sampled_from(known)) for _ in range(2)]
        known.append(builder.call(draw(st.sampled_from(CALLS)), operands, F8))
    return builder, known[-1]


def evaluated(expression, *blocks):
    return kernels_of("cpu")["map"](None, *blocks, expression=expression)


def by_numpy(builder, result, blocks):
    """Every step, dead ones too, one after the other."""
    values = list(blocks)
    for step in builder.steps:
        if step.function == "constant":
            values.append(np.full(X.shape, np.frombuffer(step.value, step.dtype)[0]))
        else:
            values.append(getattr(np, step.function)(*[values[i] for i in step.operands]))
    return values[result]


X = np.array([0.5, -0.0, 3.0, -7.25, np.inf, np.nan])
Y = np.array([2.0, 0.0, -3.0, 1e300, -np.inf, 1.0])


@given(builders())
def test_finish_keeps_the_value_and_drops_dead_steps(made):
    builder, result = made
    with np.errstate(all="ignore"):
        expression = builder.finish(result)
        assert same_bits(evaluated(expression, X, Y), by_numpy(builder, result, (X, Y)))
    used = {i for step in expression.steps for i in step.operands}
    last = 1 + len(expression.steps)
    assert all(number in used or number == last for number in range(2, last + 1))
    assert len(expression.steps) <= len(builder.steps)


@given(builders(), builders())
def test_inline_keeps_the_value(inner, outer):
    one, two = inner[0].finish(inner[1]), outer[0].finish(outer[1])
    builder = CellBuilder((F8, F8))
    middle = builder.inline(one, (1, 0))
    whole = builder.finish(builder.inline(two, (middle, 0)))
    first = evaluated(one, Y, X)
    assert same_bits(evaluated(whole, X, Y), evaluated(two, first, X))


@given(builders())
def test_a_formula_survives_pickling_and_is_a_value(made):
    expression = made[0].finish(made[1])
    again = pickle.loads(pickle.dumps(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert str(again) == str(expression)


def test_equal_steps_are_written_once():
    builder = CellBuilder((F8,))
    assert builder.call("add", (0, 0), F8) == builder.call("add", (0, 0), F8)
    assert builder.constant(np.float64(0.0)) != builder.constant(np.float64(-0.0))
    assert len(builder.steps) == 3


def test_a_cast_to_the_same_dtype_is_nothing():
    builder = CellBuilder((F8,))
    assert builder.cast(0, F8) == 0
    assert builder.dtype(builder.cast(0, I8)) == I8
    assert str(builder.finish(1)) == "int64($0)"


def test_a_parameter_alone_is_chosen():
    expression = CellBuilder((F8, I8)).finish(1)
    assert (expression.chosen, expression.dtype, str(expression)) == (1, I8, "int64($1)")
    assert identity(F8).chosen == 0
    builder = CellBuilder((F8,))
    assert builder.finish(builder.cast(0, I8)).chosen is None
    assert builder.finish(builder.call("negative", (0,), F8)).chosen is None


def test_a_long_formula_prints_briefly_and_without_recursion():
    builder = CellBuilder((F8,))
    value = 0
    for n in range(5000):
        value = builder.call(CALLS[n % 2], (value, value), F8)
    expression = builder.finish(value)
    assert "…" in str(expression)
    assert len(str(expression)) < 1000
    assert expression.flops == 5000
    assert pickle.loads(pickle.dumps(expression)) == expression


def test_a_constant_keeps_its_bits():
    step = CellStep("constant", (), np.dtype("f4"), np.float32(-0.0).tobytes())
    builder = CellBuilder((np.dtype("f4"),))
    expression = builder.finish(builder.step(step))
    assert np.signbit(expression.constant(expression.steps[-1]))
    assert str(expression) == "-0.0"


@pytest.mark.parametrize("kind", ["S", "U"])
def test_an_empty_text_is_a_constant(kind):
    builder = CellBuilder((np.dtype(f"{kind}3"),))
    empty = builder.constant(np.zeros((), f"{kind}3").flat[0])
    expression = builder.finish(builder.call("equal", (0, empty), np.dtype(bool)))
    assert expression.constant(expression.steps[0]) == np.zeros((), f"{kind}1")[()]

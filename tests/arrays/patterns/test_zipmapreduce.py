import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hn

import dask_tapestry as dt
from dask_tapestry.arrays.patterns import iteridx, select
from dask_tapestry.arrays.patterns.zipmapreduce import reduce, zipmapreduce

X = np.random.default_rng(0).normal(size=(3, 5, 4))
DTYPES = ("?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16")

FUNCTIONS = {
    "arithmetic": (lambda a, x, y: x * 2 + y, lambda x, y: x * 2 + y),
    "comparison": (lambda a, x, y: x == y, lambda x, y: x == y),
    "choice": (lambda a, x, y: dt.where(x, y, 3), lambda x, y: np.where(x, y, 3)),
    "one operand": (lambda a, x, y: np.negative(y), lambda x, y: -y),
    "constant": (lambda a, x, y: 7, lambda x, y: np.full(np.broadcast(x, y).shape, 7)),
}


@given(
    st.sampled_from(sorted(FUNCTIONS)),
    hn.mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=5, max_dims=3),
    st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    st.sampled_from([8, 40, 1000]),
    st.data(),
)
def test_cells_are_numpys_for_every_shape_dtype_and_sharding(
    shardings, name, shapes, dtypes, block_bytes, data
):
    ours, numpys = FUNCTIONS[name]
    small = st.integers(0, 3)
    x, y = (
        data.draw(hn.arrays(np.int64, shape, elements=small)).astype(dtype)
        for shape, dtype in zip(shapes.input_shapes, dtypes, strict=True)
    )
    if name == "one operand" and dtypes[1] == "?":
        return  # NumPy has no negative of a boolean
    with np.errstate(all="ignore"):
        wanted = np.broadcast_to(numpys(x, y), shapes.result_shape)
    result = zipmapreduce(ours, [x, y])
    assert result.shape == shapes.result_shape
    with shardings.tiny(block_bytes):
        made = result.compute()
    np.testing.assert_array_equal(made, wanted)
    if name != "constant":  # a Python number takes no dtype from the cells
        assert made.dtype == wanted.dtype


@given(
    st.sampled_from(["sum", "mean", "max", "argmin", "var", "any", "prod"]),
    st.sampled_from([None, 0, 1, 2, -1]),
    st.booleans(),
)
def test_reductions_have_the_bits_of_the_same_in_one_block(shardings, how, axis, keepdims):
    result = zipmapreduce(
        lambda attrs, x, y: np.sin(x) * y + iteridx(1, attrs), [X, X[0]], how, axis, keepdims
    )
    places = np.arange(5)[:, None]
    numpys = {"axis": axis, "keepdims": keepdims}
    with shardings.tiny(10**6):
        whole = result.compute()
    with shardings.tiny(64):
        made = result.compute()
    np.testing.assert_array_equal(made, whole)
    np.testing.assert_allclose(
        made, getattr(np, how)(np.sin(X) * X[0] + places, **numpys), rtol=1e-12
    )


def test_the_function_is_called_once():
    calls = []
    zipmapreduce(lambda attrs, x: calls.append(attrs.shape) or x, [dt.ones((3, 4))]).compute()
    assert calls == [(3, 4)]


def test_formula_and_reduction_are_one_loop_of_one_step():
    x = dt.placeholder((10**6, 100), "f8")
    plan = zipmapreduce(lambda attrs, x: (x - 1) ** 2, [x], "sum", 0).plan()
    assert "  operators: placeholder > reduce\n" in plan.explain(all=True)
    assert {step.node.operator.name for step in plan.core.steps.values()} <= {
        "reduce",
        "reduce_nodes",
    }


def test_several_results_each_with_its_own_reduction(shardings):
    pair = zipmapreduce(lambda attrs, x: (x, x * x), [X])
    assert [one.shape for one in pair] == [X.shape] * 2
    place, mean = zipmapreduce(lambda attrs, x: (x, x * x), [X], ("argmin", "mean"), axis=1)
    with shardings.tiny(64):
        made = dt.compute(place, mean)
    np.testing.assert_array_equal(made[0], X.argmin(1))
    np.testing.assert_allclose(made[1], (X * X).mean(1), rtol=1e-14)
    (one,) = zipmapreduce(lambda attrs, x: (x,), [X], "max")
    assert one.compute() == X.max()


def first(a, b):
    closer = b[0] < a[0]
    return np.where(closer, b[0], a[0]), np.where(closer, b[1], a[1])


def test_monoids_of_one_value_and_of_tuples(shardings):
    def both(a, b):
        return a[0] + b[0], a[1] + b[1]

    mean = dt.Monoid((0.0, 0), both, finalize=lambda pair: pair[0] / pair[1])
    mapped = dt.Monoid((0.0, 0), both, lambda x: (x, np.ones(x.shape, int)), mean.finalize)
    least = dt.Monoid((np.inf, 0), first)
    joined = zipmapreduce(lambda attrs, x: (x, 1), [X], mean, axis=(0, 2))
    value, place = zipmapreduce(lambda attrs, x: (x, iteridx(1, attrs)), [X], least, axis=1)
    with shardings.tiny(64):
        np.testing.assert_allclose(joined.compute(), X.mean((0, 2)), atol=1e-15)
        np.testing.assert_allclose(reduce(X, mapped, -1).compute(), X.mean(-1), atol=1e-15)
        np.testing.assert_array_equal(place.compute(), X.argmin(1))
        np.testing.assert_array_equal(value.compute(), X.min(1))
    most = zipmapreduce(lambda attrs, x: -x, [X], dt.Monoid(-np.inf, np.maximum), keepdims=True)
    np.testing.assert_array_equal(most.compute(), (-X).max(keepdims=True))


def test_no_cells_are_the_identity_or_refused():
    x = dt.ones((3, 0))
    np.testing.assert_array_equal(zipmapreduce(lambda a, x: x, [x], "sum", 1).compute(), [0] * 3)
    empty = zipmapreduce(lambda a, x: (x, 1), [x], dt.Monoid((np.inf, 0), first), axis=1)
    np.testing.assert_array_equal(empty[0].compute(), [np.inf] * 3)
    assert zipmapreduce(lambda a, x: x, [x], "max", 0).shape == (0,)
    with pytest.raises(dt.ShapeError, match="zero-size"):
        zipmapreduce(lambda a, x: x, [x], "max")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda attrs, x: -x if x < 0 else x, "choose with where or select"),
        (lambda attrs, x: float(x), "no value yet"),
        (lambda attrs, x: x.sum(), "whole arrays"),
        (lambda attrs, x: x + dt.ones(3), "shape"),
        (lambda attrs, x: None, "NoneType"),
        (lambda attrs, x: np.asarray(x), "no value yet"),
    ],
)
def test_functions_that_cannot_be_traced(function, why):
    with pytest.raises(dt.TraceError, match=why) as raised:
        zipmapreduce(function, [dt.ones(3)])
    assert "<lambda>" in str(raised.value)


def test_bad_arguments():
    with pytest.raises(dt.ShapeError, match="broadcast"):
        zipmapreduce(lambda a, x, y: x, [dt.ones(3), dt.ones(4)])
    with pytest.raises(dt.ArgumentError, match="at least one"):
        zipmapreduce(lambda a: 1, [])
    with pytest.raises(dt.ArgumentError, match="not a reduction"):
        zipmapreduce(lambda a, x: x, [dt.ones(3)], "median")
    with pytest.raises(dt.ArgumentError, match="1 reductions are given for 2 results"):
        zipmapreduce(lambda a, x: (x, x), [dt.ones(3)], ["sum"])
    with pytest.raises(dt.AxisError):
        reduce(dt.ones(3), "sum", 1)


def test_ufuncs_of_others_are_cells_functions_too(shardings):
    twice = np.frompyfunc(lambda a, b: a * 2 + b, 2, 1)
    made = zipmapreduce(lambda attrs, x: twice(x, iteridx(0, attrs)), [np.arange(5.0)], "sum")
    with shardings.tiny(8):
        assert made.compute() == 30


def test_names_of_dimensions_are_kept():
    x = dt.ones((2, 3)).rename("row", "column")
    assert zipmapreduce(lambda attrs, x: x + iteridx(0, attrs), [x]).dims == ("row", "column")
    assert select(x, x, 0).dims == ("row", "column")

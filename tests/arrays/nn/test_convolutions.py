from functools import partial

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.comparisons.layers import conv as oracle
from tests.comparisons.layers import conv_transpose as transposed
from tests.examples import examples

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(3, 8, 9, 11))
K = RANDOM.normal(size=(6, 8, 3, 2))


@st.composite
def cases(draw):
    """Inputs, options, a key into the result and chunks."""
    rank = draw(st.integers(1, 3))
    groups = draw(st.integers(1, 3))
    few, fewer = (st.tuples(*[st.integers(1, most)] * rank) for most in (4, 3))
    window, strides, dilation = draw(few), draw(few), draw(fewer)
    padding = draw(st.tuples(*[st.tuples(st.integers(0, 3), st.integers(0, 3))] * rank))
    channels, outputs = draw(st.integers(0, 5)), draw(st.integers(0, 4))
    reach = [d * (w - 1) + 1 for w, d in zip(window, dilation, strict=True)]
    space = [
        draw(st.integers(max(1, r - a - b), r + 6))
        for r, (a, b) in zip(reach, padding, strict=True)
    ]
    kinds = st.sampled_from("? i1 u2 i8 f2 f4 f8 c8 c16".split())
    dtypes = draw(st.tuples(kinds, kinds))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    x = random.integers(-3, 4, (draw(st.integers(0, 3)), channels * groups, *space))
    k = random.integers(-3, 4, (outputs * groups, channels, *window))
    mode = draw(st.sampled_from(["zeros", "edge", "wrap", "reflect"]))
    how = {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups}
    chunks = tuple([draw(st.integers(1, max(1, n))) for n in x.shape])
    steps = [slice(draw(st.integers(0, 2)), None, draw(st.integers(1, 3))) for _ in x.shape]
    return (
        x.astype(dtypes[0]),
        k.astype(dtypes[1]),
        how | {"padding_mode": mode},
        chunks,
        tuple(steps),
    )


@examples(20)
@hypothesis.given(cases())
def test_it_is_the_sum_of_products_of_windows(case):
    """Small integers, whose sums are exact in any order: so bits are compared of every dtype."""
    x, k, how, chunks, key = case
    expected = oracle(x, k, **how)
    made = dt.nn.conv(dt.asarray(x).rechunk(chunks), k, **how)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    with dt.config(block_bytes=200):
        np.testing.assert_array_equal(made.compute(scheduler="sync"), expected)
    np.testing.assert_array_equal(made[key].compute(scheduler="sync"), expected[key])


HOW = (
    {},
    {"strides": 2, "padding": "same"},
    {"dilation": (2, 3), "padding": 2, "padding_mode": "reflect"},
    {"strides": (3, 1), "padding": ((0, 1), (2, 0)), "padding_mode": "wrap"},
)


@pytest.mark.few(3)  # each way
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_sums_that_end_in_blas_are_within_rounding_for_every_sharding(how, dtype, shardings):
    x, k = X.astype(dtype), K.astype(dtype)
    wide = "c16" if dtype[0] == "c" else "f8"
    plain = {**how, "padding": 1} if how.get("padding") == "same" else how
    if plain is not how:
        plain = {**how, "padding": ((1, 1), (0, 1))}
    expected = oracle(x.astype(wide), k.astype(wide), **plain)
    near = partial(
        np.testing.assert_allclose, rtol=0, atol=3e-5 if dtype in ("f4", "c8") else 1e-13
    )
    near(dt.nn.conv(x, k, **how).compute(), expected)
    for chunks in ((1, 8, 9, 11), (3, 3, 9, 11), (3, 8, 4, 3), (2, 5, 5, 11)):
        with shardings.tiny(2000):
            near(dt.nn.conv(dt.asarray(x).rechunk(chunks), k, **how).compute(), expected)
    for chunks in ((1, 6, 9, 11), (3, 2, 2, 3)):
        near(dt.nn.conv(x, k, **how).rechunk(chunks).compute(), expected)


@pytest.mark.few(3)  # each dtype
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dtype", ["f2", "f4", "c16"])
def test_few_channels_have_the_same_bits_for_every_sharding(how, dtype, shardings):
    x, k = X.astype(dtype), K[:, :2].astype(dtype)
    apart = {**how, "groups": 4}
    k = np.concatenate([k, k[:2]])
    whole = dt.nn.conv(x, k, **apart).compute()
    for chunks in ((1, 8, 9, 11), (3, 3, 9, 11), (3, 8, 4, 3), (2, 5, 5, 11)):
        with shardings.tiny(2000):
            assert same_bits(dt.nn.conv(dt.asarray(x).rechunk(chunks), k, **apart).compute(), whole)
    key = np.s_[1:, 1:5, ::2, 1:3]
    assert same_bits(dt.nn.conv(x, k, **apart)[key].compute(), np.ascontiguousarray(whole[key]))


def test_a_slice_reads_what_its_windows_need():
    x, k = dt.placeholder((8, 32, 64, 64), "f4"), dt.placeholder((32, 32, 3, 3), "f4")
    one = dt.Resources(workers=1, threads=1)
    plan = dt.plan(dt.nn.conv(x, k)[:, :2, 5:9, ::2], resources=one)
    plan.verify()
    assert plan.cost["bytes_read"] == 4 * (8 * 32 * 6 * 63 + 2 * 32 * 9)
    weights = dt.placeholder((32, 8, 3, 3), "f4")
    grouped = dt.plan(dt.nn.conv(x, weights, groups=4)[:, 9:12], resources=one)
    assert grouped.cost["bytes_read"] == 4 * (8 * 8 * 64 * 64 + 3 * 8 * 9)


def test_a_plan_adds_up_parts_of_the_channels_where_little_else_is_cut():
    x, k = dt.placeholder((1, 2**22, 3), "f4"), dt.placeholder((8, 2**22, 3), "f4")
    machines = dt.Resources(workers=64, threads=1, memory="8 GiB")
    plan = dt.plan(dt.nn.conv(x, k), resources=machines)
    plan.verify()
    assert "parts of" in str(plan.core.graph)


def test_names_of_batch_and_space_stay():
    x = dt.ones((2, 3, 5, 6)).rename("n", "c", "h", "w")
    assert dt.nn.conv(x, dt.ones((4, 3, 2, 2)), padding=1).dims == ("n", None, "h", "w")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: dt.nn.conv(dt.ones((2, 3)), dt.ones((2, 3))), dt.ShapeError, "three at least"),
        (lambda: dt.nn.conv(X, K[..., 0]), dt.ShapeError, "as many dimensions"),
        (lambda: dt.nn.conv(X, K, groups=3), dt.ShapeError, r"k of 8/3 channels"),
        (lambda: dt.nn.conv(X, K, groups=0), dt.ArgumentError, "groups"),
        (lambda: dt.nn.conv(X, K, strides=0), dt.ArgumentError, "strides"),
        (lambda: dt.nn.conv(X, K, padding=-1), dt.ArgumentError, "padding"),
        (lambda: dt.nn.conv(X, K, padding_mode="mirror"), dt.ArgumentError, "padding_mode"),
        (lambda: dt.nn.conv(X, K, dilation=5), dt.ShapeError, "does not fit 9 cells"),
        (lambda: dt.nn.conv(X, K.astype("U1")), dt.DTypeError, "no loop"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


@examples(20)
@hypothesis.given(cases(), st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)))
def test_the_transpose_adds_windows_up(case, extra):
    x, k, how, _, key = case
    how.pop("padding_mode")
    groups = how["groups"]
    rank = x.ndim - 2
    k = np.ascontiguousarray(np.swapaxes(k, 0, 1))
    x = np.resize(x, (x.shape[0], k.shape[0] * groups, *x.shape[2:]))
    k = np.resize(k, (k.shape[0] * groups, k.shape[1], *k.shape[2:]))
    tops = [max(s, d) - 1 for s, d in zip(how["strides"], how["dilation"], strict=True)]
    how["output_padding"] = tuple([min(a, b) for a, b in zip(extra, tops, strict=False)][:rank])
    spans = zip(x.shape[2:], k.shape[2:], *[how[n] for n in ("strides", "dilation")], strict=True)
    sides = [(n - 1) * s + d * (w - 1) + 1 for n, w, s, d in spans]
    how["padding"] = tuple(
        [(a, b) if a + b < n else (0, 0) for n, (a, b) in zip(sides, how["padding"], strict=True)]
    )
    expected = transposed(x, k, **how)
    made = dt.nn.conv_transpose(x, k, **how)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(made.compute(scheduler="sync"), expected)
    np.testing.assert_array_equal(made[key].compute(scheduler="sync"), expected[key])


def test_it_is_the_transpose_of_the_map_that_conv_is():
    how = {"strides": (2, 3), "padding": (1, 0), "dilation": (1, 2), "groups": 2}
    k = RANDOM.normal(size=(6, 4, 3, 2))
    z = dt.nn.conv(X, k, **how)
    y = RANDOM.normal(size=z.shape)
    back = dt.nn.conv_transpose(y, k, **how, output_padding=(0, 2))
    assert back.shape == X.shape
    np.testing.assert_allclose((z * y).sum().compute(), (back * X).sum().compute(), rtol=1e-10)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({"output_padding": 1}, dt.ShapeError, "must be below strides"),
        ({"output_padding": -1}, dt.ArgumentError, "output_padding"),
        ({"padding": 20}, dt.ShapeError, "leaves no cell"),
        ({"padding": "same"}, dt.ShapeError, "in cells"),
        ({"groups": 3}, dt.ShapeError, "do not divide"),
    ],
)
def test_what_does_not_fit_the_transpose_is_refused(how, error, says):
    with pytest.raises(error, match=says):
        dt.nn.conv_transpose(X, np.ones((8, 2, 3, 3)), **how)

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.examples import examples

KINDS = st.sampled_from("? i1 u2 i8 f2 f4 f8 c8 c16".split())


@examples(20)
@hypothesis.given(
    st.sampled_from(["convolve", "correlate"]),
    st.sampled_from(["full", "same", "valid"]),
    st.tuples(st.integers(1, 30), st.integers(1, 30)),
    st.tuples(KINDS, KINDS),
    st.integers(1, 30),
)
def test_it_is_numpys(name, mode, sizes, dtypes, chunk):
    random = np.random.default_rng(sizes)
    a, v = [
        (random.integers(-4, 5, n) * (1 + 1j * (kind[0] == "c"))).astype(kind)
        if kind[0] == "c"
        else random.integers(-4, 5, n).astype(kind)
        for n, kind in zip(sizes, dtypes, strict=True)
    ]
    expected = getattr(np, name)(a, v, mode)
    made = getattr(dt, name)(dt.asarray(a).rechunk(min(chunk, len(a))), v, mode)
    assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(made.compute(scheduler="sync"), expected)
    np.testing.assert_array_equal(made[1::2].compute(scheduler="sync"), expected[1::2])


def test_every_cut_has_the_same_bits(shardings):
    random = np.random.default_rng(3)
    a, v = random.normal(size=5000), random.normal(size=31)
    whole = dt.convolve(a, v).compute()
    np.testing.assert_allclose(whole, np.convolve(a, v), atol=1e-13)
    for chunk in (7, 100, 4000):
        with shardings.tiny(3000):
            assert same_bits(dt.convolve(dt.asarray(a).rechunk(chunk), v).compute(), whole)


def test_numpy_calls_it():
    made = np.convolve(dt.arange(4), dt.ones(2))
    assert isinstance(made, dt.Array)
    np.testing.assert_array_equal(made.compute(), [0, 1, 3, 5, 3])
    np.testing.assert_array_equal(dt.convolve(2, [1, 2]).compute(), [2, 4])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: dt.convolve([], [1]), dt.ShapeError),
        (lambda: dt.correlate([1], []), dt.ShapeError),
        (lambda: dt.convolve([[1]], [1]), dt.ShapeError),
        (lambda: dt.correlate([1], [1], "all"), dt.ArgumentError),
        (lambda: dt.convolve(["a"], [1]), dt.DTypeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call()

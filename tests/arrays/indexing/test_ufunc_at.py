import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.indexing.ufunc_at import _beyond_first

UFUNCS = ["add", "subtract", "multiply", "maximum", "logical_or", "bitwise_xor", "floor_divide"]


@given(st.sampled_from(UFUNCS), st.sampled_from(["i1", "i8", "u2", "?"]), st.data())
def test_at_is_numpys(name, dtype, data):
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    if dtype == "?" and name in ("subtract", "floor_divide"):
        return
    x = generator.integers(0, 9, (5, 4)).astype(dtype)
    keys = [
        (generator.integers(-5, 5, 7), np.ones((7, 4), dtype)),
        ((slice(None), generator.integers(0, 4, (2, 3))), generator.integers(1, 5, (5, 2, 3))),
        ((generator.integers(0, 5, 6), generator.integers(0, 4, 6)), 3),
        (slice(1, 4), 2),
        (2, 1),
        (x > 4, 1),
        ((slice(0, 3), generator.integers(0, 4, 6)), 1),
    ]
    key, values = keys[data.draw(st.integers(0, len(keys) - 1))]
    values = np.asarray(values).astype(dtype) if not isinstance(values, int) else values
    expected, ours = x.copy(), dt.asarray(x)
    ufunc = getattr(np, name)
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 10**6]))), np.errstate(all="ignore"):
        ufunc.at(expected, key, values)
        assert ufunc.at(ours, key, values) is None
        np.testing.assert_array_equal(ours.compute(), expected)
    assert ours.dtype == expected.dtype


def test_sums_have_numpys_bits():
    generator = np.random.default_rng(0)
    places, values = generator.integers(0, 100, 50_000), generator.normal(size=50_000)
    expected, ours = np.zeros(100, "f4"), dt.zeros(100, "f4")
    np.add.at(expected, places, values)
    np.add.at(ours, dt.asarray(places), dt.asarray(values))
    assert ours.compute().tobytes() == expected.tobytes()


def test_ufuncs_of_one_operand():
    expected, ours = np.arange(4.0), dt.arange(4.0)
    np.negative.at(expected, [1, 2, 2, 3])
    np.negative.at(ours, [1, 2, 2, 3])
    np.testing.assert_array_equal(ours.compute(), expected)


def test_what_was_made_of_it_before_keeps_its_value():
    x = dt.zeros(3)
    before = x + 1
    np.add.at(x, [0, 0], 5)
    assert before.compute().tolist() == [1, 1, 1]
    assert x.compute().tolist() == [10, 0, 0]


def test_what_numpy_refuses():
    with pytest.raises(TypeError, match="no loop"):
        np.add.at(dt.zeros(3, "M8[s]"), [0], dt.zeros(3, "M8[s]"))
    with pytest.raises(IndexError):
        np.add.at(dt.zeros(3), [3], 1)
    with pytest.raises(ValueError, match="second operand"):
        np.add.at(dt.zeros(3), [0])
    with pytest.raises(TypeError):
        np.add.at(np.zeros(3), dt.asarray([0]), 1)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_and", "subtract"])
@pytest.mark.parametrize("indices", [[0], [0, 2, 5], [3, 1, 6, 6, 2], [0, 4, 1, 5, 2, 6, 3, 7]])
@pytest.mark.parametrize("dtype", ["i1", "i8", "?", "f8"])
def test_reduceat_is_numpys(name, indices, dtype):
    if dtype == "?" and name == "subtract":
        return
    x = np.random.default_rng(0).integers(-5, 5, (3, 8)).astype(dtype)
    ufunc = getattr(np, name)
    for axis, options in ((1, {}), (-1, {"dtype": "f8"})):
        if name == "logical_and" and options:
            continue
        expected = ufunc.reduceat(x, indices, axis, **options)
        with dt.config(block_bytes=16):
            found = ufunc.reduceat(dt.asarray(x), indices, axis, **options)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("shape", [(0,), (5, 2)])
@pytest.mark.parametrize("indices", [[], np.zeros(0, "i4")])
def test_reduceat_of_no_segments(shape, indices):
    for axis in range(len(shape)):
        found = np.add.reduceat(dt.ones(shape), indices, axis)
        assert found.shape == np.add.reduceat(np.ones(shape), indices, axis).shape
        assert found.compute().shape == found.shape


def test_segments():
    segment, place = _beyond_first(np.array([2, 0, 0, 3]), 4)
    assert segment.tolist() == [2, 2]
    assert place.tolist() == [1, 2]


def test_reduceat_errors():
    x = dt.arange(5)
    with pytest.raises(IndexError, match=r"index 5 out-of-bounds in add.reduceat \[0, 5\)"):
        np.add.reduceat(x, [0, 5])
    with pytest.raises(IndexError, match="list of integers"):
        np.add.reduceat(x, [0.5])
    with pytest.raises(TypeError, match="cannot reduceat on a scalar"):
        np.add.reduceat(x[0], [0])
    with pytest.raises(TypeError, match=r"indices of add.reduceat must be known now"):
        np.add.reduceat(x, dt.placeholder((2,), "i8"))
    with pytest.raises(ValueError, match="shape"):
        np.add.reduceat(x, [0, 3], out=dt.zeros(3))
    with pytest.raises(TypeError, match="cast"):
        np.maximum.reduceat(x, [0, 3], out=dt.zeros(2, bool))


@pytest.mark.covering
@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
@pytest.mark.parametrize("indices", [[0, 2, 5], [3, 4, 5]])
@pytest.mark.parametrize("kind", ["i1", "i8", "f4"])
def test_reduceat_writes_to_out(name, indices, kind):
    x = np.arange(1, 7, dtype="i1") * 40
    out, expected = dt.zeros(3, kind), np.zeros(3, kind)
    getattr(np, name).reduceat(x, indices, out=expected)
    for found in (
        getattr(np, name).reduceat(dt.asarray(x), indices, out=out),
        getattr(dt, name).reduceat(x, dt.asarray(indices), 0, None, out),
    ):
        assert found is out
        assert out.dtype == expected.dtype
        np.testing.assert_array_equal(out.compute(), expected)


def test_as_many_operands_as_the_ufunc_takes():
    x = dt.arange(10)
    for name, values in (("add", ()), ("negative", ([1, 2, 3],))):
        with pytest.raises(ValueError, match="operand"):
            getattr(dt, name).at(x, [2, 5, 3], *values)
    np.testing.assert_array_equal(x.compute(), np.arange(10))

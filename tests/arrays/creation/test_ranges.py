import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused
from tests.comparisons import same_bits


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 9),
        (2, 9, 3),
        (9, 2, -2),
        (5, 2),
        (0.5, 3),
        (0, 1, 0.1),
        (3.0,),
        (0,),
        (-3, 3, 2),
        (10**12, 10**12 + 3),
    ],
)
@pytest.mark.parametrize("dtype", [None, "f4", "i8"])
def test_arange_is_that_of_numpy(arguments, dtype):
    result, expected = dt.arange(*arguments, dtype=dtype), np.arange(*arguments, dtype=dtype)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result.compute(), expected, rtol=1e-6)
    np.testing.assert_array_equal(result[1:].compute(), result.compute()[1:])


def test_a_step_of_zero():
    with pytest.raises(ZeroDivisionError):
        dt.arange(0, 3, 0)


def test_a_large_range_takes_no_memory():
    assert dt.arange(10**15)[-1].compute() == 10**15 - 1


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.linspace(0, 1, -1),
        lambda np, a: np.linspace(0, 1, 2.5),
        lambda np, a: np.linspace(0, 1, device="gpu"),
        lambda np, a: np.linspace(a([1, 2]), a([1, 2, 3])),
        lambda np, a: np.linspace(a([1, 2]), 3, 4, axis=2),
        lambda np, a: np.linspace("a", 1),
        lambda np, a: np.geomspace(0, 1),
        lambda np, a: np.geomspace(1, 2, -1),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_the_step():
    for ends in ((0, 1), (2.0, -3.5)):
        for num, endpoint in ((5, True), (5, False), (1, True), (0, False)):
            step = dt.linspace(*ends, num, endpoint, retstep=True)[1]
            expected = np.linspace(*ends, num, endpoint, retstep=True)[1]
            assert np.array_equal(step, expected, equal_nan=True)
    made, step = dt.linspace(dt.asarray([0.0, 1.0]), 2, 5, retstep=True)
    assert made.shape == (5, 2)
    np.testing.assert_array_equal(step.compute(), [0.5, 0.25])


def test_slices_have_the_bits_of_the_whole():
    whole = np.linspace(-0.3, 7.1, 1001)
    for key in (slice(990, None), slice(None, None, -7), 1000, 0):
        assert same_bits(dt.linspace(-0.3, 7.1, 1001)[key].compute(), whole[key])
    assert dt.linspace(0, 1, 10**12)[-1].compute() == 1


def test_lazy_ends_that_are_too_near_for_a_step():
    ends = np.zeros(2), np.array([5e-324, 1.0])
    ours = dt.linspace(dt.asarray(ends[0]), dt.asarray(ends[1]), 7).compute()
    assert same_bits(ours, np.linspace(*ends, 7))


def test_numpys_functions_are_ours():
    assert isinstance(np.linspace(dt.asarray(0.0), 1, 3), dt.Array)


@pytest.mark.parametrize("bounds", [(4,), (2, 9, 3), (5, -2, -2), (2.5,), (3, 3), (0, 1, 2)])
def test_a_range_of_python_integers(bounds):
    found, expected = dt.arange(*bounds, dtype=object), np.arange(*bounds, dtype=object)
    assert found.dtype == expected.dtype
    assert [(type(n), n) for n in found.compute()] == [(type(n), n) for n in expected]


@pytest.mark.parametrize("bounds", [(0.5, 3), (0, 3, 0.5), (np.int8(1), 3)])
def test_a_range_of_other_objects_is_refused(bounds):
    with pytest.raises(dt.DTypeError, match="integer"):
        dt.arange(*bounds, dtype=object)

import numpy as np
import pytest

from dask_tapestry.errors import DTypeError, SignatureError
from dask_tapestry.operators.functions.infer_meta import dtype_of, is_small, sample, tried

F8 = np.dtype("f8")


def picky(x):
    if x.size < 4:
        raise ValueError("too small")
    return x


def test_the_first_that_works_is_taken():
    made = tried(picky, [[((1,), F8)], [((4,), F8)], [((9,), F8)]], "op")
    assert made.tolist() == [1, 1, 1, 1]


def test_what_works_with_nothing_is_told():
    with pytest.raises(SignatureError, match=r"op: .* raised ValueError: too small; give"):
        tried(picky, [[((1,), F8)]], "op")


def test_warnings_stay_inside():
    assert np.isinf(tried(lambda x: x / 0, [[((1,), F8)]], "op")).all()


def test_other_values_are_given_as_they_are():
    assert tried(lambda x, n: n, [[((1,), F8), [3]]], "op") == [3]


@pytest.mark.parametrize("dtype", ["f8", "?", "M8[s]", "U2", [("a", "f4")]])
def test_samples_have_any_dtype(dtype):
    made = sample((1, 2), np.dtype(dtype))
    assert (made.shape, made.dtype) == ((1, 2), np.dtype(dtype))


def test_cells_have_a_fixed_dtype():
    assert dtype_of([1, 2], "op") == np.dtype("i8")
    assert dtype_of(np.ones(1, ">f4"), "op") == np.dtype("f4")
    with pytest.raises(DTypeError, match="op returned dict"):
        dtype_of({}, "op")


def test_large_trials_are_not_small():
    assert is_small([(10, 10), ()])
    assert not is_small([(10**6,)])

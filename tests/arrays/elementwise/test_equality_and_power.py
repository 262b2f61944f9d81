import operator

import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.elementwise.promotion import NUMBERS, unlike

OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt eq ne ge".split()


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize("name", OPERATORS)
def test_dtypes_of_operators_are_those_of_numpy(name):
    function = getattr(operator, name)
    plain = [number for number in NUMBERS if not isinstance(number, np.generic | np.ndarray)]
    assert unlike(function, function, plain) == []


@pytest.mark.parametrize("power", [2, 1, 0, 3, 0.5, -1.0, 2.0])
@pytest.mark.parametrize("kind", ["?", "i4", "f4", "f8", "c16"])
def test_powers_by_operator_are_those_of_numpy(kind, power):
    cells = np.array([1, 3, 0, 2]).astype(kind)
    with np.errstate(all="ignore"):
        wanted = cells**power
    made = (dt.asarray(cells) ** power).compute()
    assert made.dtype == wanted.dtype
    assert np.array_equal(made, wanted, equal_nan=True)


@pytest.mark.parametrize("other", [2**64, 1.5, "a", None, np.float32(1), [1, 2, 3]])
def test_times_equal_nothing_else(other):
    times = np.arange(3).astype("M8[s]")
    assert np.array_equal((dt.asarray(times) == other).compute(), times == other)
    assert np.array_equal((dt.asarray(times) != other).compute(), times != other)

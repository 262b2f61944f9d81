import operator
import warnings
from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.array.elementwise import ufuncs
from dask_tapestry.array.elementwise.ufuncs import FUNCTIONS
from dask_tapestry.cells import UFUNCS


def test_every_ufunc_of_numpy_is_here_under_all_its_names():
    for name, function in vars(np).items():
        own = name in np.__all__  # other libraries leave some of theirs there
        simple = own and isinstance(function, np.ufunc) and function.signature is None
        if simple and function.__name__ in ufuncs.FUNCTIONS:
            assert getattr(dt, name) is ufuncs.FUNCTIONS[function.__name__], name
            assert name in ufuncs.__all__


def test_names_and_docstrings():
    for name, function in ufuncs.FUNCTIONS.items():
        assert function.__name__ == name
        assert f"dt.{name}(" in function.__doc__


DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 m8[s] M8[D]".split()
NUMBERS = [True, 0, 1, 2, 3, 300, 2.0, 0.5, -1.0, 1j, *map(np.int8, [0, 2]), np.uint64(3)]
NUMBERS += [np.float16(2), np.float32(2), np.float64(2), np.bool_(1), np.array(2), np.array(1j)]
CELLS = {kind: np.arange(1, 3).astype(kind) for kind in DTYPES}
ARRAYS = {kind: dt.asarray(cells) for kind, cells in CELLS.items()}
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt eq ne ge".split()


def kinds(function, *operands):
    """Dtypes of the results, or None for an error."""
    try:
        with np.errstate(all="ignore"):
            made = function(*operands)
    except (TypeError, ValueError, OverflowError):
        return None
    return [one.dtype for one in (made if isinstance(made, tuple) else (made,))]


def unlike(function, of_numpy, numbers=NUMBERS):
    """Operands for which the dtypes are other ones than NumPy's."""
    pairs = list(product(DTYPES, DTYPES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            (a, b)
            for a, b in pairs
            if kinds(of_numpy, CELLS[a], CELLS[b]) != kinds(function, ARRAYS[a], ARRAYS[b])
        ]
        for kind, number in product(DTYPES, numbers):
            if kinds(of_numpy, CELLS[kind], number) != kinds(function, ARRAYS[kind], number):
                found.append((kind, number))
            if kinds(of_numpy, number, CELLS[kind]) != kinds(function, number, ARRAYS[kind]):
                found.append((number, kind))
    return found


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2])
def test_dtypes_of_all_pairs_are_those_of_numpy(name):
    assert unlike(FUNCTIONS[name], UFUNCS[name]) == []


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 1])
def test_dtypes_of_all_cells_are_those_of_numpy(name):
    for kind in DTYPES:
        assert kinds(FUNCTIONS[name], ARRAYS[kind]) == kinds(UFUNCS[name], CELLS[kind])


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

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.elementwise import ufuncs
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.cells import UFUNCS
from tests.arrays.elementwise.promotion import ARRAYS, CELLS, DTYPES, kinds, unlike


def test_every_ufunc_of_numpy_is_here_under_all_its_names():
    for name, function in vars(np).items():
        own = name in np.__all__  # other libraries leave some of theirs there
        simple = own and isinstance(function, np.ufunc) and function.signature is None
        if simple and function.__name__ in FUNCTIONS:
            assert getattr(dt, name) is FUNCTIONS[function.__name__], name
            assert name in ufuncs.__all__


@pytest.mark.few(19)  # as unlike as so many can be
@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2])
def test_dtypes_of_all_pairs_are_those_of_numpy(name):
    assert unlike(FUNCTIONS[name], UFUNCS[name]) == []


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 1])
def test_dtypes_of_all_cells_are_those_of_numpy(name):
    for kind in DTYPES:
        assert kinds(FUNCTIONS[name], ARRAYS[kind]) == kinds(UFUNCS[name], CELLS[kind])

import numpy as np

import dask_tapestry as dt
from dask_tapestry.array import ufuncs


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

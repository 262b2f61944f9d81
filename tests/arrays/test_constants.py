import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays import constants


def test_names_of_numpy_are_numpys():
    for name in set(constants.__all__) & set(dir(np)) - {"errors", "ndarray"}:
        assert getattr(dt, name) is getattr(np, name)


def test_names_of_lower_layers_are_theirs():
    assert issubclass(dt.ShapeError, dt.errors.TapestryError)
    assert dt.ZRange.__module__.startswith("dask_tapestry.zspace")


def test_modules_of_numpy_stay_as_they_are():
    """They suggest no names of ours."""
    assert dt.testing is np.testing
    assert "__getattr__" not in vars(dt.exceptions)
    assert dt.typing is np.typing
    dt.testing.assert_allclose(dt.arange(3), np.arange(3))


def test_our_arrays_are_what_scripts_ask_for():
    assert isinstance(dt.arange(3), dt.ndarray)

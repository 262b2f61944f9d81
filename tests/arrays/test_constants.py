import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays import constants


def test_names_of_numpy_are_numpys():
    for name in set(constants.__all__) & set(dir(np)) - {"errors"}:
        assert getattr(dt, name) is getattr(np, name)


def test_names_of_lower_layers_are_theirs():
    assert issubclass(dt.ShapeError, dt.errors.TapestryError)
    assert dt.ZRange.__module__.startswith("dask_tapestry.zspace")

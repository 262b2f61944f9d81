import numpy as np

import dask_tapestry as dt


def test_its_names_are_numpys():
    assert {name for name in dt.linalg.__all__ if not hasattr(np.linalg, name)} == set()
    assert "norm" in dt.linalg.__all__

import numpy as np

import dask_tapestry as dt


def test_it_has_numpys_names_and_some_of_dasks():
    names = set(np.linalg.__all__)
    assert names <= set(dt.linalg.__all__)
    assert set(dt.linalg.__all__) - names == {
        "lu", "sfqr", "solve_triangular", "svd_compressed", "tsqr",
    }  # fmt: skip

import numpy as np

import dask_tapestry as dt


def test_it_has_numpys_names_and_some_of_dasks():
    functions = {name for name in np.linalg.__all__ if name != "LinAlgError"}
    assert functions <= set(dt.linalg.__all__)
    assert set(dt.linalg.__all__) - functions == {
        "lu", "sfqr", "solve_triangular", "svd_compressed", "tsqr",
    }  # fmt: skip

import numpy as np

from dask_tapestry_kernels.parameters.scan_spec import ScanSpec


def test_a_scan_begins_with_its_first_cell_and_goes_on_from_leaf_to_leaf():
    spec = ScanSpec("add", 0, 128, np.dtype("f8"))
    assert (spec.skip, spec.apart) == (0, False)

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.operators.matrices import panels
from tests.operators.large import cells, computed


def test_adjoint_and_unit_matrix():
    a = cells((3, 4), "c8")
    np.testing.assert_array_equal(computed(panels.adjoint, a), a.conj().T)
    unit = Array(panels.unit_matrix(3, 4, np.dtype("f4"))).compute()
    np.testing.assert_array_equal(unit, np.eye(3, 4, dtype="f4"))
    assert unit.dtype == np.float32

import numpy as np
import pytest

from dask_tapestry.operators.matrices.panel_cholesky import cholesky_by_panels
from tests.operators.large import KINDS, computed, definite, near


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("upper", [False, True])
def test_panels_make_numpys_triangle(dtype, upper):
    a = definite(30, dtype)
    looked_at = np.triu(a) if upper else np.tril(a)  # the other half may hold anything
    found = computed(cholesky_by_panels, looked_at, width=7, upper=upper)
    near(found, np.linalg.cholesky(a, upper=upper), dtype)


def test_what_is_not_positive_definite_is_told():
    a = definite(20, "f8")
    a[15, 15] = -1
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        computed(cholesky_by_panels, a, width=7)

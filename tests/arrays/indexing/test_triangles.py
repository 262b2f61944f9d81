import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.tril_indices_from(a([1])),
        lambda np, a: np.triu_indices_from(a([[[1]]])),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
@pytest.mark.parametrize(("k", "m"), [(0, None), (-1, 3), (2, 2)])
def test_indices_are_numpys(name, k, m):
    expected = getattr(np, name)(4, k, m)
    shape = (4, 4 if m is None else m)
    for made in (getattr(dt, name)(4, k, m), getattr(np, f"{name}_from")(dt.ones(shape), k)):
        for ours, theirs in zip(made, expected, strict=True):
            assert isinstance(ours, dt.Array)
            assert np.array_equal(ours.compute(), theirs)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2), (2, 3), (3,), (0, 0)])
def test_diagonals(shape):
    x = np.zeros(shape)
    try:
        expected = np.diag_indices_from(x)
    except ValueError:
        with pytest.raises(ValueError, match="input"):
            np.diag_indices_from(dt.asarray(x))
        return
    found = np.diag_indices_from(dt.asarray(x))
    assert [one.compute().tolist() for one in found] == [one.tolist() for one in expected]


@pytest.mark.parametrize("k", [0, 1, -1])
def test_mask_indices(k):
    expected = np.mask_indices(4, np.triu, k)
    found = dt.mask_indices(4, dt.triu, k)
    assert [one.compute().tolist() for one in found] == [one.tolist() for one in expected]

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

import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(24.0).reshape(4, 6)


@pytest.fixture(scope="module")
def centred():
    numba = pytest.importorskip("numba")

    def function(cells, factor, out):
        mean = cells.sum() / len(cells)
        for n in range(len(cells)):
            out[n] = (cells[n] - mean) * factor

    return numba.guvectorize(["void(f8[:], f8, f8[:])"], "(n),()->(n)")(function)


def test_core_dimensions_are_whole(centred, shardings):
    expected = (X - X.mean(1, keepdims=True)) * 2
    found = centred(dt.from_array(X, chunks=(2, 3)), 2.0)
    assert isinstance(found, dt.Array)
    with shardings.tiny(64):
        np.testing.assert_allclose(found.compute(), expected)
    factors = np.arange(4.0)
    each = centred(dt.asarray(X), dt.asarray(factors))
    np.testing.assert_allclose(each.compute(), expected / 2 * factors[:, None])


def test_what_is_no_lazy_call_is_refused(centred):
    with pytest.raises(TypeError, match="takes 2 arrays"):
        centred(dt.asarray(X), 2.0, dt.zeros((4, 6)))

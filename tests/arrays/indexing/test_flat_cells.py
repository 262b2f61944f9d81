import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("key", [slice(None), slice(1, None, 2), [0, 2], 3, -1])
@pytest.mark.parametrize("values", [5, [1, 2, 3], [], np.array(2.5)], ids=str)
def test_cells_in_a_row_are_written_as_numpys(key, values):
    x, y = X.copy(), dt.asarray(X.copy())
    if isinstance(key, int) and np.ndim(values):
        with pytest.raises(ValueError, match="single item"):
            x.flat[key] = values
        with pytest.raises(ValueError, match="single item"):
            y.flat[key] = values
        return
    x.flat[key] = values
    y.flat[key] = values
    np.testing.assert_array_equal(y.compute(), x)


def test_cells_in_a_row_are_read():
    y = dt.asarray(X)
    assert float(y.flat[5]) == 5
    assert y.flat[::3].compute().tolist() == X.flat[::3].tolist()
    assert [float(cell) for cell in y.flat] == X.ravel().tolist()
    assert len(y.flat) == 12
    assert np.asarray(y.flat).tolist() == y.flat.copy().compute().tolist()


def test_all_cells_are_written():
    y = dt.zeros((2, 2))
    y.flat = [1, 2]
    assert y.compute().tolist() == [[1, 2], [1, 2]]

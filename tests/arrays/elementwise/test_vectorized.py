import numpy as np
import pytest

import dask_tapestry as dt

CELLS = [np.arange(7), np.arange(12.0).reshape(3, 4), np.array(3), np.array([1.5], "f4")]
FUNCTIONS = [
    (lambda v: v + 1, {}),
    (lambda v: v * 2.5, {}),
    (lambda v: (v, -v), {}),
    (lambda v: "a" * int(v), {}),
    (lambda v: v > 2, {}),
    (lambda v: v, {"otypes": "f"}),
    (lambda v: v, {"otypes": [np.float32]}),
    (lambda v: (v, str(v)), {"otypes": [int, object]}),
    (lambda v: "x" * int(v), {"otypes": [str]}),
]


def alike(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            alike(one, other)
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
@pytest.mark.parametrize("cells", CELLS, ids=lambda x: f"{x.dtype}{x.shape}")
def test_functions_of_cells_are_called_as_by_numpy(number, cells):
    function, kwargs = FUNCTIONS[number]
    alike(
        dt.vectorize(function, **kwargs)(dt.asarray(cells)), np.vectorize(function, **kwargs)(cells)
    )


def test_arguments():
    x = np.arange(5)
    y = dt.asarray(x)

    def less(p, q):
        return p - q

    def less_length(p, q):
        return p - len(q)

    alike(dt.vectorize(less)(y[:, None], y), np.vectorize(less)(x[:, None], x))
    alike(dt.vectorize(less)(y, 3), np.vectorize(less)(x, 3))
    alike(dt.vectorize(less)(y, q=y[::-1]), np.vectorize(less)(x, q=x[::-1]))
    alike(dt.vectorize(less_length, excluded=["q"])(y, q=[3, 4]), x - 2)
    alike(dt.vectorize(less_length, excluded={1})(y, [3, 4]), x - 2)
    alike(dt.vectorize(np.sum, signature="(n)->()")(y.reshape(1, 5)), np.array([10]))


def test_decorators():
    @dt.vectorize
    def squared(cell):
        """Of a cell."""
        return cell * cell

    @dt.vectorize(otypes=[float])
    def halved(cell):
        return cell / 2

    assert (squared.__name__, squared.__doc__) == ("squared", "Of a cell.")
    assert squared(dt.arange(3)).compute().tolist() == [0, 1, 4]
    assert halved(dt.zeros(0)).shape == (0,)


def test_errors():
    with pytest.raises(ValueError, match="size 0"):
        dt.vectorize(abs)(dt.zeros(0))
    with pytest.raises(TypeError, match="decorator"):
        dt.vectorize(3)
    with pytest.raises(ZeroDivisionError):
        dt.vectorize(lambda v: 1 / v, otypes=[float])(dt.arange(3)).compute()

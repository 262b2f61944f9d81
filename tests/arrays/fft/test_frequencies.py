import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 101])
def test_frequencies_are_numpys(n, name):
    for d in (1.0, 0.3, 7):
        found = getattr(dt.fft, name)(n, d)
        np.testing.assert_array_equal(found.compute(), getattr(np.fft, name)(n, d), strict=True)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_dtype_device_and_chunks(name):
    function = getattr(dt.fft, name)
    found = function(9, dtype="f4", device="cpu", chunks=2)
    assert (found.dtype, found.chunks[0][0]) == (np.float32, 2)
    assert function(9, 1.0, 3).chunks[0][0] == 3
    for bad, error in (({"n": 0}, dt.ShapeError), ({"n": 2.5}, dt.DTypeError)):
        with pytest.raises(error):
            function(**bad)
    with pytest.raises(dt.DTypeError, match="floating"):
        function(4, dtype="c8")
    with pytest.raises(dt.ArgumentError, match="Device"):
        function(4, device="gpu")


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1), (1,)])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_are_numpys(name, axes):
    x = np.arange(35).reshape(5, 7)
    expected = getattr(np.fft, name)(x, axes)
    for ours in (dt.asarray(x), dt.asarray(x).rechunk(2)):
        found = getattr(np.fft, name)(ours, axes)
        assert isinstance(found, dt.Array)
        np.testing.assert_array_equal(found.compute(), expected)


def test_an_axis_that_is_named_twice_is_shifted_twice():
    x = np.arange(35).reshape(5, 7)
    for name in ("fftshift", "ifftshift"):
        ours = getattr(dt.fft, name)(dt.asarray(x), (0, 1, -2)).compute()
        assert np.array_equal(ours, getattr(np.fft, name)(x, (0, 1, -2)))


def test_a_shift_and_its_inverse():
    x = dt.arange(7)
    assert dt.fft.ifftshift(dt.fft.fftshift(x)).compute().tolist() == list(range(7))
    with pytest.raises(dt.AxisError):
        dt.fft.fftshift(x, 1)


def test_shifted_cells_keep_the_chunks_that_were_said():
    x = dt.ones((5, 6, 7), chunks=(2, 6, 4))
    assert dt.fft.fftshift(x).chunks == x.chunks == dt.fft.ifftshift(x, (0, 1)).chunks

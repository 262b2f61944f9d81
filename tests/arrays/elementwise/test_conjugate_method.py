import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.covering
@pytest.mark.parametrize("name", ["conj", "conjugate"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "c8"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_the_dtype_stays(name, dtype, shape):
    x = np.full(shape, 1j).astype("c8").astype(dtype) if dtype == "c8" else np.ones(shape, dtype)
    ours, theirs = getattr(dt.asarray(x), name)().compute(), getattr(x, name)()
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["?", "f8", "c16"])
def test_of_real_cells_it_is_the_array_itself(dtype):
    ours, theirs = dt.asarray(np.ones(2, dtype)), np.ones(2, dtype)
    for x in (ours, theirs):
        x.conj()[0] = 0
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["U1", "M8[s]", "m8[s]"])
def test_what_is_no_number_is_refused(dtype):
    with pytest.raises(TypeError):
        dt.asarray(np.zeros(2, dtype)).conj()


def test_it_goes_into_a_result():
    out = dt.zeros(2, "c16")
    assert dt.asarray([1j, 2.0]).conjugate(out) is out
    assert out.compute().tolist() == [-1j, 2.0]

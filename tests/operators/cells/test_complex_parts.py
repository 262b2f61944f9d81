import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.complex_parts import imag_part, real_part, square_modulus

X = np.array([3 + 4j, -1j, 2])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_parts_of_complex_cells(dtype):
    x = X.astype(dtype)
    for function, expected in ((real_part, x.real), (imag_part, x.imag)):
        made = dt.Array(function(dt.asarray(x).node)).compute()
        assert made.dtype == expected.dtype
        assert np.array_equal(made, expected)


def test_real_cells_are_their_real_parts():
    x = dt.arange(3.0).node
    assert real_part(x) is x


def test_square_moduli_take_no_root():
    made = dt.Array(square_modulus(dt.asarray(X).node))
    assert made.compute().tolist() == [25, 1, 4]
    assert "sqrt" not in str(made.teg)
    assert "absolute" not in str(made.teg)
    assert dt.Array(square_modulus(dt.arange(3).node)).compute().tolist() == [0, 1, 4]

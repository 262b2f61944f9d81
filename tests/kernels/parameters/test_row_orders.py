import numpy as np

from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT


def test_any_two_digits_are_floats_of_single_precision():
    rows = np.array([0, ROWS_A_DIGIT - 1, ROWS_A_DIGIT, ROWS_A_DIGIT**2 - 1])
    digits = np.stack(np.divmod(rows, ROWS_A_DIGIT)).astype("f4").astype("i8")
    assert np.array_equal(digits[0] * ROWS_A_DIGIT + digits[1], rows)

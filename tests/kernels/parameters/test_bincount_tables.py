import numpy as np
import pytest

from dask_tapestry_kernels.parameters.bincount_tables import refusal


def test_negative_numbers_are_refused_as_numpy_does():
    with pytest.raises(ValueError, match="no negative") as error:
        np.bincount([3, -1])
    assert refusal(-1, 3, 9) == str(error.value)
    assert refusal(0, 9, 9) == "a cell is 9, and the table has 9 bins"

import numpy as np
import pytest

from dask_tapestry_kernels.parameters.even_edges import check_even


def test_edges_that_are_no_bins_are_refused_as_numpy_does():
    check_even(np.linspace(-1, 1, 8))
    for high, text in ((np.inf, "range of .* is not finite"), (np.nextafter(1, 2), "10 finite")):
        with pytest.raises(ValueError, match=text) as error:
            np.histogram([1.0, high], 10)
        with pytest.raises(ValueError, match=text) as found:
            check_even(np.array([*[1.0] * 10, high]))
        assert str(found.value).split("[")[0] == str(error.value).split("[")[0]

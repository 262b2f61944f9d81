import numpy as np
import pytest

from dask_tapestry_kernels.parameters.weights import NEGATIVE, UNUSABLE


@pytest.mark.parametrize(("weights", "said"), [([1.0, -1.0], NEGATIVE), ([0.0, 0.0], UNUSABLE)])
def test_the_words_are_numpys(weights, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011  (NumPy's words are what is compared)
        np.quantile([1.0, 2.0], 0.5, weights=weights, method="inverted_cdf")
    assert str(error.value) == said

import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("caught", [np.ma.MaskError, ValueError, dt.ShapeError])
def test_masks_that_do_not_fit(caught):
    with pytest.raises(caught, match="data size is 2, mask size is 3"):
        dt.ma.masked_array(dt.ones(2), [True, False, True])

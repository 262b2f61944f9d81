import numpy as np
from scipy import special

from dask_tapestry.arrays.ndimage.degrees import cosine, sine

ANGLES = np.concatenate([np.arange(-800, 800, 0.37), np.arange(-720.0, 721), [1e15, 1e14, 1e-300]])


def test_they_are_scipys_to_the_bit():
    np.testing.assert_array_equal([sine(float(a)) for a in ANGLES], special.sindg(ANGLES))
    np.testing.assert_array_equal([cosine(float(a)) for a in ANGLES], special.cosdg(ANGLES))


def test_what_is_no_angle():
    for angle in (np.inf, -np.inf, np.nan):
        assert np.isnan(sine(angle))
        assert np.isnan(cosine(angle))

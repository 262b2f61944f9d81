import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.elementwise.measured_texts import longest, text_dtype


def test_the_longest_text_is_found():
    texts = dt.asarray(["a", "bcd"])
    assert longest([texts]) == 3
    assert longest([texts], np.char.title) == 3
    assert longest([texts[:0]]) == 0
    assert longest([dt.asarray(np.array(["ab", "c"], object))]) == 2
    assert text_dtype("S", 0) == np.dtype("S1")

"""Words of a cell are those of NumPy's Philox at the counter that the module tells."""

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import required

WORDS = """\
from numba import njit
import numpy as np
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64
from dask_tapestry_kernels.variates.child import substream


@njit("void(int64, int64, int64, int64, int64, int64, int64, int64)", nogil=True)
def kernel(out, count, cell, key_a, key_b, call, part, page):
    stream = substream.reserve()
    substream.open_at(stream, key_a, key_b, call, part)
    substream.begin(stream, np.uint64(cell), page)
    for i in range(count):
        set_int64(out, i, np.int64(substream.word(stream)))
"""


def test_words_are_those_of_numpys_philox():
    found = np.empty(11, np.uint64)
    required(WORDS, 8, "words")(found.ctypes.data, 11, 2**40 + 5, 7, -8, 3, 2, 6)
    key = np.array([7, 2**64 - 8], np.uint64)
    expected = []
    for block in range(3):
        counter = np.array([2**40 + 5, 2**63 + 256 * block + 2, 3, 6], np.uint64)
        counter[0] -= np.uint64(1)  # NumPy counts before it makes words
        expected += list(np.random.Philox(key=key, counter=counter).random_raw(4))
    np.testing.assert_array_equal(found, np.array(expected[:11], np.uint64))

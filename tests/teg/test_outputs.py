import pickle

import numpy as np

from dask_tapestry.teg import TensorType
from dask_tapestry.teg.outputs import OutputsDType, OutputWindow, outputs_dtype, windows_of
from dask_tapestry.teg.token import token
from dask_tapestry.zspace import IndexProjection

ROWS = OutputWindow("q", np.dtype("f8"), IndexProjection([[1], [0]], [0, 0], [1, 10**6]))
WHOLE = OutputWindow("r", np.dtype("f4"), IndexProjection.whole((10**5, 10**5), 1))


def test_a_cell_has_the_bytes_of_all_windows():
    both = TensorType((3,), outputs_dtype((ROWS, WHOLE)))
    assert both.dtype.itemsize == 8 * 10**6 + 4 * 10**10  # more than a NumPy dtype may have
    assert both.nbytes == 3 * both.dtype.itemsize
    assert str(both) == "(q float64[1000000], r float32[100000, 100000])[3]"
    assert windows_of(both) == (ROWS, WHOLE)
    assert windows_of(TensorType((3,), np.dtype("f8"))) == ()


def test_equal_outputs_are_one_type_in_every_process():
    one, other = OutputsDType((ROWS, WHOLE)), OutputsDType((ROWS, WHOLE))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert token(one) == token(other) != token(OutputsDType((ROWS,)))

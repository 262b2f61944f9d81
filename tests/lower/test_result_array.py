import numpy as np
import sparse

from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import BlockFormat

KNOWN = BlockFormat.of(sparse.COO.from_numpy(np.eye(2)))


def test_a_result_comes_in_the_format_that_is_wanted():
    cuts = (Cuts.regular(4, 2), Cuts.regular(3, 3))
    whole = np.arange(12).reshape(4, 3)
    parts = [whole[:2], whole[2:]]
    for blocks in (parts, [KNOWN.holding(part) for part in parts]):
        for wanted in (None, KNOWN):
            made = finish_array(cuts, REMOTE, True, wanted, *blocks)
            assert (type(made) is np.ndarray) == (wanted is None)
            np.testing.assert_array_equal(made if wanted is None else made.todense(), whole)
    assert type(finish_array((), REMOTE, True, None, np.array(3))) is np.int64


def test_a_buffer_is_the_result():
    cells = np.arange(6.0).reshape(2, 3)
    cuts = Cuts.regular(2, 2), Cuts.regular(3, 3)
    out = ResultBuffer(TensorType((2, 3), cells.dtype))
    out.array[...] = cells
    assert finish_array(cuts, out, False, None) is out.array
    copied = finish_array(cuts, out, True, None)
    assert not np.shares_memory(copied, out.array)
    assert type(finish_array(cuts, out, False, KNOWN)) is sparse.COO

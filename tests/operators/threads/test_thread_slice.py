import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.thread_slice import thread_slice


def test_a_part_has_its_sizes_and_says_them():
    x, at = dt.ones((4, 5), "f4").rename("row", "column"), symbol("a number", "", np.dtype("i8"))
    part = thread_slice(x.node, (at, full((), np.int64(0))), (2, 5), (1, 1))
    assert (part.type.shape, part.type.dtype) == ((2, 5), np.float32)
    assert part.type.dims == ("row", "column")
    assert "(2, 5)" in str(dt.Array(part).teg)
    assert "step (2, 1)" in thread_slice(x.node, part.inputs[1:], (2, 5), (2, 1)).operator.text()

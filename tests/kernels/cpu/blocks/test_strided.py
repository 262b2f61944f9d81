import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.strided import strided

TEXTS = np.array([f"text {n}" * (n % 5) for n in range(24)]).reshape(4, 6)
VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::2],
    "one cell": lambda x: x[1:2, 1:2],
    "no cell": lambda x: x[:0],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("dtype", ["U40", object, np.dtypes.StringDType()], ids=str)
def test_all_cells_as_they_lie(view, dtype):
    block = view(TEXTS.astype(dtype))
    seen = strided(block, block.shape, block.strides)
    assert seen.dtype == block.dtype
    assert seen.tolist() == block.tolist()


@pytest.mark.parametrize("dtype", ["U40", object, np.dtypes.StringDType()], ids=str)
def test_cells_may_be_seen_several_times(dtype):
    line = TEXTS.astype(dtype)[1]
    (step,) = line.strides
    windows = strided(line, (4, 3), (step, step))
    assert windows.tolist() == np.lib.stride_tricks.sliding_window_view(TEXTS[1], 3).tolist()
    assert strided(line[2:3], (3,), (0,)).tolist() == [TEXTS[1, 2]] * 3

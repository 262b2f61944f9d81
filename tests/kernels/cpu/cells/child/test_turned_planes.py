import re

import numpy as np

from dask_tapestry_kernels.cpu.cells.turned_copy import LOOP
from dask_tapestry_kernels.jit.module_digest import PACKAGE
from tests.compiling import kept_kernel

TEXT = (
    PACKAGE / "cpu/cells/child/turned_planes.py"
).read_text()  # it is compiled as it is imported
SIDE = int(re.search(r"^SIDE: Final = (\d+)", TEXT, re.MULTILINE)[1])


def test_boxes_at_the_ends_are_smaller():
    kernel = kept_kernel(LOOP)
    rows, n = SIDE + 9, 2 * SIDE + 3
    cells, out = np.random.default_rng(0).random((3, n, rows)), np.zeros((3, rows, n))
    source = cells.transpose(0, 2, 1)
    axes = (1, 2, 0)
    words = [w for axis in axes for w in (source.shape[axis], source.strides[axis])]
    table = np.array([8, 1, *words, *(out.strides[axis] for axis in axes)], np.int64)
    kernel(cells.ctypes.data, out.ctypes.data, table.ctypes.data)
    assert np.array_equal(out, source)

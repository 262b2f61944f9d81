import numpy as np
import pytest

from dask_tapestry_kernels.block_library import BlockLibrary


class Plain(BlockLibrary):
    described = "none"

    def takes(self, name, ndim, dtype):
        return True

    def holding(self, cells, module, name, fill):
        return cells

    def joined(self, blocks, axis, holding):
        return holding(np.concatenate(blocks, axis))


def test_cells_are_held_unless_a_library_says_otherwise():
    assert Plain().fill_of(np.ones(3)) == 0
    assert not Plain().has_fill
    cells = np.ones(3)
    assert Plain().indexable(cells) is cells


def test_a_library_says_what_it_takes():
    with pytest.raises(TypeError, match="abstract"):
        BlockLibrary()

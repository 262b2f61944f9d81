import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets.duck_target import duck_target
from dask_tapestry.io.targets.numpy_target import numpy_target
from dask_tapestry.io.targets.write_region import WriteRegion

CELLS = np.arange(12.0)


def test_a_target_of_no_pieces_meets_itself_where_windows_do():
    class Written:
        shape, dtype = (12,), np.dtype("f8")

        def __setitem__(self, key, value):
            raise AssertionError("nothing is written")

    target = duck_target(Written(), True)
    low, high = (WriteRegion.of((part,), (12,), target.sides) for part in (slice(6), slice(6, 12)))
    assert target.sides == (1,)
    assert (target.meets(low, target, low), target.meets(low, target, high)) == (True, False)
    assert not target.meets(low, duck_target(Written(), True), low)
    assert not target.is_read_by(dt.asarray(CELLS).node.operator)


@pytest.mark.parametrize("cells", [CELLS, CELLS[::-1], CELLS[:5], CELLS.copy()])
def test_a_target_knows_who_reads_it(cells):
    source = dt.asarray(cells).node.operator
    target = numpy_target(CELLS)
    assert target.is_read_by(source) == np.shares_memory(cells, CELLS)
    assert target.has_cells_of(source) == (cells is CELLS)

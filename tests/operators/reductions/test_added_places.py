import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.reductions.added_places import at_places
from dask_tapestry.operators.reductions.group_fold import group_fold
from dask_tapestry.zspace import ZRange


def test_places_move_one_axis_and_nodes_the_others():
    x, codes = dt.zeros((2000, 5, 7)).node, dt.asarray(np.zeros((2000, 7), int)).node
    fold = group_fold(x, codes, "sum", (0, 2), 3).operator.part(None, 0)
    signature = at_places(fold.signature(x.type, codes.type), x.type, 0, (0, 2))
    assert [dim.extent for dim in signature.index][:1] == [2000]
    box = ZRange((30, 0, 1, 0, 0), (40, 1, 4, 1, 3))
    cells, numbers = signature.demand(box)
    assert (cells.lo, cells.hi[:2]) == ((30, 1, 0), (40, 4))
    assert (numbers.lo[0], numbers.hi[0]) == (30, 40)


def test_codes_of_other_axes_are_the_same_at_every_place():
    x, codes = dt.zeros((2000, 5, 7)).node, dt.asarray(np.zeros(7, int)).node
    fold = group_fold(x, codes, "sum", (0, 2), 3, labelled=(2,)).operator.part(None, 0)
    signature = at_places(fold.signature(x.type, codes.type), x.type, 0, (2,))
    one, other = (signature.demand(ZRange((n, 0, 1, 0, 0), (n + 1, 1, 4, 1, 3))) for n in (3, 9))
    assert one[1] == other[1]
    assert one[0] != other[0]

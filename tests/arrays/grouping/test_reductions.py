import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.reductions import REDUCTIONS


@pytest.mark.parametrize("name", [name for name, one in REDUCTIONS.items() if one.has_identity])
def test_folding_no_cells_gives_what_is_declared(name):
    reduction = REDUCTIONS[name]
    options = {"q": 0.5} if "q" in reduction.options else {}
    cells = GroupCells(dt.asarray(np.ones(3)), np.zeros(3, int), (0,), 2, reduction.skipna)
    empty = reduction.value(cells, **options).compute()[1]
    np.testing.assert_equal(empty, np.nan if reduction.empty is None else reduction.empty)


def test_each_reduction_but_counts_has_one_that_leaves_nan_out():
    plain = {name for name in REDUCTIONS if not name.startswith("nan")}
    assert {name for name in plain if f"nan{name}" not in REDUCTIONS} == {"count", "any", "all"}

from itertools import count

from dask_tapestry.cells.reduction_tree import leaf_sides
from dask_tapestry.planner import forgetting
from dask_tapestry.planner.forgetting import forget_after_many


def test_what_is_remembered_is_forgotten_after_so_many_graphs(monkeypatch):
    monkeypatch.setattr(forgetting, "PLANS_UNTIL_FORGOTTEN", 3)
    monkeypatch.setattr(forgetting, "_counter", count(1))
    leaf_sides.cache_clear()
    kept = 0
    for _ in range(12):
        leaf_sides((10, 10))
        forget_after_many()
        kept += leaf_sides.cache_info().currsize
    assert kept == 8

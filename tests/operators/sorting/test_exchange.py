import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.sorting.exchange import Exchange, Merged
from dask_tapestry.operators.sorting.exchange_sort import exchange_sort
from dask_tapestry.teg import Graph, Region
from dask_tapestry.teg.buckets import cells_of
from dask_tapestry.teg.check import check
from dask_tapestry.zspace import ZRange

SORTED = exchange_sort(dt.asarray(np.arange(100.0).reshape(2, 50)).node, 5)


def node_of(kind):
    return next(n for n in Graph([SORTED]).nodes if isinstance(n.operator, kind))


def test_the_graph_is_legal():
    check(Graph([SORTED]))


def test_a_task_makes_the_buckets_of_its_runs_for_all():
    node = node_of(Exchange)
    assert node.type.shape == (2, 5, 5)
    assert cells_of(node.type) == "f8"
    assert node.type.nbytes == 100 * 8  # 25 buckets a lane of two cells each
    assert node.operator.granularity(node.input_types) == (1, 1, 0)
    runs, windows = node.operator.demand(node.input_types, ZRange((0, 1, 0), (1, 2, 5)))
    assert str(runs) == "[0:1, 1:2, 0:10]"
    assert str(windows) == "[0:1, 1:2, 0:6, 0:2]"


def test_every_consumer_reads_one_bucket_of_each_run_and_each_once():
    node = node_of(Merged)
    assert node.type.shape == (2, 50)
    buckets, windows = node.operator.demand(node.input_types, ZRange((0, 20), (1, 40)))
    assert str(buckets) == "[0:1, 0:5, 2:4]"
    assert str(windows) == "[0:1, 0:5, 2:5, 0:2]"
    assert node.operator.reads_once(node.input_types)[0]
    assert node.operator.restrict(node.input_types, Region.whole(node.type.shape)) is None

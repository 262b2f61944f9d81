import numpy as np
import pytest
from dask.core import flatten

from benchmarks.cluster.overhead import CELLS, LIBRARIES, blocks, compare, parts


@pytest.mark.parametrize("two", [False, True])
def test_libraries_compute_the_same_in_as_many_tasks(two):
    ours, theirs = (blocks(name, 7, two) for name in reversed(LIBRARIES))
    np.testing.assert_array_equal(ours.compute(), theirs.compute())
    graphs = [dict(x.__dask_optimize__(x.__dask_graph__(), x.__dask_keys__())) for x in [theirs]]
    assert [len(graph) for graph in graphs] == [7]
    assert len(list(flatten(ours.__dask_keys__()))) == len(ours.__dask_graph__()) == 7
    assert ours.chunks == theirs.chunks == ((CELLS,) * 7,)


@pytest.mark.exhaustive  # the program itself, which nothing else needs
@pytest.mark.cluster
def test_seconds_are_counted():
    found = compare(tasks=20, repeats=1)
    assert all(t > 0 and p > 0 for rows in found.values() for t, p in rows.values())


@pytest.mark.parametrize("name", LIBRARIES)
def test_parts_of_a_task_are_counted(name):
    found = parts(name, tasks=20, two=True)
    assert list(found) == ["written", "ordered", "dumped", "loaded", "run"]
    assert all(micro >= 0 for micro in found.values())

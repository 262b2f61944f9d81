import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.windows.window_fold import WindowFold, window_fold
from tests.operators.windowed import check_reads


def test_a_slice_reads_what_its_windows_reach():
    check_reads(lambda x: window_fold(x, (3, 5), "maximum"), (3, 5))


def test_a_slice_with_a_step_is_windows_further_apart():
    x = dt.ones((40, 50))
    plan = dt.Array(window_fold(x.node, (3, 5), "maximum"))[::2, 3:30:3].plan()
    (node,) = [n for n in plan.core.graph.nodes if n.operator.name == "windowfold"]
    assert node.operator.steps == (2, 3)
    assert "steps=(2, 3)" in str(plan.teg)


def test_chunks_and_names_are_the_operands():
    x = dt.from_array(np.ones((20, 30)), chunks=(10, 15)).rename("y", "x")
    made = dt.Array(window_fold(x.node, (1, 3), "maximum"))
    assert made.dims == ("y", "x")
    assert made.shape == (20, 28)
    assert made.chunks[0] == (10, 10)


def test_windows_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match=r"windows of \(3, 5\) do not fit"):
        window_fold(dt.ones((9, 4)).node, (3, 5), "maximum")


def test_demands_are_the_hulls_of_windows():
    operator = WindowFold((3, 1), (2, 1), np.dtype("f8"), "minimum")
    types = (dt.ones((21, 4)).node.type,)
    assert operator.infer(*types).shape == (10, 4)
    (read,) = operator.demand(types, dt.ZRange((2, 1), (5, 3)))
    assert (read.lo, read.hi) == ((4, 1), (11, 3))

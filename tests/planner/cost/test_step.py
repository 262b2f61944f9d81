import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.cost.step import memory_order, step_name
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR


def plan_of(*arrays):
    return dt.plan(*arrays, resources=FOUR).core


def test_blocks_of_a_step():
    (step,) = plan_of(dt.ones(10).rechunk(4)).steps.values()
    assert step.grid_shape == (3,)
    assert step.count == 3
    assert [str(step.box((i,))) for i in range(3)] == ["[0:4]", "[4:8]", "[8:10]"]


def test_names_depend_on_value_cuts_and_what_they_stand_on():
    node, cuts = dt.ones(10).node, (Cuts.regular(10, 4),)
    name = step_name(node, cuts, ("a",))
    assert name == step_name(node, cuts, ("a",))
    assert name != step_name(node, (Cuts.regular(10, 5),), ("a",))
    assert name != step_name(node, cuts, ("b",))
    assert name != step_name(dt.ones(10, "f4").node, cuts, ("a",))
    assert name.startswith("ones-")


def test_a_value_lies_as_the_arrays_of_its_shape_lie():
    fortran, rows = np.asfortranarray(np.ones((3, 4))), np.ones((3, 4))
    both = [(dt.asarray(x) + 1).node for x in (fortran, rows)]
    orders = [memory_order(node, node.inputs) for node in both]
    assert orders == ["F", "C"]

"""The program of what is fused into one step."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of, inputs_of, is_external, members_of
from tests.planner.graphs import stored

ROWS = stored((1000, 1000))


def test_arrays_in_memory_come_from_outside():
    assert is_external(dt.asarray(np.ones(3)).node)
    assert is_external(dt.ones(3).persist().node)
    assert not is_external(dt.ones(3).node)
    assert not is_external(ROWS.node)


def test_a_program_names_what_it_reads_and_computes():
    x, y = dt.asarray(np.ones(3)), dt.asarray(np.arange(3.0))
    node = ((x + y) * x).node
    group = group_of(node, {node})
    assert group.inputs == (x.node, y.node)
    assert group.members == (node,)
    assert len(group.program.instructions) == 1
    assert group.program.inputs == (x.node.type, y.node.type)


def test_a_program_of_an_array_in_memory_is_empty():
    node = dt.asarray(np.ones(3)).node
    group = group_of(node, {node})
    assert (group.program.instructions, group.inputs, group.members) == ((), (node,), ())


def test_what_is_held_is_read_and_not_computed():
    total = ROWS.sum(axis=0)
    node = (ROWS - total).node
    assert total.node in members_of(node, {node})
    group = group_of(node, {node, total.node})
    assert group.inputs == (total.node,)
    assert inputs_of(members_of(node, {node, total.node})) == (total.node,)

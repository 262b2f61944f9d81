"""The program of what is fused into one step."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of, inputs_of, is_external, members_of
from dask_tapestry_kernels.block_format import on_cuda
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


PARTS = {
    "a slice": (lambda x: x[3:7], True),
    "turned": (lambda x: x.T, True),
    "flipped": (lambda x: x[::-1], True),
    "a row": (lambda x: x[3], True),
    "one in two": (lambda x: x[::2], False),
    "broadcast": (lambda x: dt.broadcast_to(x, (3, *x.shape)), False),
    "a diagonal": (lambda x: dt.diagonal(x), False),
    "computed": (lambda x: (x + 1)[3:7], False),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_what_is_stored_are_shown_by_the_device_that_reads_them(name):
    part, there = PARTS[name]
    shown = part(dt.placeholder((10, 10), "f8")).to_device("cuda")
    where = {
        one.operator.name: one.device for one in group_of(shown.node, set()).program.instructions
    }
    views = [device for name, device in where.items() if name not in ("todevice", "elementwise")]
    assert where["placeholder"] is None
    assert (on_cuda() in views) is there


def test_parts_are_shown_by_the_host_where_a_device_has_no_kernel_for_it(device_kernels):
    device_kernels.names = {"map"}
    shown = dt.placeholder((10, 10), "f8")[3:7].to_device("cuda")
    program = group_of(shown.node, set()).program
    assert [one.device for one in program.instructions[:-1]] == [None, None]

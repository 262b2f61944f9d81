import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.carried_state import carrying, is_in_order, running
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import stored

X = stored((8000, 6000), "f8", (1000, 500))


def program_of(x):
    return group_of(x.node, set()).program


def test_running_values_take_what_is_carried_after_the_other_inputs():
    weights = dt.asarray(np.ones(6000))
    program = program_of((X * weights).cumsum(0) + 1)
    own = carrying(program)
    assert [str(t) for t in own.program.inputs] == ["float64[6000]", "float64[1, 6000]"]
    assert own.types == own.program.inputs[1:]
    assert [i.operator.name for i in own.program.instructions].count("scanon") == 1
    ((value, axis),) = running(own.program)
    assert (own.program.types[value].shape, axis) == ((8000, 6000), 0)
    assert own.rooms(program.type.box) == (ZRange((0, 0), (1, 6000)),)
    assert own.rooms(ZRange((0, 500), (2000, 700))) == (ZRange((0, 500), (1, 700)),)


def test_what_begins_within_its_axis_is_not_carried():
    own = carrying(program_of(X.cumsum(0) + 1))
    assert own.rooms(ZRange((1000, 0), (2000, 500))) is None


def test_where_nothing_runs_there_is_nothing_to_carry():
    assert carrying(program_of(X + 1)) is None
    assert running(program_of(X.cumsum(0))) == ()
    assert is_in_order(program_of(X + 1), X.node.type.box, ((0, 8000), (0, 100, 6000)))


ROWS, COLUMNS = ((0, 1000, 4000, 8000), (0, 6000)), ((0, 8000), (0, 700, 6000))
IN_ORDER = {
    "along the axis": (X.cumsum(0) * 2, ROWS, True),
    "across it": (X.cumsum(0) * 2, COLUMNS, True),
    "both": (X.cumsum(0) * 2, (ROWS[0], COLUMNS[1]), True),
    "along both axes": (X.cumsum(0).cumsum(1), (ROWS[0], (0, 500, 6000)), True),
    "transposed": (X.cumsum(1).T * 2, ((0, 1000, 6000), (0, 8000)), True),
    "within leaves": (X.cumsum(0) * 2, ((0, 1001, 8000), (0, 6000)), False),
    "overlapping": (dt.diff(X.cumsum(0), axis=0), ((0, 1000, 7999), (0, 6000)), False),
    "backwards": (X.cumsum(0)[::-1] * 2, ROWS, False),
    "read by each": (X[:, :10].cumsum(0)[:, :1] + X, COLUMNS, False),
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_pieces_must_have_each_cell_once_after_those_before(name):
    x, edges, expected = IN_ORDER[name]
    own = carrying(program_of(x))
    assert is_in_order(own.program, x.node.type.box, edges) is expected

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.user_resources import beyond_limits, step_amounts
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.zspace import ZRange


@dt.block_operator(
    index={"i": "parallel"},
    inputs={"x": "i"},
    outputs={"z": "i"},
    costs={"licence": {"": 1}, "paper": {"i": 2}},
)
def printed(x):
    return x


def machine(**limits):
    return Machine.of(dt.Resources(workers=4, threads=2, memory="1 GiB", limits=limits))


def amounts(count, limits):
    node = printed(dt.placeholder((1000,), "f8")).node
    program = Program(
        node.input_types, (Instruction(node.operator, (0,), node.input_types, node.type),)
    )
    return step_amounts(program, ZRange((0,), (100,)), count, 10.0, machine(**limits))


def test_amounts_add_up_over_blocks():
    assert amounts(10, {}) == {"licence": 10, "paper": 2000}


def test_those_with_limits_are_of_the_blocks_that_run_at_a_time():
    assert amounts(10, {"licence": 4}) == {"licence": 8, "paper": 2000}
    assert amounts(3, {"licence": 4, "paper": 1}) == {"licence": 3, "paper": 600}


@pytest.mark.parametrize(
    ("found", "beyond"),
    [({}, 0), ({"licence": 4, "paper": 10}, 0), ({"licence": 6}, 0.5), ({"other": 99}, 0)],
)
def test_what_is_beyond_limits_is_a_part_of_them(found, beyond):
    assert beyond_limits(found, machine(licence=4, paper=10)) == beyond

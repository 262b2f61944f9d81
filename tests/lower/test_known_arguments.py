from typing import NamedTuple

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.known_arguments import KnownArguments
from dask_tapestry.lower.tuning import LONGEST_ARGUMENT
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.tuning import SCHEDULES_REMEMBERED
from dask_tapestry.zspace import ZRange


def calls_of(x, box=None):
    """The program of an array's step, the schedule of a block, and what is known of its calls."""
    program = group_of(x.node, set()).program
    schedule = program.schedule(program.type.box if box is None else box)
    return program, schedule, KnownArguments.of(program, schedule)


def asked_twice(x):
    """What the last kernel of a block is called with, asked for twice."""
    program, schedule, known = calls_of(x)
    work = schedule.works[-1]
    return [known.arguments(program.instruction(work.value), work) for _ in range(2)]


def test_arguments_are_found_once():
    first, second = asked_twice(dt.placeholder((8, 6), "f8")[2:, ::2])
    assert second is first
    assert first["index"] == (slice(0, 6, 1), slice(0, 6, 2))


def test_those_of_a_users_function_are_made_each_time():
    x = dt.map_blocks(np.negative, dt.placeholder((8,), "f8"), dtype="f8")
    first, second = asked_twice(x)
    assert first is not second


class Called(NamedTuple):
    """An operator that calls its kernel with something."""

    argument: object
    calls: bool = False

    def arguments(self, inputs, box, boxes):
        return {"argument": self.argument}


@pytest.mark.parametrize(
    ("argument", "is_kept"),
    [
        (np.dtype("f4"), True),
        ((slice(2), (1, None)), True),
        (np.float64(3), True),
        (ZRange((0,), (2,)), True),
        ((0,) * (LONGEST_ARGUMENT + 1), False),
        ([1], False),
        ((1, np.arange(3)), False),
        ({"a": 1}, False),
    ],
)
def test_those_that_take_memory_or_could_be_written_to_are_made_each_time(argument, is_kept):
    program, schedule, known = calls_of(dt.placeholder((8,), "f8") + 1)
    one = program.instruction(schedule.works[-1].value)._replace(operator=Called(argument))
    first, second = [known.arguments(one, schedule.works[-1]) for _ in range(2)]
    assert (first is second) == is_kept


def test_programs_of_other_data_share_them_and_those_of_other_constants_do_not():
    x = dt.asarray(np.arange(8.0))
    (x + 1).compute()
    assert (dt.asarray(np.arange(8.0) + 2) + 1).compute()[0] == 3
    assert (x + 5).compute()[0] == 5
    program, schedule, known = calls_of(x + 1)
    assert KnownArguments.of(program.with_operators({}), schedule) is known
    other, of_other, others = calls_of(x + 5)
    other.share(program)
    assert KnownArguments.of(other, schedule) is not known
    assert others is not known
    assert of_other == schedule


def test_no_more_schedules_are_known_than_a_program_remembers():
    program = calls_of(dt.placeholder((2 * SCHEDULES_REMEMBERED,), "f8") + 1)[0]
    for at in range(2 * SCHEDULES_REMEMBERED):
        KnownArguments.of(program, program.schedule(ZRange((at,), (at + 1,))))
    assert len(program.known_calls) <= SCHEDULES_REMEMBERED

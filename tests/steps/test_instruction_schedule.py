import pytest

from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Work
from dask_tapestry.zspace import ZRange

LEFT, RIGHT = ZRange((0,), (4,)), ZRange((6,), (9,))
OUT = ZRange((0,), (2,))
WORK = Work(1, OUT, ((0, ZRange((1,), (3,))), (0, ZRange((7,), (9,)))))
SCHEDULE = InstructionSchedule(((LEFT, RIGHT), (OUT,)), (WORK,))


def test_a_work_tells_its_boxes():
    assert WORK.boxes == (ZRange((1,), (3,)), ZRange((7,), (9,)))


@pytest.mark.parametrize(("box", "holder"), [((1, 3), LEFT), ((6, 9), RIGHT)])
def test_the_holder_of_a_box_contains_it(box, holder):
    assert SCHEDULE.holder(0, ZRange(*zip(box))) == holder


def test_only_boxes_in_memory_are_held():
    assert SCHEDULE.box_in_memory(0, ZRange((1,), (3,)), {(0, RIGHT)}) is None
    assert SCHEDULE.box_in_memory(0, ZRange((7,), (8,)), {(0, RIGHT)}) == RIGHT


def test_boxes_are_numbered_value_by_value():
    assert SCHEDULE.places == (3, (2,), ((0, 1),))
    alone = InstructionSchedule(((LEFT,), (OUT,)), (Work(1, OUT, ((0, LEFT),)),))
    assert alone.places == (2, (1,), ((0,),))


def test_a_route_goes_by_the_numbers_of_boxes():
    made, reads = SCHEDULE.route(WORK)
    assert made == 2
    assert [(read.place, read.shape, read.slices) for read in reads] == [
        (0, (2,), (slice(1, 3), ...)),
        (1, (2,), (slice(1, 3), ...)),
    ]
    assert SCHEDULE.uses == (1, 1, 0)
    assert SCHEDULE.is_own(WORK)


def test_a_computation_that_is_none_of_its_own_has_a_route():
    other = Work(1, OUT, ((0, ZRange((2,), (4,))),))
    assert not SCHEDULE.is_own(other)
    assert SCHEDULE.route(other).reads[0].slices == (slice(2, 4), ...)


def test_what_has_no_cells_may_be_held_nowhere():
    none = Work(1, OUT, ((0, ZRange((1,), (1,))),))
    schedule = InstructionSchedule(((), (OUT,)), (none,))
    assert schedule.route(none).reads == ((None, (0,), None),)
    assert schedule.uses == (0,)


def test_a_work_tells_whether_it_reads_one_box():
    cells, none = ZRange((0,), (5,)), ZRange((3,), (3,))
    for reads, alone in (
        ([cells], True),
        ([cells, none], True),
        ([cells, cells], False),
        ([], False),
    ):
        assert Work(1, cells, tuple(enumerate(reads))).reads_one == alone

import dask_tapestry as dt
from dask_tapestry.planner.access.block_classes import (
    DomainSplit,
    TranslatedBlocks,
    reads_in_place,
    study,
)
from dask_tapestry.planner.access.domain import Domain, StridedRun
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import Cuts

LINE = Domain((0,), (StridedRun((1,), 10),))
CUTS = (Cuts.regular(100, 10),)


def studied(x, domain=LINE, cuts=CUTS):
    program = group_of(x.node, set()).program
    known = [i.operator.regularity(i.types) for i in program.instructions]
    return study(program, cuts, domain, known)


def line():
    return dt.placeholder((100,), "f8")


def test_slices_move_by_their_steps():
    found = studied(dt.placeholder((200,), "f8")[::-2])
    assert isinstance(found, TranslatedBlocks)
    assert [s[0] for (s, *_) in found.shifts] == [(-20,)]


def test_cell_by_cell_nothing_is_looked_at():
    x = line() + 1
    assert reads_in_place(group_of(x.node, set()).program)
    assert [s[0] for (s, *_) in studied(x).shifts] == [(10,)]


def test_a_joint_divides():
    x = dt.concatenate([line()[:35], line()[:65]])
    found = studied(x)
    assert isinstance(found, DomainSplit)
    assert found.starts[0] >= {3, 4}


def test_remainders_divide():
    found = studied(dt.placeholder((5, 20), "f8").reshape(100))
    assert found.strides == {0: 2}


def test_a_diagonal_is_a_band():
    x = dt.placeholder((100, 100), "f8")
    square = Domain((0, 0), (StridedRun((1, 0), 10), StridedRun((0, 1), 10)))
    found = studied(x + x.T, square, CUTS * 2)
    assert found.band.factors == (1, -1)
    assert (found.band.low, found.band.high) == (0, 0)


def test_of_what_no_cell_is_needed_nothing_divides():
    halves = dt.placeholder((6, 5), "f8")
    x = dt.concatenate([halves, halves]) + 0.0
    x[:, 1:] = 1
    column = Domain((0, 1), (StridedRun((1, 0), 12), StridedRun((0, 1), 1)))
    found = studied(x, column, (Cuts.regular(12, 1), Cuts.regular(5, 3)))
    assert isinstance(found, TranslatedBlocks)
    assert not any(found.schedule.boxes[:2])

"""Blocks together: what is made block by block lies beside it, whatever else is read."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.access.blocks_together import beside_of, lies_with, read_together
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import Cuts

ROWS, COLUMNS = 1000, 40
BY_ROWS = (Cuts.regular(ROWS, 100), Cuts.regular(COLUMNS, COLUMNS))
BY_COLUMNS = (Cuts.regular(ROWS, ROWS), Cuts.regular(COLUMNS, 4))
X, Y = (dt.placeholder((ROWS, COLUMNS), "f8") * n for n in (2, 3))
SQUARE = dt.placeholder((ROWS, ROWS), "f8") * 2
TILES = (Cuts.regular(ROWS, 100), Cuts.regular(ROWS, 100))
SUMS = X.sum(axis=1)


def program(y, *held):
    group = group_of(y.node, {x.node for x in held})
    assert [x.digest for x in group.inputs] == [x.node.digest for x in held]
    return group.program


def test_inputs_of_one_home_lie_together():
    assert beside_of("xyx") == (0, 1, 0)
    assert beside_of("xy") == beside_of([]) == ()


@pytest.mark.parametrize(
    ("made", "held", "grid", "cuts", "near"),
    [
        (X + 1, [X], BY_ROWS, [BY_ROWS], 0),
        (X.sum(axis=1), [X], BY_ROWS[:1], [BY_ROWS], 0),
        (X - SUMS[:, None], [SUMS, X], BY_ROWS, [BY_ROWS[:1], BY_ROWS], 1),
        (X + 1, [X], BY_COLUMNS, [BY_ROWS], None),  # cut otherwise
        (X + 1, [X], (Cuts.regular(ROWS, 50), BY_ROWS[1]), [BY_ROWS], None),  # two of each block
        (X[::-1], [X], BY_ROWS, [BY_ROWS], None),  # in another order
        (SQUARE.T + 1, [SQUARE], TILES, [TILES], None),  # the blocks across
        (X + 1, [X], BY_ROWS, [None], None),  # in memory
        (X + 1, [X], BY_ROWS[:1] + BY_COLUMNS[1:], [BY_ROWS], None),
    ],
)
def test_a_step_lies_beside_the_blocks_that_it_reads_one_by_one(made, held, grid, cuts, near):
    assert lies_with(program(made, *held), grid, tuple(cuts)) == near


def test_inputs_that_lie_together_are_read_together_if_they_are_cut_and_read_alike():
    beside, own = (0, 0), (BY_ROWS, BY_ROWS)
    added = program(X + Y, X, Y)
    assert read_together(added, BY_ROWS, own, beside) == (0, 0)
    assert read_together(added, BY_COLUMNS, own, beside) == (0, 0)  # parts of the same blocks
    assert read_together(added, BY_ROWS, own, ()) == (0, 1)
    assert read_together(added, BY_ROWS, (BY_ROWS, BY_COLUMNS), beside) == (0, 1)
    assert read_together(added, BY_ROWS, (None, BY_ROWS), beside) == (1,)
    shifted = program(X[:, :20] + Y[:, 20:], X, Y)
    assert read_together(shifted, BY_ROWS, own, beside) == (0, 0)
    crossed = program(X + Y[::-1], Y, X)
    assert read_together(crossed, BY_ROWS, own, beside) == (0, 1)

"""Pieces of blocks: how many, and how long."""

from itertools import pairwise

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.piece_cuts import (
    between_joints,
    cuts_of_pieces,
    largest_piece,
    piece_bytes_of,
    pieces_at_joints,
    usual_piece,
)
from dask_tapestry.steps.tuning import (
    LEAST_PIECE_BYTES,
    MOST_JOINTS,
    MOST_PIECES,
    PIECE_BYTES,
    PIECES_A_TASK,
)
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import stored


def program_of(*shape):
    return group_of(dt.sqrt(dt.arange(1000.0 * len(shape)).reshape(shape) + 1).node, set()).program


@pytest.mark.parametrize("excess", [1.01, 1.2, 2, 3.7, 10])
def test_pieces_are_short_enough_and_two_at_least(excess):
    """Else chunks that are decoded whole would be looked at a cell shorter each time."""
    program = program_of(1000)
    (line,) = cuts_of_pieces(program, program.type.box, excess)
    longest = max(b - a for a, b in pairwise(line))
    assert longest <= 1000 / max(2, excess)
    assert (line[0], line[-1]) == (0, 1000)


def test_blocks_that_are_small_enough_are_not_cut():
    program = program_of(1000)
    assert cuts_of_pieces(program, program.type.box, 1.0) is None


def test_blocks_have_no_more_pieces_than_are_run():
    program = program_of(2, 1000)
    edges = cuts_of_pieces(program, program.type.box, 1e9)
    assert len(edges[0]) == 3
    assert sum(len(line) - 1 for line in edges) <= MOST_PIECES


def test_usual_pieces_are_not_those_at_an_end():
    edges = ((0, 4, 8, 9), (0, 7))
    assert usual_piece(edges).shape == (4, 7)
    assert largest_piece(((0, 1, 8, 9), (0, 7))).shape == (7, 7)


def test_pieces_are_a_part_of_what_a_task_may_take():
    sizes = [piece_bytes_of(1 << power) for power in range(10, 40)]
    told = [size for size in sizes if size is not None]
    assert sizes == [*told, *[None] * (len(sizes) - len(told))]
    assert told == sorted(told)
    assert told[0] == LEAST_PIECE_BYTES
    assert told[-1] < PIECE_BYTES
    for power, size in zip(range(10, 40), told, strict=False):
        assert size in (LEAST_PIECE_BYTES, (1 << power) // PIECES_A_TASK)


ROLLED = dt.roll(stored((2000, 3000)), 1, axis=0) + dt.roll(stored((2000, 3000)), -5, axis=1)


def test_blocks_are_cut_where_parts_meet_that_are_joined():
    program = group_of(dt.sqrt(ROLLED).node, set()).program
    edges = ((0, 800, 1600, 2000), (0, 3000))
    whole = ZRange((0, 0), (2000, 3000))
    assert between_joints(program, whole, edges) == ((0, 1, 800, 1600, 2000), (0, 2995, 3000))
    inside = ZRange((800, 0), (1600, 2000))
    assert between_joints(program, inside, ((800, 1600), (0, 2000))) is None
    plain = group_of(dt.sqrt(stored((2000, 3000))).node, set()).program
    assert between_joints(plain, whole, edges) is None


def test_pieces_beside_joints_are_looked_at():
    program = group_of(dt.sqrt(ROLLED).node, set()).program
    edges = ((0, 800, 1600, 2000), (0, 1500, 3000))
    usual = ZRange((800, 0), (1600, 1500))
    found = list(pieces_at_joints(program, edges, usual))
    assert ZRange((0, 1500), (800, 3000)) in found  # where parts meet along both dimensions
    assert usual not in found
    assert len(found) <= MOST_JOINTS
    inside = ((800, 1000, 1600), (0, 2000))
    assert list(pieces_at_joints(program, inside, ZRange((800, 0), (1000, 2000)))) == []

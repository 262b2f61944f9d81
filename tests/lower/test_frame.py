import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.frame import block_frame, piece_frame
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.block_schedule import BlockSchedule, TileEntry
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry.zspace import ZRange
from tests.pieces import pieces_of

WHOLE = ZRange((0, 0), (30, 40))
X = np.ones((30, 40))


def smooth(x):
    return x[:-2] + x[2:] * 2 - x[1:-1]


INPUT = dt.placeholder(X.shape, "f8")


def block(x):
    program = group_of(x.node, {INPUT.node}).program
    return BlockSchedule.whole(program, program.type.box)


def tiles(frame):
    return [entry for entry in frame.entries if isinstance(entry, TileEntry)]


def test_formulas_of_arrays_run_in_tiles():
    frame = block_frame(block(smooth(smooth(INPUT))), {(0, WHOLE): X}, None)
    (tile,) = tiles(frame)
    assert len(list(frame.entries)) == 1
    assert tile.work.value == frame.held.last


def test_blocks_of_other_libraries_do_not():
    sparse = pytest.importorskip("sparse")
    made = block(smooth(smooth(INPUT)))
    frame = block_frame(made, {(0, WHOLE): sparse.COO.from_numpy(X)}, None)
    assert not tiles(frame)
    assert frame.entries == made.entries


def test_a_piece_takes_the_cells_that_it_reads_from_outside():
    program = group_of(smooth(smooth(INPUT)).node, {INPUT.node}).program
    piece, need = ZRange((5, 0), (9, 40)), ZRange((5, 0), (13, 40))
    frame = piece_frame(
        BlockSchedule.whole(program, piece), {}, lambda _, box: X[box.index(WHOLE)], None
    )
    assert list(frame.held.blocks) == [(0, need)]
    assert np.shares_memory(frame.held.blocks[0, need], X)
    assert tiles(frame)


def test_formulas_of_a_block_in_pieces_run_in_tiles_at_once():
    with pieces_of(2**12):
        program = group_of(smooth(smooth(INPUT)).node, {INPUT.node}).program
        made = block_schedule_of(program, program.type.box)
        assert made.pieces > 1
        frame = block_frame(made, {(0, WHOLE): X}, None)
    assert tiles(frame) == list(frame.entries)

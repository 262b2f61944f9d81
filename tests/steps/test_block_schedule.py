from math import prod

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.block_schedule import LoopEntry, TileEntry
from dask_tapestry.steps.streaming import block_schedule_of
from tests.planner.graphs import stored


def block_of(x):
    program = group_of(x.node, set()).program
    return block_schedule_of(program, program.type.box)


def test_pieces_are_counted_and_each_calls_what_its_program_does():
    (loop,) = block_of(stored((16_384, 4096), "f8", (2048, 1024)) + 1).loops.values()
    assert loop.count == len(list(loop.pieces))
    assert loop.count == prod(len(line) - 1 for line in loop.edges)
    assert loop.calls == 2 * loop.count
    assert loop.bytes == loop.takes.cells + loop.takes.beside.all


def test_pieces_that_share_large_windows_compute_again_what_is_told():
    maps = stored((20_000, 721, 1440), "f4", (1, 721, 1440))
    for window, least, most in ((3, 1, 1), (720, 1.2, 2)):
        seen = dt.lib.stride_tricks.sliding_window_view(maps * 2, window, axis=0)
        block = block_of(dt.to_zarr(seen.mean(-1), "nowhere", compute=False))
        assert least <= block.work_times <= most


def test_what_is_computed_whole_is_called_once():
    whole = block_of(dt.asarray([1.0]) + 1)
    assert (whole.calls, whole.ahead, whole.pieces) == (1, 1, 1)


def smooth(x):
    return x[:-2] + x[2:] * 2 - x[1:-1]


def large():
    return dt.placeholder((4000, 2000), "f8")


def block_from(x, *given):
    program = group_of(x.node, {one.node for one in given}).program
    return block_schedule_of(program, program.type.box)


def test_formulas_in_pieces_are_tiles_of_the_whole():
    x = large()
    block = block_from(smooth(smooth(x)), x)
    (entry,) = block.entries
    assert isinstance(entry, LoopEntry)
    assert entry.loop.is_plain
    (tiles,) = block.in_tiles
    assert isinstance(tiles, TileEntry)
    assert (tiles.work.value, tiles.work.box) == (entry.work.value, entry.work.box)


def test_pieces_that_read_a_store_have_tiles_of_their_own():
    x = stored((16_384, 4096), "f8", (2048, 1024))
    block = block_of(smooth(smooth(x)))
    assert block.loops
    assert block.in_tiles is None


def test_pieces_that_are_folded_have_tiles_of_their_own():
    x = large()
    block = block_from(smooth(smooth(x)).sum(axis=0), x)
    assert block.loops
    assert block.in_tiles is None

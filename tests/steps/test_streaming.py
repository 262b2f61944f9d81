from itertools import islice, pairwise
from math import prod
from random import Random

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.cost.footprint import needs_of
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.block_schedule import BlockSchedule, LoopEntry
from dask_tapestry.steps.peak import all_bytes, peak_bytes
from dask_tapestry.steps.streaming import (
    block_schedule_of,
    in_turns,
    may_stream,
    piece_schedule_of,
)
from dask_tapestry.steps.tuning import PIECE_BYTES
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits
from tests.examples import examples
from tests.pieces import pieces_of
from tests.planner.graphs import MIB, stored
from tests.planner.overlapping import overlapping

CHUNKED = (16_384, 4096), "f8", (2048, 1024)


def program_of(x):
    return group_of(x.node, set()).program


def block_of(x, box=None):
    program = program_of(x)
    return block_schedule_of(program, box or program.type.box)


def pieces(x):
    """How many pieces each value has that is computed in turns."""
    return [loop.count for loop in block_of(x).loops.values()]


def work(x, box=None):
    program = program_of(x)
    return needs_of(program, box or program.type.box, (), local=False).work


def large():
    return stored(*CHUNKED)


TURNS = {
    "cells": lambda: large() * 2 + 1,
    "a view": lambda: large().T,
    "a sum": lambda: large().sum(),
    "sums of columns": lambda: large().std(0),
    "sums of rows of a formula": lambda: (dt.sqrt(large()) * large()).sum(1),
    "of two stores": lambda: (stored((4096, 16_384), "f8", (1024, 2048)) + large().T).max(0),
    "halos of chunks": lambda: dt.diff(dt.diff(large(), axis=0), axis=1),
    "generated": lambda: dt.arange(10.0**8).sum(),
    "running totals": lambda: large().cumsum(0).max(1),
    "a table": lambda: dt.histogram(stored((2**26,), "f8", (2**20,)), 10, (0, 1))[0],
    "a tall product": lambda: stored((10**6, 64), "f4", (50_000, 64)).T @ dt.ones((10**6, 8), "f4"),
}


@pytest.mark.parametrize("name", TURNS)
def test_what_is_large_is_computed_in_turns(name):
    x = TURNS[name]()
    program = program_of(x)
    whole = peak_bytes(program, program.schedule(program.type.box)).all
    value = prod(x.shape) * x.dtype.itemsize
    assert whole > PIECE_BYTES
    assert max(pieces(x)) > 1
    assert work(x) < value + 3 * PIECE_BYTES
    assert work(x) < whole + (value if name == "a view" else 0)


def programs_in(block):
    """The programs of all loops of a block, and of loops inside."""
    stack = [*block.loops.values()]
    while stack:
        loop = stack.pop()
        then, merges = loop.then, loop.merges
        yield from (loop.program, *([then] if then else []), *(merges.pairs if merges else ()))
        stack += [] if loop.fits else [*piece_schedule_of(loop, next(loop.pieces)).loops.values()]


@pytest.mark.parametrize("name", TURNS)
def test_pieces_are_as_large_as_the_program_says(name):
    x, few = TURNS[name](), 2**22
    own = group_of(x.node, set()).in_pieces_of(few).program
    block = block_schedule_of(own, own.type.box)
    assert {made.piece_bytes for made in programs_in(block)} == {few}
    assert block.peak.all <= block_of(x).peak.all  # less where chunks, decoded whole, allow it


def test_smaller_pieces_take_less_memory():
    own = group_of(dt.arange(10.0**8).sum().node, set())
    peaks = [
        block_schedule_of(p, p.type.box).peak.all
        for p in (own.in_pieces_of(most).program for most in (2**22, None))
    ]
    assert peaks[0] < peaks[1] / 4


WHOLE = {
    "little": lambda: stored((1000, 1000)).sum(),
    "in memory": lambda: dt.asarray(np.ones((10**4, 1000))).sum(),
    "a user's function": lambda: dt.map_blocks(lambda b: b, large()),
    "read alone": large,
}


def test_lanes_are_sorted_some_at_a_time_of_chunks_that_are_read_once():
    """Chunks have all cells across lanes: they are read first, and lanes sorted of these."""
    maps = dt.sort(stored((64, 4096, 1024), "f4", (1, 4096, 1024)), axis=0).max(0)
    program, value = program_of(maps), 4 * 64 * 4096 * 1024
    whole = peak_bytes(program, program.schedule(program.type.box)).all
    assert max(pieces(maps)) > 1
    assert value < work(maps) < value + 3 * PIECE_BYTES < whole


@pytest.mark.parametrize("name", WHOLE)
def test_what_would_be_read_twice_or_saves_nothing_is_computed_whole(name):
    assert pieces(WHOLE[name]()) == []


@examples(50)
@given(st.integers(0, 5), st.integers(0, 5), st.data())
def test_pieces_tile_the_box_and_end_between_chunks(row, column, data):
    chunk = 2048, 1024
    lo = [data.draw(st.integers(0, n - 1)) for n in (8000, 2000)]
    box = ZRange(lo, (data.draw(st.integers(10_000, 16_384)), data.draw(st.integers(3000, 4096))))
    for loop in block_of(large() + 1, box).loops.values():
        assert sum(piece.size for piece in loop.pieces) == box.size == loop.box.size
        for line, side in zip(loop.edges, chunk, strict=True):
            assert all(a < b for a, b in pairwise(line))
            assert not any(edge % side for edge in line[1:-1])


def test_cells_that_a_stride_picks_are_held_and_then_folded():
    x, y = large(), large()
    mean = (x + y)[::7, ::11].mean(0)
    assert [program.type.shape for program in programs(mean)] == [(2341, 373)]
    assert work(mean) < 2 * 2341 * 373 * 8 + 2.2 * 4096 * 2048 * 8


def programs(x):
    return [loop.program for loop in block_of(x).loops.values()]


def windows_of(x):
    return dt.lib.stride_tricks.sliding_window_view(x, 9, axis=0)


MOVING = {
    "mean": lambda x: windows_of(x).mean(-1) * 2,
    "several": lambda x: joint_spread(windows_of(x)),
    "largest": lambda x: 1 / windows_of(x).max(-1),
}


def joint_spread(windows):
    return windows.sum(-1) / (windows > 0).sum(-1)


@pytest.mark.parametrize("name", MOVING)
def test_what_folds_windows_is_folded_for_each_piece_of_its_reader(name):
    y = MOVING[name](stored((16_384, 1024), "f8", (1024, 1024)))
    (loop,) = block_of(y).loops.values()
    assert loop.box == ZRange((0, 0), y.shape)
    assert loop.count > 1
    assert any(i.operator.turns(i.types).split for i in loop.program.instructions)
    assert work(y) < y.nbytes + 2.5 * PIECE_BYTES


@pytest.mark.parametrize("name", MOVING)
def test_folds_for_each_piece_have_the_bits_of_whole_ones(name):
    cells = np.random.default_rng(3).random((256, 64))
    y = MOVING[name](dt.from_array(cells, chunks=(32, 64)))
    whole = y.compute()
    with pieces_of(2**14):
        assert len(block_of(y).loops) >= 1
        in_pieces = MOVING[name](dt.from_array(cells.copy(), chunks=(32, 64)) + 0.0).compute()
    np.testing.assert_array_equal(in_pieces, whole)


def test_a_row_of_chunks_and_a_halo_lie_in_a_window():
    x = stored((16_384, 1024), "f8", (2048, 1024))
    (loop,) = block_of(dt.diff(x, axis=0) * 2).loops.values()
    (window,) = loop.windows
    assert window.shape == (2048 + 1, 1024)
    assert loop.count == 8
    assert loop.takes.beside.all == window.nbytes
    assert work(dt.diff(x, axis=0) * 2) < x.nbytes + 1.1 * window.nbytes


def test_a_block_on_the_diagonal_is_read_once_and_held():
    x = stored((8192, 8192), "f8", (1024, 1024))
    both = x + x.T
    assert pieces(both) == []
    beside = block_of(both, ZRange((0, 4096), (4096, 8192)))
    assert beside.loops


def test_large_partial_results_are_combined_in_turns_too():
    with pieces_of(2**14, always=False):
        means = stored((16 * 1024, 50, 10), "f4", (1024, 50, 10)).mean(0)
        (loop,) = block_of(means).loops.values()
        node, chunk = 500 * 8, 1024 * 500 * 4
        assert not loop.fits
        assert loop.count == 2
        assert chunk < work(means) < 8 * chunk + 20 * node


def hourly_means(x):
    """Means of days, hour by hour, of cells that may be NaN: a sum and a count of each."""
    days, sides = x.shape[0] // 24, x.shape[1:]
    return dt.nanmean(x.reshape(days, 24, *sides), axis=0)


def test_what_is_stored_is_read_first_where_its_partial_results_take_more():
    hours = 24 * 8
    with pieces_of(2**16, always=False):
        means = hourly_means(stored((hours, 300, 200), "f4", (1, 300, 200)))
        box = means.node.type.box.replace(0, 5, 6)
        block = block_of(means, box)
        read, state = 8 * 300 * 200 * 4, 300 * 200 * 16
        assert read < work(means, box) < read + state
        (loop,) = block.loops.values()
        assert loop.count > 1
        assert [len(line) > 2 for line in loop.edges] == [False, True, False]
        assert read_by(program_of(means), block, box) == read


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("hour", [0, 5, 23])
def test_the_bits_are_the_same_whether_it_is_read_first(hour, tmp_path):
    cells = np.random.default_rng(hour).random((24 * 8, 60, 50), "f4")
    zarr.create_array(tmp_path, data=cells, chunks=(1, 60, 50))
    means = hourly_means(dt.from_zarr(tmp_path))[hour]
    with pieces_of(10**12):
        whole = means.compute()
    with pieces_of(2**12, always=False):
        assert same_bits(means.compute(), whole)
    assert np.allclose(whole, cells.reshape(8, 24, 60, 50)[:, hour].mean(0))


def standardised(groups):
    x = stored((2920, 60, 500), "f4", (2920, 1, 500))
    order = [np.flatnonzero(groups == n) for n in np.unique(groups)]
    means = [dt.asarray(np.full((60, 500), n, "f4")) for n in range(len(order))]
    parts = [dt.take(x, some, axis=0) * 2 - mean for some, mean in zip(order, means, strict=True)]
    return dt.take(dt.concatenate(parts), np.argsort(np.concatenate(order)), axis=0)


def test_cells_in_an_order_of_their_own_are_computed_once():
    seasons = np.arange(2920) // 90 % 4
    block = block_of(standardised(seasons))
    (loop,) = block.loops.values()
    assert len(loop.edges[0]) == 2
    assert loop.fits
    assert block.calls < 1000
    x = dt.asarray(np.ones((2920, 60, 100), "f4"))
    kept = np.flatnonzero(np.arange(2920) % 60)
    (loop,) = block_of(dt.take(x * 2, kept, axis=0)).loops.values()
    assert len(loop.edges[0]) > 2


def test_pieces_are_what_memory_and_calls_are_counted_for():
    x = large().sum(0)
    needs = needs_of(program_of(x), x.node.type.box, (), local=True)
    read = large().nbytes
    assert needs.work < 4 * PIECE_BYTES
    assert needs.stored == read
    assert needs.calls > 2 * max(pieces(x))
    with pieces_of(10**12):
        assert work(x) > read
        assert pieces(x) == []


def test_larger_blocks_fit_a_small_memory():
    small = dt.Resources(workers=2, threads=1, memory="1 GB")
    plan = dt.plan(stored((16_384, 16_384), "f8", (2048, 2048)).sum(), resources=small)
    assert plan.cost["peak_worker_bytes"] < 400 * MIB


def test_products_of_formulas_add_up_rather_than_compute_rows_again():
    """In loops within loops, each piece of rows would be computed for each piece of columns."""
    x = stored((600, 40_000), "f4", (100, 40_000))
    y = x - x.mean(axis=0)
    found = block_of(y @ y.T).loops.values()
    products = [loop for loop in found if loop.adds]
    assert [loop.fits for loop in products] == [True]
    assert len(products[0].edges[0]) > 2


def test_products_read_the_next_piece_while_one_is_computed():
    a, b = stored((8192, 8192), "f8", (1024, 1024)), stored((8192, 8192), "f8", (1024, 1024))
    product = block_of(a @ b)
    assert [one.adds and one.ahead for one in product.loops.values()] == [True]
    assert product.ahead == 8
    (loop,) = product.loops.values()
    panels = 2 * 8192 * 1024 * 8
    assert loop.takes.beside.all >= 2 * panels
    assert block_of(large() + 1).ahead == 1


def read_by(program, one, box):
    """Bytes that a block reads from stores, of what it computes in turns piece by piece."""
    first = len(program.inputs)
    found = sum(
        program.instructions[work.value - first].operator.stored_bytes(work.box)
        for work in one.schedule.works
        if (work.value, work.box) not in one.loops
    )
    for loop in one.loops.values():
        windows = [(w.instruction.operator, w.box) for w in loop.windows]
        found += sum(operator.stored_bytes(shown) for operator, shown in windows)
        for piece in loop.pieces:
            inner = block_schedule_of(loop.program, piece)
            found += read_by(loop.program, inner, piece)
    return found


@pytest.mark.parametrize("days", [(52, 65), (0, 100), (350, 365)])
def test_pieces_of_rows_far_apart_read_what_their_block_reads(days, tmp_path):
    zarr.create_array(
        tmp_path, shape=(3650, 250, 200), chunks=(50, 250, 200), dtype="f8", compressors=None
    )
    by_day = dt.from_zarr(tmp_path).reshape(10, 365, 250, 200)
    program = program_of(by_day.mean(axis=0))
    box = program.type.box.replace(0, *days)
    found = block_schedule_of(program, box)
    assert found.loops
    assert read_by(program, found, box) == 10 * (days[1] - days[0]) * 250 * 200 * 8


def contained(held, box):
    return box.is_empty or any(one.contains(box) for one in held)


def check_holders(schedule):
    """Each box that is read lies in the one that is named as its holder."""
    for work, reading in zip(schedule.works, schedule.places.read, strict=True):
        for (value, need), place in zip(work.reads, reading, strict=True):
            assert contained(schedule.boxes[value], need)
            if place is not None:
                assert schedule.holder(value, need).contains(need)


def check_pieces(loop, held):
    """What pieces read from outside of their part lies in one of the boxes that are `held`."""
    program = loop.program
    given = len(program.inputs) - loop.shown - len(loop.carried)
    for piece in islice(loop.pieces, 20):
        schedule = program.schedule(piece)
        check_holders(schedule)
        for work in schedule.works:
            for value, need in work.reads:
                assert value >= given or contained(held[value], need)
        deeper = None if loop.fits else in_turns(program, piece)
        if deeper is not None:
            check_pieces(deeper, [*held[:given], *schedule.boxes[given : len(program.inputs)]])


@examples(150, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_what_pieces_read_lies_in_what_is_held(seed):
    random = Random(seed)
    program = group_of(overlapping(random).node, set()).program
    for size in (64, 400, 3000):
        with pieces_of(size, always=random.random() < 0.7):
            box = part_of(random, program.type.box)
            found = block_schedule_of(program, box)
            check_holders(found.schedule)
            assert found.peak.all >= 0
            for entry in found.entries:
                if isinstance(entry, LoopEntry):
                    check_pieces(entry.loop, [found.schedule.boxes[n] for n in entry.inputs])


def part_of(random, box):
    ends = [sorted(random.sample(range(a, b + 1), 2)) for a, b in zip(box.lo, box.hi, strict=True)]
    return box if random.random() < 0.3 else ZRange(*zip(*ends, strict=True)) if ends else box


@pytest.mark.parametrize("seed", [439, 702, 849, 2069])
def test_boxes_apart_that_are_near_in_a_piece_are_not_merged_there(seed):
    """Of values that have several boxes in a block, of which pieces read parts near each other."""
    x = overlapping(Random(seed), is_stored=False)
    whole = x.compute(scheduler="sync")
    for size in (64, 400, 3000):
        with pieces_of(size):
            assert same_bits(x.compute(scheduler="sync"), whole)


@pytest.mark.parametrize("lo", [0, 7])
def test_a_large_output_alone_tells_that_a_block_may_be_computed_in_turns(lo):
    x = stored((6000, 1024), "f8", (100, 1024))
    for value in (x, x + 1, x[1:] - x[:-1], dt.sum(x, axis=1), dt.cumsum(x, axis=0), x.T):
        program = group_of(value.node, set()).program
        most = program.type.shape[0]
        for rows in (0, 1, 500, 1000, 1365, 2047, 2048, 2049, 4095, 4096, 4097, most - lo):
            box = program.type.box.replace(0, lo, min(lo + rows, most))
            counted = all_bytes(program, program.schedule(box)) > PIECE_BYTES
            assert may_stream(program, box) == counted


def test_what_a_fold_reads_is_made_in_turns_where_the_fold_has_no_smaller_parts():
    """A leaf of a sum along rows reads six numbers for each that it adds up."""
    points = dt.placeholder((14_000_001, 3), "f8", stored_chunks=(450_000, 3))
    corners = points.reshape(-1, 3, 3)
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = [a[:, n - 2] * b[:, n - 1] - a[:, n - 1] * b[:, n - 2] for n in range(3)]
    total = dt.stack(normals, axis=1).sum(axis=0).node
    form = next(f for f in total.operator.forms(total.input_types) if f.name == "nodes")
    leaves = form.make(total, min(form.sizes)).inputs[0]
    program = group_of(leaves, set()).in_pieces_of(2**22).program
    *_, fold = program.instructions
    assert fold.operator.turns(fold.types).sizes == ()
    box = ZRange((0, 0), (1, 3))
    block, whole = block_schedule_of(program, box), BlockSchedule.whole(program, box)
    (loop,) = block.loops.values()
    assert loop.program.instructions[-1].operator.name == "concat"
    assert block.peak.all < 0.5 * whole.peak.all

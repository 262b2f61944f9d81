from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.cost.footprint import (
    least_needs,
    least_touched,
    met_blocks,
    needs_of,
)
from dask_tapestry.zspace import Cuts, ZRange, largest_box
from tests.covering import seeds_of
from tests.examples import examples
from tests.planner.graphs import last_step, stored
from tests.planner.small_steps import random_cuts, random_step


def needs(x, *shape, chunks=(), local=False):
    """What a block of a shape takes in the last step of a value."""
    box = ZRange((0,) * len(shape), shape)
    return needs_of(last_step(x).program, box, chunks, local)


def test_what_is_read_held_and_computed_is_counted():
    found = needs(stored() + 1, 1500, 1000)
    assert found.read == found.stored == 2000 * 1000 * 8, "whole chunks"
    assert found.work == 2 * 1500 * 1000 * 8
    assert found.flops == 1500 * 1000
    assert found.blocks == 0


def test_the_least_block_reads_its_chunk_whole():
    assert least_touched(last_step(stored() + 1).program) == 1000 * 1000 * 8
    assert least_touched(last_step(dt.arange(1000.0) + 1).program) == 0
    assert least_touched(last_step((stored() + 1)[:0]).program) == 0


def test_a_selector_needs_no_memory_of_its_own():
    rows = stored()[::2].T
    assert needs(rows, 1000, 500, local=True).work == 999 * 1000 * 8
    assert needs(rows, 1000, 500).work == (999 + 500) * 1000 * 8, "what goes elsewhere is copied"


def test_generated_cells_take_memory():
    x = dt.broadcast_to(dt.arange(1000.0), (1000, 1000)) + 1
    assert needs(x, 10, 1000).work == (1 + 10) * 1000 * 8
    assert needs(dt.indices((1000,))[0] + 1, 1000).work == 2 * 8000
    rows = dt.indices((1000, 1000))[0] + 1
    assert needs(rows, 1000, 1000).work == (1 + 1000) * 8000, "one line of coordinates"


def test_what_a_view_shows_lives_as_long_as_the_view():
    assert needs(stored()[::2].T + 1, 1000, 500).work == (999 + 500) * 1000 * 8


def test_states_of_leaves_take_memory():
    of_three = needs(stored((10**5, 3)).std(axis=1), 10**5).work
    assert of_three > 10**5 * (3 * 8 + 3 * 8)


def test_a_value_is_forgotten_once_it_was_read():
    x = stored((10, 10), "f8", (10, 10))
    assert needs((x @ x) + 1, 10, 10).work == 2 * 800


def test_blocks_of_other_steps_come_whole_from_another_worker():
    x = dt.ones((100, 10)).rechunk((40, 10)) + 1
    cuts = Cuts.regular(100, 40), Cuts.regular(10, 10)
    far = needs(x, 50, 10, chunks=[cuts])
    assert (far.read, far.stored, far.blocks) == (80 * 10 * 8, 0, 2)
    near = needs(x, 50, 10, chunks=[cuts], local=True)
    assert near.read == 50 * 10 * 8
    assert near.work < far.work


CUTS = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@examples(100)
@given(CUTS, st.data())
def test_blocks_that_meet_a_box_are_counted_whole(lengths, data):
    cuts = Cuts.of_lengths(lengths)
    lo = data.draw(st.integers(0, cuts.extent - 1))
    hi = data.draw(st.integers(lo + 1, cuts.extent))
    edges = np.cumsum([0, *lengths])
    met = [n for n, a in zip(lengths, edges, strict=False) if a < hi and a + n > lo]
    box = ZRange((lo,), (hi,))
    assert met_blocks(box, (cuts,)) == len(met)


def test_an_empty_box_meets_one_block():
    empty = ZRange((2,), (2,))
    assert met_blocks(empty, (Cuts.regular(4, 2),)) == 1


def test_a_block_that_is_read_alone_is_not_brought_to_its_reader():
    x = stored((4000, 1000), "f8", (1000, 1000)).rechunk((1000, -1)) + 1
    rows = tuple(Cuts.regular(n, side) for n, side in ((4000, 1000), (1000, 1000)))
    row = 1000 * 8
    assert needs(x, 1000, 1000, chunks=(rows,)).work == 1000 * row
    assert needs(x, 500, 1000, chunks=(rows,)).work == 2 * 500 * row
    assert needs(x, 2000, 1000, chunks=(rows,)).work == 3 * 2000 * row


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("seed", seeds_of(range(60), 20))
def test_no_block_takes_less_than_its_least_needs(seed, local):
    random = Random(seed)
    one, grid = random_step(random)
    held = tuple(tuple(random_cuts(random, n) for n in type_.shape) for type_ in one.inputs)
    box = largest_box(grid)
    least, needs = (f(one, box, held, local) for f in (least_needs, needs_of))
    same = ("read", "stored", "flops", "blocks")
    assert [getattr(least, name) for name in same] == [getattr(needs, name) for name in same]
    assert least.work <= needs.work
    assert least.touched <= needs.touched

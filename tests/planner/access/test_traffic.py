"""Totals of all blocks of a step, against what its blocks take one by one."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.planner.access import access as access_module
from dask_tapestry.planner.access import distinct_slices, overlaps, read_counts, traffic
from dask_tapestry.planner.access.access import Access, UncountableError
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.teg import TensorType, apply
from dask_tapestry.zspace import Cuts
from tests.covering import seeds_of
from tests.planner.enumerated import any_saving, counted_traffic, same_but_main, small_traffic
from tests.planner.graphs import stored
from tests.planner.small_steps import random_cuts

SHARE, ALL = range(200), seeds_of(range(200, 1200, 250), 1)


@pytest.fixture
def saving():
    """Sets how many bytes a slice must save."""
    with any_saving() as set_bytes:
        yield set_bytes


def compare(seed, saving):
    """Compare the totals of a random step with those counted."""
    pair = small_traffic(seed, saving)
    assert pair is None or same_but_main(*pair), seed


def test_totals_are_those_of_all_blocks(saving):
    for seed in SHARE:
        compare(seed, saving)


@pytest.mark.slow
@pytest.mark.parametrize("first", ALL)
def test_totals_of_many_steps_are_those_of_all_blocks(saving, first):
    for seed in range(first, first + 250):
        compare(seed, saving)


CUTS = st.integers(0, 2**32).map(lambda seed: random_cuts(Random(seed), 24))


@given(rows=CUTS, columns=CUTS, held=st.tuples(CUTS, CUTS), depth=st.integers(0, 9))
def test_halos_of_any_depth(rows, columns, held, depth):
    x = dt.placeholder((24, 24), "f8") + 1
    padded = dt.pad(x, depth)
    y = padded[:24, depth : 24 + depth] + padded[2 * depth :, depth : 24 + depth] + x.T
    program = group_of(y.node, {x.node}).program
    found = traffic.traffic(Access(program, (rows, columns)), (held,), 4)
    counted = counted_traffic(program, (rows, columns), (held,), 4, 2**20)
    assert same_but_main(found, counted)


def test_blocks_lie_with_the_largest_of_what_they_read():
    x = dt.placeholder((4000, 10), "f8")
    y = dt.pad(x, [(10, 10), (0, 0)], mode="wrap")
    made = y[:-20] + y[20:]
    program = group_of(made.node, {x.node}).program
    cuts = Cuts.regular(4000, 500), Cuts.regular(10, 10)
    (own,) = traffic.traffic(Access(program, cuts), (cuts,), 4).inputs
    assert own.boxes > 8
    assert own.main / x.node.type.nbytes > 0.95


def test_the_work_does_not_grow_with_the_blocks():
    x = dt.placeholder((10**7, 10**7), "f8")
    program = group_of((x @ (x + 1)).node, {x.node}).program
    for side in (10**6, 10**3):
        cuts = (Cuts.regular(10**7, side),) * 2
        (own,) = traffic.traffic(Access.of(program, cuts), (cuts,), workers=8).inputs
        count = 10**7 // side
        assert own.edges == 2 * count**3 - count**2 * (1 if count == 1 else 0)
        assert own.slices == 0


def test_stored_chunks_count_whole_for_each_block():
    program = group_of((stored((100, 100), "f8", (10, 100)) + 1).node, set()).program
    found = traffic.traffic(
        Access.of(program, (Cuts.regular(100, 15), Cuts.regular(100, 100))), (), 2
    )
    assert (found.stored, found.requests) == (13 * 10 * 100 * 8, 13)


def test_chunks_of_unequal_lengths_count_whole():
    files = [stored((n, 40), "f8", (n, 40)).node.operator for n in (7, 11, 3, 9, 30)]
    joined = apply(joined_source(files, 0, False, TensorType((60, 40), files[0].type.dtype)))
    program = group_of((Array(joined) + 1).node, set()).program
    for rows, cells, chunks in ((10, 18 + 14 + 12 + 3 * 30, 9), (60, 60, 5)):
        access = Access(program, (Cuts.regular(60, rows), Cuts.regular(40, 40)))
        total = traffic.traffic(access, (), 4)
        assert (total.stored, total.requests) == (cells * 40 * 8, chunks)
    access = Access(program, (Cuts.of_lengths([18, 12, 30]), Cuts.regular(40, 20)))
    assert traffic.traffic(access, (), 4).stored == 2 * 60 * 40 * 8


def test_too_many_classes_are_not_counted(monkeypatch):
    monkeypatch.setattr(access_module, "MOST_CLASSES", 9)
    x = dt.placeholder((1000,), "f8")
    program = group_of(dt.cumsum(x).node, {x.node}).program
    for count in (9, 10):
        access, held = (
            Access(program, (Cuts.regular(1000, -(-1000 // count)),)),
            (Cuts.regular(1000, 5),),
        )
        if count == 9:
            assert traffic.traffic(access, (held,), 2).inputs[0].edges
        else:
            with pytest.raises(UncountableError, match="more than 9 classes"):
                traffic.traffic(access, (held,), 2)


def test_classes_of_blocks_of_too_many_boxes_are_not_counted(monkeypatch):
    x = dt.placeholder((60, 50, 40), "f8", (10, 10, 40))
    y = (x.reshape(3000, 40).T.reshape(40, 50, 60) + 1).reshape(2000, 60).T.reshape(60, 40, 50)
    program = group_of(y.node, {y.node}).program
    cuts = tuple(Cuts.regular(n, 7) for n in y.shape)
    assert len(Access(program, cuts).few_leaves) > 100
    monkeypatch.setattr(access_module, "MOST_WORKS", 500)
    access = Access(program, cuts)
    for _ in range(2):  # it is known from then on
        with pytest.raises(UncountableError, match="classes"):
            assert access.few_leaves


@pytest.mark.parametrize("module", [read_counts, overlaps])
def test_too_many_boxes_are_not_counted(monkeypatch, module, saving):
    monkeypatch.setattr(module, "MOST_LISTED_BOXES" if module is read_counts else "MOST_PLACES", 3)
    monkeypatch.setattr(distinct_slices, "MOST_PLACES", 3)
    saving(1)
    overlaps._block_overlap.cache_clear()
    uncounted = 0
    for seed in range(100):
        try:
            compare(seed, saving)
        except UncountableError:
            uncounted += 1
    overlaps._block_overlap.cache_clear()
    assert 0 < uncounted < 100

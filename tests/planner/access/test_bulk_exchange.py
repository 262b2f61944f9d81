"""Bulk exchanges: which inputs of a step are exchanged, and what blocks of it read then."""

from itertools import product
from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.access.bulk_exchange import bulk_exchange, spans
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import Cuts, block_box
from tests.planner.enumerated import any_exchange, any_saving, indices
from tests.planner.small_steps import random_cuts, random_step

ROWS = Cuts.regular(10_000, 100), Cuts.regular(10_000, 10_000)
COLUMNS = ROWS[::-1]


def value(shape=(10_000, 10_000), dtype="f8"):
    """A value that another step computes."""
    return dt.placeholder(shape, dtype) + dt.placeholder((), dtype)


def exchange_of(made, x, cuts, held, in_bulk=True):
    """The exchange of a step that computes one value of another."""
    return bulk_exchange(group_of(made.node, {x.node}).program, cuts, (held,), in_bulk)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x * 2,
        lambda x: dt.cumsum(x, axis=0),
        lambda x: x - x.mean(axis=0),
        lambda x: dt.fft.fft(x, axis=0),
    ],
    ids=["formula", "sum", "mean", "spectra"],
)
def test_rows_become_columns(make):
    x = value()
    found = exchange_of(make(x), x, COLUMNS, ROWS)
    assert found.tiles == COLUMNS
    assert (found.sent, found.received, found.parts, found.tasks) == (100, 100, 10_000, 201)


def test_transposed_columns_are_rows():
    x = value()
    assert exchange_of(x.T + 1, x, COLUMNS, ROWS) is None
    assert exchange_of(x.T + 1, x, ROWS, ROWS).tiles == COLUMNS


@pytest.mark.parametrize(
    ("make", "cuts", "held", "in_bulk"),
    [
        (lambda x: x * 2, COLUMNS, ROWS, False),
        (lambda x: x * 2, (ROWS[0], COLUMNS[1]), ROWS, True),
        (lambda x: x[1:-1] * 2, (Cuts.regular(9998, 9998), Cuts.regular(10_000, 100)), ROWS, True),
        (lambda x: x + x.T, COLUMNS, ROWS, True),
        (lambda x: x @ x, COLUMNS, ROWS, True),
        (lambda x: dt.roll(x, 3, axis=1), COLUMNS, ROWS, True),
        (lambda x: x * 2, (ROWS[1], Cuts.regular(10_000, 5000)), ROWS, True),
    ],
    ids=["not in bulk", "whole rows", "a part", "two boxes", "product", "wrapped", "few blocks"],
)
def test_what_is_not_exchanged(make, cuts, held, in_bulk):
    x = value()
    assert exchange_of(make(x), x, cuts, held, in_bulk) is None


@pytest.mark.parametrize("dtype", ["O", [("a", "f8"), ("b", "i4")]])
def test_cells_of_other_kinds_are_sliced(dtype):
    x = dt.placeholder((10_000, 10_000), dtype).rechunk((100, -1))
    assert exchange_of(x.T.rechunk((-1, 100)), x, COLUMNS, ROWS) is None


def test_small_blocks_are_read_whole():
    x = value((1000, 1000), "u1")
    rows = Cuts.regular(1000, 10), Cuts.regular(1000, 1000)
    assert exchange_of(x * 2, x, rows[::-1], rows) is None


def test_spans_end_where_both_grids_do():
    held, tiles = Cuts.of_lengths([2, 4, 3, 3, 1, 7]), Cuts.of_lengths([6, 1, 5, 8])
    found = [(list(span.blocks), list(span.tiles)) for span in spans(held, tiles)]
    assert found == [([0, 1], [0]), ([2, 3], [1, 2]), ([4, 5], [3])]


def test_blocks_read_the_tiles():
    found = 0
    with any_saving() as saving, any_exchange():
        saving(1)
        for seed in range(300):
            random = Random(seed)
            program, cuts = random_step(random)
            held = tuple(tuple(random_cuts(random, n) for n in x.shape) for x in program.inputs)
            exchange = bulk_exchange(program, tuple(cuts), held)
            if exchange is None:
                continue
            found += 1
            read = {}
            for index in indices(cuts):
                (box,) = program.input_boxes(block_box(cuts, index))[exchange.number]
                assert box not in read
                read[box] = index
            assert set(read) == {block_box(exchange.tiles, n) for n in indices(exchange.tiles)}
            parts = [
                block_box(exchange.held, n).intersection(box)
                for n, box in product(indices(exchange.held), read)
            ]
            assert exchange.parts == sum(not part.is_empty for part in parts)
    assert found > 20

"""Where chunks of what is read begin."""

from itertools import pairwise

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.reading_places import (
    ReadChunks,
    Run,
    chunk_places,
    part_ends,
    reading_runs,
)
from dask_tapestry.steps.tuning import MOST_PART_ENDS
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange


def days(count, chunk=24):
    return dt.placeholder((count, 10), "f8", stored_chunks=(chunk, 10))


X = days(100)
VALUES = {
    "cells": (X + 1, (24, 48, 72, 96)),
    "a slice": (X[5:] + 1, (19, 43, 67, 91)),
    "backwards": (X[::-1] + 1, (4, 28, 52, 76)),
    "a slice backwards": (X[::-1][3:] + 1, (1, 25, 49, 73)),
    "every fifth": (X[5::5], (4, 9, 14)),
    "shifted": (dt.concatenate([dt.zeros((1, 10)), X[:-1]]), (1, 25, 49, 73, 97)),
    "rolled": (dt.roll(X, 1, axis=0), (1, 25, 49, 73, 97)),
    "rolled back": (dt.roll(X, -30, axis=0), (18, 42, 66, 70, 94)),
    "padded": (dt.pad(X, ((1, 1), (0, 0))), (1, 25, 49, 73, 97)),
    "two stores": (dt.concatenate([days(50), days(40, 30)]), (24, 48, 50, 80)),
    "a constant in a store": (dt.insert(days(50), 30, 0.0, axis=0), (24, 49)),
    "repeated": (dt.repeat(days(50), 2, axis=0), (48, 96)),
    "differences": (dt.gradient(X, axis=0), (1, 25, 49, 73, 97)),
    "weeks": (X[:98].reshape(14, 7, 10).max(axis=1), None),
    "weeks of many chunks": (days(700).reshape(100, 7, 10).max(axis=1), (24, 48, 72, 96)),
}


def read_chunks(value):
    program = group_of(value.node, set()).program
    runs = reading_runs(program, 0)
    stored = [
        ReadChunks(runs[number], tuple(map(Cuts.regular, one.type.shape, one.operator.chunks)))
        for number, one in enumerate(program.instructions, start=len(program.inputs))
        if isinstance(one.operator, Source) and one.operator.chunks is not None
    ]
    return program, stored


@pytest.mark.parametrize("name", VALUES)
def test_places_come_to_another_chunk(name):
    value, expected = VALUES[name]
    assert chunk_places(read_chunks(value)[1]) == expected


@pytest.mark.parametrize("name", sorted(set(VALUES) - {"differences", "weeks"}))
def test_pieces_between_places_read_each_chunk_once(name):
    value, places = VALUES[name]
    program, _ = read_chunks(value)
    edges = (0, *places, value.shape[0])

    def stored(lo, hi):
        boxes = program.schedule(ZRange((lo, 0), (hi, 10))).boxes
        pairs = zip(program.instructions, boxes[len(program.inputs) :], strict=True)
        return sum(one.operator.stored_bytes(box) for one, own in pairs for box in own)

    apart = sum(stored(lo, hi) for lo, hi in pairwise(edges))
    again = 1 if name.startswith("rolled") else 0  # the chunk where parts meet
    assert apart <= stored(0, value.shape[0]) + again * 24 * 80


def test_a_run_knows_where_its_reads_pass_a_cell():
    forth, back = Run(10, 60, 0, 5, 1, 2), Run(10, 60, 0, 99, 1, -2)
    assert [forth.passes(cell) for cell in (5, 6, 25)] == [10, 11, 20]
    assert [back.at(back.passes(cell)) for cell in (50, 51)] == [49, 49]
    assert [back.at(back.passes(cell) - 1) for cell in (50, 51)] == [51, 51]


def test_runs_that_move_alike_are_one_of_all_that_they_read():
    x = days(100)
    _, ((runs, _),) = read_chunks(x[2:] - x[:-2])
    assert runs == (Run(0, 98, 0, 0, 3, 1),)


def test_too_many_parts_are_not_followed():
    parts = [np.float64(0) + days(2, 2) for _ in range(300)]
    program = group_of(dt.concatenate(parts).max(axis=1).node, set()).program
    assert reading_runs(program, 0) is not None  # each value is read in one part
    x = days(600, 2)
    turned = dt.concatenate([x[n : n + 2] for n in range(598, -1, -2)])
    assert reading_runs(group_of(turned.node, set()).program, 0) is None


def test_parts_end_where_values_are_read_in_another_way():
    def ends(value):
        program = group_of(value.node, set()).program
        return [part_ends(program, dim) for dim in range(value.ndim)]

    assert ends(dt.roll(X, 3, 0) + dt.roll(X, -4, 1)) == [(3,), (6,)]
    assert ends(dt.pad(X, 2)[1:]) == [(1, 101), (2, 12)]
    assert ends(dt.roll(dt.roll(X, 1, 0) * 2, 1, 0)) == [(1, 2), ()]
    assert ends(X + X[::-1]) == [(), ()]
    assert ends(dt.concatenate([days(10)] * (MOST_PART_ENDS + 2))) == [(), ()]

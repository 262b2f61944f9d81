import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.chunk_alignment import ChunkAlignment
from dask_tapestry.steps.piece_alignment import piece_edges
from tests.planner.graphs import stored

X = stored((8000, 6000), "f8", (1000, 500))
ROWS, COLUMNS, ANY = ChunkAlignment(1000), ChunkAlignment(500), ChunkAlignment(1)

GRAINS = {
    "chunks": (X + 1, (ROWS, COLUMNS)),
    "chunks of a view": (X.T[:, 200:], (COLUMNS, ChunkAlignment(1000, 800))),
    "chunks that do not meet": (X + stored((8000, 6000), "f8", (1000, 700)), (ROWS, None)),
    "halos of chunks": (X[1:] - X[:-1], (None, COLUMNS)),
    "halos of cells": (dt.sqrt(dt.asarray(X[:0])), (None, None)),
    "chunks whose rows are repeated": (
        dt.repeat(X[:4000], 2, axis=0),
        (ChunkAlignment(2000), COLUMNS),
    ),
    "chunks both ways": ((s := X[:6000]) + s.T, (ROWS, ROWS)),
    "generated rows": (dt.broadcast_to(dt.arange(10.0), (9, 10)) * 2, (ChunkAlignment(4), ANY)),
    "cells of chunks that are skipped": (X[::3], (None, COLUMNS)),
    "factors": (X @ stored((6000, 50)), (None, None)),
    "rows of a product": (X @ dt.asarray([[1.0]] * 6000), (ROWS, None)),
    "a cell": (X[:1, :1], (None, None)),
}


@pytest.mark.parametrize("name", GRAINS)
def test_pieces_end_where_nothing_is_read_or_computed_twice(name):
    value, expected = GRAINS[name]
    program = group_of(value.node, set()).program
    assert tuple([piece_edges(program, dim) for dim in range(program.type.ndim)]) == expected


def test_few_cells_may_be_computed_twice():
    x = dt.asarray([1.0] * 6400)
    y = dt.sqrt(x)
    grain = piece_edges(group_of((y[1:] - y[:-1]).node, set()).program, 0)
    assert grain == ChunkAlignment(16)

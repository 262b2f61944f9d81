import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.loops.traced import Field, as_fields, graph_of, takes_time, traced
from dask_tapestry.arrays.stencil.borders import bordered, borders
from dask_tapestry.arrays.stencil.neighbours import neighbours_of


def found(step, *state, boundary="nearest", depth=1):
    fields = [Field.of(dt.asarray(x)) for x in state]
    around = [borders(f.type.shape, depth, boundary) for f in fields]
    padded = []

    def seen(arrays):
        padded.extend(bordered(x, own) for x, own in zip(arrays, around, strict=True))
        return padded

    slots, results = traced(step, fields, seen, takes_time(step, len(fields)))
    graph = graph_of(slots, as_fields(step, results, fields))
    return neighbours_of(graph, [x.node for x in padded], fields, around[0])


X = np.zeros((6, 8))


def test_taps_are_the_cells_that_a_step_reads():
    def step(u):
        rows = u[1:] - u[:-1]  # which is sliced again
        return (rows[1:] - rows[:-1])[:, 1:-1] + u[1:-1, 1:-1] * u[1:-1, 2:]

    program = found(step, X).program
    offsets = {offset for _, offset in program.taps}
    assert offsets == {(1, 0), (0, 0), (-1, 0), (0, 1)}
    assert program.reach == (1, 1)
    assert [[end.width for end in ends] for ends in program.ends] == [[1, 1], [0, 1]]


def test_what_is_read_beside_the_fields_is_taken_where_the_cell_is():
    coefficients, line = dt.asarray(np.ones((8, 10))), dt.arange(8.0)
    made = found(lambda u: (u * coefficients)[1:-1, 1:-1] + line, X)
    assert [x.type.shape for x in made.beside] == [(6, 8), (6, 8)]
    assert {source for source, _ in made.program.taps} == {0, 1, 2}


def test_what_depends_on_the_number_of_the_step_alone_is_computed_once():
    program = found(lambda u, t: u[1:-1, 1:-1] + dt.sin(0.5 * t) * (t > 3), X).program
    assert len(program.scalars) >= 1
    assert len(program.taps) == 1


def test_constants_have_the_dtype_of_each_field():
    def swapped(u, v):
        return v[:-2, 1:-1], u[2:, 1:-1]

    program = found(swapped, X.astype("f4"), X.astype("f4"), boundary=0.1).program
    assert program.ends[0][0].values == (float(np.float32(0.1)),) * 2


@pytest.mark.parametrize(
    "step",
    [
        lambda u: u[1:-1, 1:-1] - u[1:-1, 1:-1].mean(),
        lambda u: u[::-1, 1:-1][1:-1],
        lambda u: dt.roll(u, 1, 0)[1:-1, 1:-1],
        lambda u: dt.cumsum(u[1:-1, 1:-1], axis=0),
        lambda u: u[1:-1, 1:-1] + u[3, 3],
        lambda u: u[1:-1, 1:-1] + u[1:2, 1:-1],
    ],
)
def test_steps_that_are_something_else(step):
    assert found(step, X) is None


def test_fields_of_other_shapes_and_ends_of_two_kinds_are_something_else():
    assert found(lambda u, v: (u[1:-1, 1:-1], v[1:-1]), X, X[0]) is None
    kinds = [("periodic", "nearest"), "nearest"]
    assert found(lambda u: u[1:-1, 1:-1], X, boundary=kinds) is None
    assert found(lambda u: u[1:-1], np.zeros(0), boundary=0) is None

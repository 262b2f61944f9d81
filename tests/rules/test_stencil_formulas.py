import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.placeholder import placeholder
from dask_tapestry.rules.extensions import AxisExtension
from dask_tapestry.rules.stencil_formulas import Fields, stencil_formula
from dask_tapestry.teg import TensorType

MODES = {"nearest": "edge", "periodic": "wrap"}


def slot(x):
    return dt.Array(placeholder(TensorType(x.shape, x.dtype), None))


def found(step, *state, boundary="nearest", depth=1, timed=False):
    """The neighbours of a step of fields that come with `depth` cells beyond their ends."""
    fields = [slot(np.pad(x, depth)) for x in state]
    time = [slot(np.int64(0))] if timed else []
    made = step(*fields, *time)
    modes = boundary if isinstance(boundary, tuple) else (boundary, boundary)
    sides = tuple(
        AxisExtension(frozenset({MODES[m]}))
        if m in MODES
        else AxisExtension(frozenset({"constant"}), m)
        for m in modes
    )
    ndim = state[0].ndim
    given = Fields(
        tuple(x.node for x in fields),
        state[0].shape,
        (depth,) * ndim,
        (sides,) * ndim,
        time[0].node if time else None,
    )
    return stencil_formula([x.node for x in (made if isinstance(made, tuple) else (made,))], given)


def program_of(step, x):
    """The neighbours of a step that rolls and pads a field itself."""
    field = slot(x)
    return stencil_formula([step(field).node], Fields.plain([field.node]))


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
    program = found(lambda u, t: u[1:-1, 1:-1] + dt.sin(0.5 * t) * (t > 3), X, timed=True).program
    assert len(program.scalars) >= 1
    assert len(program.taps) == 1


def test_constants_have_the_dtype_of_each_field():
    def swapped(u, v):
        return v[:-2, 1:-1], u[2:, 1:-1]

    program = found(swapped, X.astype("f4"), X.astype("f4"), boundary=0.1).program
    assert program.ends[0][0].values == (0, float(np.float32(0.1)))  # of v alone it is seen
    assert program.ends[0][1].values == (float(np.float32(0.1)), 0)


@pytest.mark.parametrize(
    "step",
    [
        lambda u: u[1:-1, 1:-1] - u[1:-1, 1:-1].mean(),
        lambda u: u[::-1, 1:-1][1:-1],
        lambda u: dt.roll(u, 2, 0)[1:-1, 1:-1],
        lambda u: dt.cumsum(u[1:-1, 1:-1], axis=0),
        lambda u: u[1:-1, 1:-1] + u[3, 3],
        lambda u: u[1:-1, 1:-1] + u[1:2, 1:-1],
    ],
)
def test_steps_that_are_something_else(step):
    assert found(step, X) is None


def test_roots_of_other_types_and_ends_of_two_kinds_are_something_else():
    assert found(lambda u: u[1:-1, 1:-1] > 0, X) is None
    assert found(lambda u: u, X) is None
    kinds = "periodic", "nearest"
    assert found(lambda u: u[1:-1, :-2] + u[1:-1, 2:], X, boundary=kinds) is None
    assert found(lambda u: u[1:-1], np.zeros(0), boundary=0) is None


def test_a_field_that_is_rolled_wraps():
    made = program_of(lambda u: dt.roll(u, (2, -1), (0, 1)) + dt.roll(dt.roll(u, 3, 0), -4, 0), X)
    assert {offset for _, offset in made.program.taps} == {(-2, 1), (1, 0)}
    modes = [[end.mode for end in ends] for ends in made.program.ends]
    assert modes == [["wrap", "wrap"], ["wrap", "wrap"]]


@pytest.mark.parametrize("mode", ["wrap", "edge", "symmetric", "constant"])
def test_a_field_that_is_padded_has_its_ends(mode):
    def step(u):
        p = dt.pad(2 * u if mode != "constant" else u, 2, mode=mode)
        return p[:-4, 2:-2] + p[3:-1, 4:]

    made = program_of(step, X).program
    assert {offset for _, offset in made.taps} == {(-2, 0), (1, 2)}
    assert [end.mode for ends in made.ends for end in ends if end.width] == [mode] * 3


def test_ends_are_what_all_that_is_seen_agrees_on():
    def step(u):
        one, two = dt.pad(u, 1, mode="edge"), dt.pad(u, 2, mode="symmetric")
        return one[2:, 1:-1] + two[4:, 2:-2]

    made = program_of(step, X).program
    assert made.ends[0][1].mode == "symmetric"
    assert program_of(lambda u: dt.pad(u, 2, mode="edge")[4:, 2:-2] + dt.roll(u, 1, 0), X) is None


@pytest.mark.parametrize(
    "step",
    [
        lambda u: dt.pad(u + 1, 1)[2:, 1:-1],
        lambda u: dt.pad(dt.pad(u, 1, mode="symmetric"), 1, mode="symmetric")[4:, 2:-2],
        lambda u: dt.pad(dt.pad(u, 1, mode="wrap"), 1, mode="wrap")[4:, 2:-2],
        lambda u: dt.pad(u, 1, mode="reflect")[2:, 1:-1],
        lambda u: dt.pad(dt.pad(u, [(0, 0), (1, 1)], constant_values=2), [(1, 1), (0, 0)])[2:, 2:],
        lambda u: dt.roll(u, 3),
        lambda u: dt.roll(u * np.ones((6, 8)), 1, 0),
    ],
)
def test_what_lies_beyond_the_ends_of_something_else(step):
    assert program_of(step, X) is None

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder, identity
from dask_tapestry.operators.windows.stencil_steps import (
    End,
    StencilProgram,
    stencil_after,
    suitable_steps,
)

F8 = np.dtype("f8")
X = np.random.default_rng(0).standard_normal((23, 31))
Y = np.random.default_rng(1).standard_normal((23, 31))


def program(mode):
    """Two fields: each the mean of the other's neighbours, along one axis."""
    b = CellBuilder((F8, F8))
    mean = b.finish(
        b.call("multiply", (b.call("add", (0, 1), F8), b.constant(np.float64(0.5))), F8)
    )
    taps = (1, (-1, 0)), (1, (1, 0)), (0, (0, -2)), (0, (0, 1))
    rows = End(mode, 1, (0.0, 0.0)), End(mode, 1, (0.0, 0.0))
    columns = End(mode, 2, (0.0, 0.0)), End(mode, 1, (0.0, 0.0))
    return StencilProgram(((mean, (0, 1)), (mean, (2, 3))), taps, (), (rows, columns), (1, 2))


def by_numpy(x, y, steps, mode):
    for _ in range(steps):
        p = np.pad(y, ((1, 1), (0, 0)), mode=mode)
        q = np.pad(x, ((0, 0), (2, 1)), mode=mode)
        x, y = (p[:-2] + p[2:]) * 0.5, (q[:, :-3] + q[:, 3:]) * 0.5
    return x, y


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("mode", ["wrap", "edge", "symmetric", "constant"])
@pytest.mark.parametrize("block_bytes", [500, 3000, 10**9])
@pytest.mark.parametrize("steps", [1, 3])
def test_every_cut_has_one_value(mode, block_bytes, steps):
    read = [dt.asarray(X).node, dt.asarray(Y).node]
    with dt.config(block_bytes=block_bytes):
        made = stencil_after(dt.asarray(np.int64(0)).node, read, steps, program(mode))
        arrays = [dt.Array(node) for node in made]
        dt.plan(*arrays).verify()
        found = dt.compute(*arrays)
    for one, expected in zip(found, by_numpy(X, Y, steps, mode), strict=True):
        np.testing.assert_array_equal(one, expected)


def test_the_reference_is_the_value():
    read = [dt.asarray(X).node, dt.asarray(Y).node]
    (made, _) = stencil_after(dt.asarray(np.int64(0)).node, read, 2, program("edge"))
    operator = made.inputs[0].operator
    both = operator.reference(np.asarray(0), X, Y)
    np.testing.assert_array_equal(both["f0"], by_numpy(X, Y, 2, "edge")[0])


def test_a_slice_of_it_knows_where_the_ends_are():
    read = [dt.asarray(X).node, dt.asarray(Y).node]
    (_, made) = stencil_after(dt.asarray(np.int64(0)).node, read, 2, program("symmetric"))
    expected = by_numpy(X, Y, 2, "symmetric")[1]
    np.testing.assert_array_equal(dt.Array(made)[3:9, ::-2].compute(), expected[3:9, ::-2])


def one(reach):
    ends = tuple((End("wrap", r), End("wrap", r)) for r in reach)
    zero = (0,) * len(reach)
    return StencilProgram(((identity(F8), (0,)),), ((0, zero),), (), ends, reach)


def test_more_steps_where_tiles_hold_them():
    assert suitable_steps((6000, 6000), one((1, 1))) >= 6
    assert 1 <= suitable_steps((300, 300, 300), one((1, 1, 1))) <= 6
    assert suitable_steps((2, 2), one((1, 1))) == 1
    assert suitable_steps((500, 500), one((8, 8))) < suitable_steps((500, 500), one((1, 1)))

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.numpy_scalars import is_scalar

CELLS = np.arange(1, 6)


def kept_steps(xp):
    """A total that a list keeps at each step."""
    total = xp.asarray(CELLS).sum()
    kept = [total]
    for step in range(3):
        total += step
        kept.append(total)
    return kept


def scaled(xp):
    best = xp.asarray(CELLS).max()
    half = best
    half /= 2
    return [best, half]


def one_cell(xp):
    x = xp.asarray(CELLS).copy()
    first = other = x[0]
    other -= 7
    x[1] += 2.75  # cut off, as an assignment is
    return [first, other, x]


def widened(xp):
    total = 0
    for number in range(3):
        total += xp.asarray(CELLS)[number]
        total += xp.asarray(CELLS).sum() * 0.5
    return [total]


def broadcast(xp):
    total = xp.asarray(CELLS).min()
    total += xp.asarray(CELLS)
    return [total]


def truth(xp):
    flags = xp.asarray(CELLS > 2).copy()
    flags[0] += 3
    flags[3] *= 0
    return [flags]


@pytest.mark.parametrize("program", [kept_steps, scaled, one_cell, widened, broadcast, truth])
def test_a_scalar_stays_what_it_was(program):
    ours = dt.compute(*program(dt))
    for found, expected in zip(ours, program(np), strict=True):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected)


def test_an_array_without_dimensions_changes_in_place():
    for xp in (np, dt):
        x = xp.zeros((), "f4")
        same = x
        x += np.float64(2)
        x += np.float64(0.5)
        assert float(same) == 2.5
        assert same.dtype == np.float32
        with pytest.raises(TypeError, match="Cannot cast"):
            xp.asarray(3).__iadd__(0.5)


def test_what_is_a_scalar():
    x = dt.asarray(CELLS)
    scalars = x.sum(), x[0], x[:1].max() + 1, x @ x, dt.median(x), x.sum().persist()
    assert all(map(is_scalar, scalars))
    assert is_scalar(dt.from_dask_array(da.ones(3).sum()))
    arrays = dt.zeros(()), dt.asarray(3), x[:1].reshape(()), x.sum().copy(), x, dt.asarray(3)[...]
    assert not any(map(is_scalar, arrays))


def test_what_was_assigned_to_is_an_array():
    x = dt.asarray(CELLS).sum()
    x[...] = 3
    same = x
    x += 1
    assert int(same) == 4


def test_a_masked_sum_stays_what_it_was():
    for xp in (np, dt):
        total = xp.ma.masked_equal(np.array([1.0, 2.0, 3.0]), 2).sum()
        kept = total
        kept += 1
        assert (float(total), float(kept)) == (4, 5)

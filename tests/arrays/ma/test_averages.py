import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("kind", ["i4", "f4"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_averages_are_those_of_numpy(kind, axis):
    x = np.ma.masked_invalid(sample(kind))
    for weights in (None, abs(sample("i4", seed=1)), np.arange(20.0).reshape(4, 5)):
        lazy = ours(weights) if isinstance(weights, np.ma.MaskedArray) else weights
        made = dt.ma.average(ours(x), axis, lazy, returned=True)
        wanted = np.ma.average(x, axis, weights, returned=True)
        agree(made[0], wanted[0])
        agree(made[1], wanted[1])


def test_weights_along_an_axis():
    x, weights = sample("i4"), np.arange(5)
    agree(dt.ma.average(ours(x), 1, weights), np.ma.average(x, 1, weights))
    agree(np.average(ours(x), axis=1), np.ma.average(x, 1))
    with pytest.raises(dt.DTypeError, match="Axis must be specified"):
        dt.ma.average(ours(x), weights=weights)
    with pytest.raises(dt.ShapeError, match="consistent"):
        dt.ma.average(ours(x), 0, weights)


@pytest.mark.parametrize("axis", [0, -1, 1])
def test_a_cell_has_no_axes(axis):
    for xp in (np, dt):
        with pytest.raises(np.exceptions.AxisError):
            xp.ma.average(xp.ma.array(4, mask=False), axis)

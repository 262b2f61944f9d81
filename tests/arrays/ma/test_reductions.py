import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ma.reductions import no_out, quotient

from .masked_samples import KINDS, agree, ours, sample

NAMES = "sum prod mean var std min max ptp argmin argmax all any count cumsum cumprod anom".split()
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_reductions_are_those_of_numpy(name, kind):
    for seed, (mask, axis) in enumerate([(0.3, None), (0.8, 0), (None, 1)]):
        x = sample(kind, seed=seed, mask=mask)
        try:
            wanted = getattr(x, name)(axis=axis)
        except (TypeError, ValueError):
            if kind != "c16":  # of which numpy.ma finds no variance where there is no mask
                with pytest.raises(TypeError):
                    getattr(ours(x), name)(axis=axis)
            continue
        wanted = np.asarray(wanted) if isinstance(wanted, int) else wanted
        agree(getattr(ours(x), name)(axis=axis), wanted)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "max", "count", "any"])
def test_reduced_axes_are_kept(name):
    x = sample("f4")
    agree(getattr(ours(x), name)(axis=0, keepdims=True), getattr(x, name)(axis=0, keepdims=True))


def test_degrees_of_freedom():
    x = sample("i4", mask=0.7)
    agree(ours(x).std(axis=0, ddof=1), x.std(axis=0, ddof=1))


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_few_cells(shape):
    x = np.ma.masked_array(np.ones(shape), np.zeros(shape, bool))
    agree(dt.ma.masked_array(x).sum(), x.sum())
    agree(dt.ma.masked_array(x).mean(), x.mean())


def test_one_value_for_every_chunking():
    x = sample("f8", (40, 30))
    x = np.ma.masked_invalid(x)
    values = {dt.ma.masked_array(x, chunks=c).std().compute() for c in [(40, 30), (7, 30), (3, 4)]}
    assert len(values) == 1


def test_results_are_not_put_elsewhere():
    with pytest.raises(dt.ArgumentError, match="assign the result"):
        ours(sample("f8")).sum(out=np.ones(()))
    no_out(None)


def test_a_quotient_of_scalars_has_no_domain():
    one, nothing = (dt.ma.masked_array(np.array(n)) for n in (1.0, 0.0))
    assert quotient(one, nothing).compute() == np.inf
    assert (one / nothing).compute() is np.ma.masked


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_what_is_not_finite_is_hidden_where_numpy_hides_it(axis):
    """The mean of all cells is a number; means along an axis are quotients, masked if infinite."""
    for cells in ([2, 1, -np.inf, 4], [[2, -np.inf], [-1, -2]]):
        x = np.ma.masked_greater(np.array(cells, float), 0)
        agree(ours(x).anom(axis=axis), x.anom(axis=axis))


@pytest.mark.covering
@pytest.mark.parametrize("axis", [0, -1, (0,)])
@pytest.mark.parametrize("name", ["mean", "var", "std", "anom"])
@pytest.mark.parametrize("mask", [np.ma.nomask, [False], [True]])
def test_a_cell_has_no_axis_to_average_along(name, axis, mask):
    plain = dt.asarray(np.array(3.0))
    cell = dt.ma.masked_array(plain, mask if mask is np.ma.nomask else dt.asarray(mask)[0])
    with pytest.raises(np.exceptions.AxisError, match="out of bounds for array of dimension 0"):
        getattr(cell, name)(axis=axis)
    assert getattr(np.ma.masked_array(3.0), name)() == getattr(dt.ma.masked_array(plain), name)()


@pytest.mark.parametrize("shape", [(), (2, 3)])
@pytest.mark.parametrize("axis", [np.array([0.5, 1.5]), np.array(0.5), "time", [[0]], (0, 0), 7])
def test_axes_of_a_count_that_there_are_not(shape, axis):
    x = dt.ma.masked_greater(np.ones(shape), 1)
    with pytest.raises(dt.TapestryError):
        x.count(axis=axis)
    with pytest.raises(dt.TapestryError):
        x.var(axis=axis)


def test_axes_of_a_count_may_be_an_array():
    agree(ours(sample("f8")).count(axis=np.array([0, 1])), sample("f8").count(axis=(0, 1)))
    agree(dt.ma.array(1.0).count(axis=np.array(0)), np.ma.array(1.0).count(axis=0))

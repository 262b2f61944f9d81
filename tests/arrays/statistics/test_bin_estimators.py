import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.statistics.bin_estimators import WIDTHS
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
CELLS = np.random.default_rng(7).normal(size=(7, 30)) * 9


def agreed(x, *args, **kwargs):
    ours = dt.histogram(dt.asarray(x, chunks=4), *args, **kwargs)
    for a, b in zip(ours, np.histogram(x, *args, **kwargs), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.compute(), b, rtol=1e-6)


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("kind", ["f8", "f4", "i1", "u8"])
def test_as_many_bins_as_numpy_has(name, kind):
    cells = np.abs(CELLS) if kind == "u8" else CELLS
    agreed(cells.astype(kind), name)


@pytest.mark.parametrize("name", WIDTHS)
def test_cells_outside_the_range_are_not_looked_at(name):
    agreed(np.where(CELLS > 20, np.nan, CELLS), name, (-3, 4.5), density=True)
    agreed(CELLS.astype("i4"), name, (0, 0))


@pytest.mark.parametrize("x", [np.zeros(1), np.full(5, 0.3), np.arange(3), np.zeros(0)])
@pytest.mark.parametrize("name", WIDTHS)
def test_few_cells(name, x):
    agreed(x, name)
    assert same_bits(
        dt.histogram_bin_edges(dt.asarray(x), name, (50, 60)).compute(),
        np.histogram_bin_edges(x, name, (50, 60)),
    )


def test_the_count_is_run_once_when_a_shape_is_asked():
    calls = []
    x = dt.map_blocks(lambda b: calls.append(b.shape) or b, dt.asarray(CELLS, chunks=-1))
    counts, edges = dt.histogram(x, "auto")
    assert counts.ndim == edges.ndim == 1
    calls.clear()
    assert edges.shape[0] == counts.shape[0] + 1
    assert int(counts.sum()) == CELLS.size
    assert len(calls) == 1


def test_what_is_refused():
    for name in ("stone", "other"):
        with pytest.raises(ValueError, match=name):
            dt.histogram(CELLS, name)
    with pytest.raises(TypeError, match="weights"):
        dt.histogram(CELLS, "auto", weights=CELLS)
    with pytest.raises(TypeError, match="no estimator"):
        dt.histogram(CELLS + 1j, "auto")
    with pytest.raises(ValueError, match="max must be larger"):
        dt.histogram(CELLS, "auto", (3, 1))
    with pytest.raises(ValueError, match="compute it first"):
        dt.histogram(CELLS, "auto", (0, dt.asarray(CELLS).max()))
    with pytest.raises(ValueError, match="not finite"):
        dt.histogram([0.0, np.nan, 1], "sqrt")[0].compute()
    with pytest.raises(ValueError, match="Too many bins"):
        dt.histogram(np.r_[np.linspace(0, 1e-300, 9), 1], "fd")[0].compute()

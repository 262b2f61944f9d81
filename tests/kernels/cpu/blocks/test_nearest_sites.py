import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import nearest_sites, nearest_sites_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits


def transformed(x, metric, backwards, steps, held):
    """The nearest false cell of each cell, by all axes in turn."""
    made, order = np.where(x, -1, 0).astype("i4"), list(range(x.ndim))[:: -1 if backwards else 1]
    for count, axis in enumerate(order):
        done = tuple(sorted(order[:count]))
        made = KERNELS["nearestsites"](
            None, made, axis=axis, done=done, extents=tuple(x.shape[d] for d in done),
            steps=tuple(steps[d] for d in done), step=steps[axis], begins=(0,) * x.ndim,
            metric=metric, last=backwards, dtype=np.dtype("i8"), keep=(slice(None),) * x.ndim,
        )  # fmt: skip
    return made


def away(x, metric, steps):
    """Distance of each cell from each that is false."""
    every, sites = np.argwhere(np.ones_like(x)), np.argwhere(~x)
    apart = abs(every[:, None] - sites) * np.array(steps)
    if metric == "euclidean":
        return (apart**2).sum(-1), sites
    return (apart.sum(-1) if metric == "taxicab" else apart.max(-1)), sites


@pytest.mark.parametrize("mode", ["off", "wait"])
@pytest.mark.parametrize("metric", ["euclidean", "taxicab", "chessboard"])
@given(st.data())
def test_no_site_is_nearer(mode, metric, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = random.random(shape) < data.draw(st.sampled_from([0.5, 0.9, 1]))
    wide = metric == "euclidean"
    steps = tuple(random.integers(1, 4, len(shape)).tolist()) if wide else (1,) * len(shape)
    backwards = data.draw(st.booleans())
    with compile_service.mode(mode), pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_sites_compiled, "SMALL", 0)
        patch.setattr(nearest_sites, "SITES", data.draw(st.sampled_from([1, 20, 2**18])))
        found = transformed(x, metric, backwards, steps, 9).reshape(-1)
    if x.all():
        assert (found == -1).all()
        return
    distances, sites = away(x, metric, steps)
    numbers = np.ravel_multi_index(tuple(sites.T), shape)
    column = np.searchsorted(numbers, found)
    assert (numbers[column] == found).all()
    least = distances.min(1)
    assert (distances[np.arange(x.size), column] == least).all()
    if backwards and metric != "chessboard":
        last = [np.flatnonzero(row == low)[-1] for row, low in zip(distances, least, strict=True)]
        assert column.tolist() == last


def test_into_memory_that_is_given():
    x = np.array([[-1, 0, -1, -1]], "i4")
    told = {"axis": 1, "done": (), "extents": (), "steps": (), "step": 1.0, "begins": (0, 0)}
    told |= {"metric": "euclidean", "last": False, "dtype": np.dtype("i4")}
    out = np.empty_like(x)
    found = KERNELS["nearestsites"](out, x, keep=(slice(0, 1), slice(1, 3)), **told)
    assert np.shares_memory(found, out)
    assert same_bits(found, np.array([[1, 1]], "i4"))

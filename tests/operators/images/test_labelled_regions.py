import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import dask_tapestry as dt
from dask_tapestry.operators.images import region_tiles
from dask_tapestry.operators.images.labelled_regions import labelled_regions
from tests.examples import examples


def of_tiny_tiles(patch, few=8, most=24):
    """Cut the smallest arrays into tiles, along one axis or more."""
    for name, cells in (
        ("FEW_TILE_CELLS", few),
        ("MOST_TILE_CELLS", most),
        ("LEAST_TILE_ROWS", 1),
    ):
        patch.setattr(region_tiles, name, cells)


@st.composite
def problems(draw):
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    structure = random.random((3,) * len(shape)) < draw(st.sampled_from([0.2, 0.7]))
    cells = random.random(shape) < draw(st.sampled_from([0.3, 0.5, 0.8]))
    return cells, structure | np.flip(structure)


@examples(12)
@given(problems(), st.sampled_from([(1, 1), (4, 9), (8, 24), (30, 200)]), st.data())
def test_every_cut_has_scipys_numbers(problem, sizes, data):
    cells, structure = problem
    expected, count = ndimage.label(cells, structure)
    with pytest.MonkeyPatch.context() as patch:
        of_tiny_tiles(patch, *sizes)
        made = [dt.Array(one) for one in labelled_regions(dt.asarray(cells).node, structure)]
    block = data.draw(st.sampled_from([8, 100, 10**6]))
    with dt.config(block_bytes=block, resources=dt.Resources(2, 1, "1 GiB"), max_tasks=10**7):
        plan = dt.plan(*made)
        plan.verify()
        labels, found = plan.compute(scheduler="sync")
    assert labels.dtype == expected.dtype
    np.testing.assert_array_equal(labels, expected)
    assert found == count


def test_the_graph_does_not_grow_with_regions_or_tiles():
    sizes = []
    for side in (3000, 30_000):
        noise = dt.placeholder((side, side), "f4", stored_chunks=(1000, 1000)) > 0.5
        plan = dt.plan(*map(dt.Array, labelled_regions(noise.node, np.ones((3, 3), bool))),
                       resources=dt.Resources(16, 2, "8 GiB"))  # fmt: skip
        plan.verify()
        sizes.append(len(str(plan.teg).splitlines()))
    assert plan.cost["bytes_read"] < 1.1 * 30_000**2 * 4
    assert sizes[0] == sizes[1]


def test_a_worker_holds_tiles_not_the_array():
    noise = dt.placeholder((10**5, 10**5), "f4", stored_chunks=(1000, 1000)) > 0.5
    labels, _ = map(dt.Array, labelled_regions(noise.node, np.ones((3, 3), bool)))
    plan = dt.plan(labels.sum(), resources=dt.Resources(16, 2, "8 GiB"))
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 8 * 2**30


def test_one_tile_is_not_joined_with_anything():
    plan = dt.plan(*map(dt.Array, labelled_regions(dt.ones((9, 9), bool).node, np.ones((3, 3)))))
    assert "regionmerge" not in str(plan.teg)
    labels, count = plan.compute()
    assert (labels == 1).all()
    assert count == 1

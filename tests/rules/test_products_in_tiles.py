"""Products over merged dimensions are sums of products over the tiles in which these are stored."""

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.examples import examples
from tests.planner.graphs import stored


def products(array):
    """The shapes of the products in the graph that is planned."""
    graph = simplified(Graph([array.node]), Trace())
    return [node.type.shape for node in graph.nodes if isinstance(node.operator, MatMul)]


def covariances(x):
    y = (x - x.mean(axis=0)).reshape(len(x), -1)
    return y @ y.T


def test_a_product_is_of_the_cells_of_a_tile():
    assert products(covariances(stored((600, 800, 800), "f4", (100, 200, 200)))) == [
        (4, 4, 600, 600)
    ]


def test_large_tiles_are_multiplied_in_equal_parts():
    """Of which workers with little memory have some; not where a result takes as much as these."""
    x = stored((1200, 1000, 1000), "f4", (100, 250, 250))
    assert products(covariances(x)) == [(20, 4, 1200, 1200)]
    x = stored((3650, 580, 720), "f4", (365, 145, 180))
    assert products(covariances(x)) == [(4, 4, 3650, 3650)]


def test_shorter_tiles_at_the_ends_are_sums_of_their_own():
    x = stored((600, 721, 900), "f4", (100, 100, 300))
    assert sorted(products(covariances(x))) == [(1, 3, 600, 600), (7, 3, 600, 600)]
    assert len(products(covariances(x[:, 30:, 30:-30]))) == 9


def test_dimensions_in_one_chunk_are_multiplied_whole():
    x = stored((600, 150, 900), "f4", (100, 150, 300))
    assert products(covariances(x)) == [(1, 3, 600, 600)]


def test_few_cells_stay_merged():
    few = stored((600, 60, 5), "f8", (100, 32, 2)).reshape(600, -1)
    assert products(few @ few.T) == [(600, 600)]


def test_products_of_few_cells_are_of_all_along_the_longest():
    many = stored((50, 130, 5), "f8", (32, 10, 2)).reshape(50, -1)
    assert products(many @ many.T) == [(1, 5, 50, 50)]


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        ((600, 800, 800), (100, 200, 200)),
        ((600, 721, 900), (100, 100, 300)),
        ((600, 810, 805), (100, 200, 200)),
    ],
)
def test_each_tile_is_read_once(shape, chunks):
    """Before, products were written and read again, and foretold to take twice as long."""
    x = stored(shape, "f4", chunks)
    plan = dt.plan(covariances(x), resources=dt.Resources(2, 1, "1 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 1.02 * x.nbytes
    assert plan.cost["bytes_written"] == 0


@st.composite
def images(draw):
    """Shape and chunks of images, and where they are cut."""
    shape = tuple(draw(st.integers(1, most)) for most in (4, 40, 90))
    chunks = tuple(draw(st.integers(1, n)) for n in shape)
    return shape, chunks, tuple(draw(st.integers(0, n - 1)) for n in shape[1:])


@examples(40)
@given(image=images(), with_plain=st.booleans(), dtype=st.sampled_from(["i4", "f8", "c8"]))
def test_values_are_numpys(image, with_plain, dtype):
    shape, chunks, (top, left) = image
    cells = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    other = np.random.default_rng(1).integers(-9, 9, (2, *shape[1:])).astype(dtype)

    def program(x):
        y = (x[:, top:, left:] * 2).reshape(len(x), -1)
        w = y if not with_plain else other[:, top:, left:].reshape(2, -1)
        return y @ w.T, w @ y.T

    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=cells, chunks=chunks)
    made = dt.compute(*program(dt.from_zarr(store)))
    for value, wanted in zip(made, program(cells), strict=True):
        assert value.dtype == wanted.dtype
        np.testing.assert_array_equal(value, wanted)  # whole numbers: sums are exact


@pytest.mark.few(2)
@pytest.mark.parametrize("stack", [(), (3,), (2, 3)])
def test_stacks_of_products(stack, shardings):
    cells = np.random.default_rng(0).integers(-9, 9, (*stack, 5, 40, 90)).astype("f8")
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=cells, chunks=(*stack, 2, 16, 30))
    y = dt.from_zarr(store).reshape(*stack, 5, -1)
    z = cells.reshape(*stack, 5, -1)
    made = y @ dt.swapaxes(y, -1, -2)
    wanted = z @ np.swapaxes(z, -1, -2)
    np.testing.assert_array_equal(made.compute(), wanted)
    with shardings.tiny(2000):
        np.testing.assert_array_equal(made.compute(), wanted)

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.views.windows import Windows, windows
from dask_tapestry.teg import Progression, Region, apply
from tests.operators.blocks import block, by_blocks, on_region, picked

X = np.arange(77.0).reshape(7, 11)


@pytest.mark.parametrize("blocks", [1, 2, 3, 20])
@pytest.mark.parametrize(("axis", "length", "step"), [(0, 3, 1), (1, 4, 2), (1, 2, 5), (0, 7, 1)])
def test_block_by_block(axis, length, step, blocks):
    node = windows(dt.asarray(X).node, axis, length, step)
    whole = np.moveaxis(sliding_window_view(X, length, axis), axis, 0)[::step]
    expected = np.moveaxis(whole, 0, axis)
    assert node.type.shape == expected.shape
    assert np.array_equal(by_blocks(node, (X,), blocks), expected)
    assert np.array_equal(node.operator.reference(X), expected)
    assert np.array_equal(dt.Array(node).compute(), expected)


@pytest.mark.parametrize(
    "parts", [((1, 1, 2), (0, 3, 3), (0, 1, 3)), ((0, 2, 2), (2, 1, 1), (1, 2, 2))]
)
def test_part_of_it_is_of_part_of_the_input(parts):
    region = Region([Progression(*part) for part in parts])
    node = apply(Windows(0, 4, 4), dt.asarray(X).node)
    found, yields = on_region(node, (X,), region)
    assert yields == region
    assert np.array_equal(found, picked(node.operator.reference(X), region))


def test_a_block_is_a_view_of_what_it_reads():
    node = windows(dt.asarray(X).node, 0, 3)
    assert np.shares_memory(block(node, (X,), node.type.box), X)
    assert node.operator.cell_map(node.input_types).matrix == ((1, 0, 1), (0, 1, 0))


def test_no_windows():
    node = windows(dt.asarray(X).node, 0, 0)
    assert dt.Array(node).compute().shape == (8, 11, 0)
    with pytest.raises(ShapeError, match="do not fit"):
        windows(dt.asarray(X).node, 0, 8)


@pytest.mark.parametrize("chunks", [(7, 11), (2, 3), (1, 11)])
def test_formulas_before_and_reductions_after(chunks):
    x = dt.from_array(X, chunks=chunks).rechunk(chunks)
    means = dt.Array(windows((x * 2 + 1).node, 1, 3)).mean(axis=-1) - 1
    expected = sliding_window_view(X * 2 + 1, 3, 1).mean(-1) - 1
    np.testing.assert_allclose(means.compute(), expected)
    assert np.array_equal(means[2:5, ::2].compute(), means.compute()[2:5, ::2])

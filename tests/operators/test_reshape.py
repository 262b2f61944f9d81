import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.reshape import Reshape, ravel, span_box, strides, unravel
from dask_tapestry.teg import TensorType
from dask_tapestry_kernels.cpu import KERNELS

from .test_view import F8, box_of, numbers, picked, region_of

FACTORS = st.lists(st.sampled_from([1, 2, 3, 4]), max_size=4)


@st.composite
def reshapes(draw):
    """Two shapes of the same prime factors, split and joined in another way."""
    factors = draw(FACTORS)
    return Reshape(joined(draw, factors), joined(draw, factors))


def joined(draw, factors):
    shape = []
    for n in factors:
        if shape and draw(st.booleans()):
            shape[-1] *= n
        else:
            shape.append(n)
        shape += [1] * draw(st.integers(0, 1))
    return tuple(shape)


@given(reshapes(), st.data())
def test_a_box_lies_in_the_smallest_box_that_it_demands_of_each_group(reshape, data):
    box = box_of(data.draw, reshape.new)
    (need,) = reshape.demand((TensorType(reshape.old, F8),), box)
    cells = numbers(reshape.new)[box.slices()].astype(int).ravel()
    held = set(numbers(reshape.old)[need.slices()].astype(int).ravel())
    assert set(cells) <= held
    if len(cells) == box.size == len(set(cells)) == 1:
        assert need.size == 1


@given(reshapes(), st.data())
def test_the_kernel_finds_the_box_in_the_block(reshape, data):
    inputs = (TensorType(reshape.old, F8),)
    box = box_of(data.draw, reshape.new)
    (need,) = reshape.demand(inputs, box)
    x = numbers(reshape.old)
    told = reshape.arguments(inputs, box, (need,))
    block = KERNELS[reshape.kernel](None, x[need.slices()], **told)
    assert np.array_equal(block, x.reshape(reshape.new)[box.slices()])


@given(reshapes(), st.data())
def test_a_restricted_reshape_yields_what_it_says(reshape, data):
    region = region_of(data.draw, reshape.new)
    restricted = reshape.restrict((TensorType(reshape.old, F8),), region)
    if restricted is None:
        assert region.is_empty
        return
    x = numbers(reshape.old)
    made = restricted.operator.reference(picked(x, restricted.inputs[0]))
    assert np.array_equal(made, picked(x.reshape(reshape.new), restricted.yields))
    assert restricted.yields.hull(region) == restricted.yields


@given(reshapes())
def test_groups_hold_equal_numbers_of_cells(reshape):
    spans = [(reshape.old[a:b], reshape.new[c:d]) for a, b, c, d in reshape.groups]
    assert all(np.prod(m, dtype=int) == np.prod(n, dtype=int) for m, n in spans)
    assert sum((m for m, _ in spans), ()) == reshape.old
    assert sum((n for _, n in spans), ()) == reshape.new


@given(st.lists(st.integers(1, 4), max_size=3), st.data())
def test_running_numbers_go_there_and_back(shape, data):
    number = data.draw(st.integers(0, int(np.prod(shape, dtype=int)) - 1))
    point = unravel(number, shape)
    assert ravel(point, shape) == number == int(np.dot(point, strides(shape)))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_a_span_box_is_consecutive_and_holds_the_span(shape, data):
    size = int(np.prod(shape))
    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, size - 1))
    lo, hi = span_box(first, last, shape)
    cells = numbers(shape)[tuple(map(slice, lo, hi))].astype(int).ravel()
    assert list(cells) == list(range(cells[0], cells[-1] + 1))
    assert cells[0] <= first <= last <= cells[-1]


@pytest.mark.parametrize("shape", [(4, 2), (-1, -1), (5, -1), (0, -1), (-1, 0)])
def test_shapes_that_do_not_fit_are_refused(shape):
    with pytest.raises(ShapeError):
        dt.reshape(dt.arange(6), shape)


def test_names_stay_where_a_dimension_does():
    x = dt.asarray(np.ones((2, 3, 4)), dims=("a", "b", "c"))
    assert x.reshape(2, 12).dims == ("a", None)

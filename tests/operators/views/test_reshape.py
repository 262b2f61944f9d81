import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.views import reshape as reshape_module
from dask_tapestry.operators.views.reshape import Reshape
from dask_tapestry.teg import TensorType, apply
from tests.operators.blocks import block, by_blocks

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


@pytest.fixture(params=[0, 10**6], ids=["exactly", "in one box"])
def slack(request, monkeypatch):
    """Cells that may be read besides those wanted: small ones make every block one of pieces."""
    monkeypatch.setattr(reshape_module, "RESHAPE_SLACK_CELLS", request.param)
    reshape_module.parts_of.cache_clear()
    yield request.param
    reshape_module.parts_of.cache_clear()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(reshapes(), st.data())
def test_the_kernel_finds_the_box_in_the_blocks(slack, reshape, data):
    box = box_of(data.draw, reshape.new)
    x = numbers(reshape.old)
    node = apply(reshape, dt.asarray(x).node)
    made = block(node, [x], box)
    assert np.array_equal(made, x.reshape(reshape.new)[box.slices()])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(reshapes(), st.data())
def test_a_restricted_reshape_reads_by_blocks_too(slack, reshape, data):
    x = numbers(reshape.old)
    region = region_of(data.draw, reshape.new)
    inputs = (TensorType(reshape.old, F8),)
    restricted = reshape.restrict(inputs, region)
    if restricted is None:
        return
    held = picked(x, restricted.inputs[0])
    node = apply(restricted.operator, dt.asarray(held).node)
    again = region_of(data.draw, node.type.shape)
    twice = restricted.operator.restrict(node.input_types, again)
    assert np.array_equal(by_blocks(node, [held], 2), restricted.operator.reference(held))
    if twice is not None:
        expected = picked(restricted.operator.reference(held), twice.yields)
        assert np.array_equal(twice.operator.reference(picked(held, twice.inputs[0])), expected)


def test_few_rows_of_a_large_split_are_read_alone():
    x = dt.arange(10**15).reshape(10**5, 10**10)
    assert x[:2, :2].compute().tolist() == [[0, 1], [10**10, 10**10 + 1]]


def test_a_block_across_rows_is_read_in_pieces():
    x = dt.placeholder((1000, 100_000), "f8", stored_chunks=(1, 100_000))
    flat = x.reshape(-1)[50_000:250_000].plan(method="none")
    assert flat.cost["bytes_read"] == 3 * 800_000


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


@pytest.mark.parametrize("shape", [(4, 2), (-1, -1), (5, -1), (0, -1), (-1, 0)])
def test_shapes_that_do_not_fit_are_refused(shape):
    with pytest.raises(ShapeError):
        dt.reshape(dt.arange(6), shape)


def test_names_stay_where_a_dimension_does():
    x = dt.asarray(np.ones((2, 3, 4)), dims=("a", "b", "c"))
    assert x.reshape(2, 12).dims == ("a", None)


def test_rows_of_several_years_are_read_apart_however_few_days_they_are():
    """What lies between them is little in a group of dimensions, and much in the others."""
    days = dt.placeholder((730, 250, 200), "f8", stored_chunks=(1, 250, 200))
    first = days.reshape(2, 365, 250, 200)[:, :13].plan(method="none")
    assert first.cost["bytes_read"] == 2 * 13 * 250 * 200 * 8

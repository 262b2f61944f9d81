import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.operators.layouts.rechunk import Rechunk
from dask_tapestry.operators.views.broadcast import Broadcast
from dask_tapestry.operators.views.permute import Permute
from dask_tapestry.operators.views.reverse import Reverse
from dask_tapestry.operators.views.view import View, ViewAxis, identity_axes
from dask_tapestry.teg import Progression, Region, TensorType
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.devices import kernels_of

F8 = np.dtype("f8")


@st.composite
def views(draw, shape=None, most=4):
    """A view of a tensor of `shape`: axes sliced or pinned, permuted, among broadcast ones."""
    old = draw(st.lists(st.integers(1, most), max_size=3)) if shape is None else shape
    pinned = [draw(st.booleans()) for _ in old]
    moving = draw(st.permutations([i for i, pin in enumerate(pinned) if not pin]))
    repeated = draw(st.lists(st.integers(0, 3), max_size=2))
    order = draw(st.permutations([*moving, *[-1 - i for i in range(len(repeated))]]))
    new = [repeated[-1 - i] if i < 0 else 0 for i in order]
    axes = []
    for axis, extent in enumerate(old):
        start = draw(st.integers(0, max(extent - 1, 0)))
        if pinned[axis]:
            axes.append(ViewAxis(-1, start, 1))
            continue
        step = draw(st.integers(-3, 3).filter(bool))
        longest = len(range(start, extent if step > 0 else -1, step)) if extent else 0
        new[order.index(axis)] = draw(st.integers(0, longest))
        axes.append(ViewAxis(order.index(axis), start, step))
    return View(tuple(new), tuple(axes)), tuple(old)


@st.composite
def diagonals(draw):
    """A view of a tensor some axes of which follow one dimension together."""
    old = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    dims = draw(st.lists(st.integers(0, 1), min_size=len(old), max_size=len(old)))
    axes, shape = [], [4, 4]
    for dim, extent in zip(dims, old, strict=True):
        step = draw(st.sampled_from([1, -1, 2]))
        start = draw(st.integers(0, extent - 1))
        axes.append(ViewAxis(dim, start, step))
        shape[dim] = min(shape[dim], len(range(start, extent if step > 0 else -1, step)))
    return View(tuple(shape), tuple(axes)), tuple(old)


def numbers(shape):
    return np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)


def box_of(draw, shape):
    lo = [draw(st.integers(0, n)) for n in shape]
    return ZRange(lo, [draw(st.integers(a, n)) for a, n in zip(lo, shape, strict=True)])


def region_of(draw, shape):
    parts = []
    for n in shape:
        start = draw(st.integers(0, max(n - 1, 0)))
        step = draw(st.integers(1, 3))
        count = draw(st.integers(0, len(range(start, n, step))))
        parts.append(Progression.of(start, step, count))
    return Region(parts)


def picked(x, region):
    return x[tuple(slice(p.start, max(p.stop, p.start), p.step) for p in region)]


@given(views() | diagonals(), st.data())
def test_a_box_is_made_of_what_it_demands(given_view, data):
    view, old = given_view
    whole = view.reference(numbers(old))
    box = box_of(data.draw, view.shape)
    (need,) = view.demand((TensorType(old, F8),), box)
    assert TensorType(old, F8).box.contains(need)
    cells = whole[box.slices()]
    if cells.size:
        places = np.unravel_index(cells.astype(int), old) if old else ()
        for axis, p in enumerate(places):
            assert (p.min(), p.max() + 1) == (need.lo[axis], need.hi[axis])


@given(views() | diagonals(), st.data())
def test_a_view_of_a_view_is_one_view(inner, data):
    first, old = inner
    second, _ = data.draw(views(first.shape).filter(lambda v: is_legal(*v)))
    x = numbers(old)
    both = second.composed_with(first)
    assert np.array_equal(both.reference(x), second.reference(first.reference(x)))
    assert both.shape == second.shape


def is_legal(view, old):
    """A pinned axis needs a cell."""
    return all(n for axis, n in zip(view.axes, old, strict=True) if axis.dim < 0)


@given(views())
def test_the_identity_changes_no_view(given_view):
    view, old = given_view
    before, after = View(old, identity_axes(old)), View(view.shape, identity_axes(view.shape))
    assert view.composed_with(before) == view
    assert after.composed_with(view) == view
    assert after.is_identity(view.shape)


@given(views(), st.data())
def test_composition_is_associative(given_view, data):
    one, _ = given_view
    two, _ = data.draw(views(one.shape).filter(lambda v: is_legal(*v)))
    three, _ = data.draw(views(two.shape).filter(lambda v: is_legal(*v)))
    assert three.composed_with(two).composed_with(one) == three.composed_with(
        two.composed_with(one)
    )


@given(views() | diagonals(), st.data())
def test_a_restricted_view_of_what_it_reads_is_the_region(given_view, data):
    view, old = given_view
    region = region_of(data.draw, view.shape)
    restricted = view.restrict((TensorType(old, F8),), region)
    x = numbers(old)
    assert restricted.yields == region
    made = restricted.operator.reference(picked(x, restricted.inputs[0]))
    assert np.array_equal(made, picked(view.reference(x), region))
    assert all(axis.step in (1, -1) for axis in restricted.operator.axes)


@given(views() | diagonals())
def test_a_view_that_repeats_nothing_reads_each_cell_once(given_view):
    view, old = given_view
    (once,) = view.reads_once((TensorType(old, F8),))
    cells = view.reference(numbers(old)).ravel()
    if once:
        assert len(set(cells)) == len(cells)


def test_dimension_names_follow_their_axes():
    x = TensorType((2, 3), F8, ("row", "column"))
    turned = View((3, 1, 2), (ViewAxis(2, 0, 1), ViewAxis(0, 0, 1)))
    assert turned.infer(x).dims == ("column", None, "row")


@given(diagonals(), st.data())
def test_the_kernel_reads_a_box_of_diagonals(given_view, data):
    view, old = given_view
    box = box_of(data.draw, view.shape)
    types = (TensorType(old, F8),)
    x = numbers(old)
    needs = view.demand(types, box)
    told = view.arguments(types, box, needs)
    seen = kernels_of("cpu")["view"](None, x[needs[0].index()], **told)
    assert np.array_equal(seen, view.reference(x)[box.index()])


def test_a_view_prints_where_it_reads():
    assert View((3,), (ViewAxis(-1, 4, 1), ViewAxis(0, 2, -1))).text() == "[4, 2-1*o0]"


@pytest.mark.parametrize("operator", [Permute((1, 0)), Reverse((0,)), Broadcast((5, 3, 4))])
def test_views_tell_which_cell_they_show(operator):
    x = np.arange(12).reshape(3, 4)
    shown = operator.cell_map((TensorType(x.shape, x.dtype),))
    made = operator.reference(x)
    assert operator.is_view
    assert all(made[o] == x[tuple(shown(o))] for o in np.ndindex(made.shape))


def test_what_is_no_view_shows_nothing():
    x = TensorType((3, 4), np.dtype("f8"))
    assert Rechunk((Cuts.regular(3, 3), Cuts.regular(4, 4))).cell_map((x,)) is None

"""The scan kernels against the canonical order written out cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.scan import scan
from dask_tapestry_kernels.cpu.scan.scan_functions import function_named
from tests.comparisons import same_bits, values
from tests.examples import examples

LEAF = 8
WAYS = {
    "sum": ("add", "f8", "f8", "f8"),
    "half sum": ("add", "f2", "f4", "f2"),
    "single sum": ("add", "f4", "f4", "f4"),
    "small integers": ("add", "i1", "i8", "i8"),
    "truths": ("add", "?", "?", "?"),
    "times": ("add", "m8[s]", "m8[s]", "m8[s]"),
    "complex product": ("multiply", "c16", "c16", "c16"),
    "product": ("multiply", "f8", "f8", "f8"),
    "greatest": ("maximum", "f4", "f4", "f4"),
    "greatest half": ("maximum", "f2", "f2", "f2"),
    "least number": ("fmin", "f8", "f8", "f8"),
    "log": ("logaddexp", "f8", "f8", "f8"),
}
each_way = pytest.mark.parametrize("way", WAYS)


def told(way, leaf=LEAF):
    function, _, state, dtype = WAYS[way]
    return {
        "function": function,
        "leaf": leaf,
        "dtype": np.dtype(dtype),
        "state": np.dtype(state),
    }


def canonical(x, way, axis):
    """Scan and leaf totals, one step of the axis at a time."""
    function, _, state, dtype = WAYS[way]
    combine = function_named(function, np.dtype(state))
    cells = np.moveaxis(x, axis, 0)
    result, totals, before, local = np.empty(cells.shape, dtype), [], None, None
    for place, row in enumerate(cells):
        if place % LEAF == 0:
            if place:
                totals.append(local)
                before = local if before is None else combine(before, local)
            local = row.astype(state)
        else:
            local = np.asarray(combine(local, row.astype(state)))
        result[place] = local if before is None else combine(before, local)
    totals += [local] if len(cells) else []
    ends = np.array(totals, state).reshape(len(totals), *cells.shape[1:])
    return np.moveaxis(result, 0, axis), np.moveaxis(ends, 0, axis)


def sample(shape, way):
    dtype = WAYS[way][1]
    if np.dtype(dtype).kind not in "fc":
        return values(shape, dtype)
    scale = 10.0 ** np.random.default_rng(0).integers(-3, 3, shape)
    with np.errstate(all="ignore"):
        return (values(shape, dtype) * scale).astype(dtype)


SHAPES = (
    ((100,), 0),
    ((8,), 0),
    ((7,), 0),
    ((9, 300), 0),
    ((9, 300), 1),
    ((300, 9), 0),
    ((20, 2, 300), 0),
    ((2, 50, 3), 1),
    ((3, 20, 400), 1),
    ((0, 4), 0),
    ((4, 0), 0),
)


@pytest.mark.covering
@each_way
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("order", ["C", "F", "reversed"])
def test_the_order_is_the_canonical_one(way, shape, axis, order):
    x = sample(shape, way)
    with np.errstate(all="ignore"):
        expected, ends = canonical(x, way, axis)
    laid = np.array(x[..., ::-1], order="F")[..., ::-1] if order == "reversed" else x.copy(order)
    assert same_bits(KERNELS["scan"](None, laid, axis=axis, skip=0, **told(way)), expected)
    out = np.empty_like(expected)
    assert same_bits(KERNELS["scan"](out, laid, axis=axis, skip=0, **told(way)), expected)
    ways = {name: value for name, value in told(way).items() if name != "dtype"}
    assert same_bits(KERNELS["leaf_totals"](None, laid, axis=axis, **ways), ends)


@each_way
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_lines_walked_together_keep_the_order(way, shape, axis, monkeypatch):
    monkeypatch.setattr(scan, "MANY_LINES", 1)
    monkeypatch.setattr(scan, "MANY_CELLS", 3 * LEAF)
    x = sample(shape, way)
    with np.errstate(all="ignore"):
        expected, _ = canonical(x, way, axis)
    assert same_bits(KERNELS["scan"](None, x, axis=axis, skip=0, **told(way)), expected)


@each_way
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_pieces_after_one_another_are_the_scan(way, shape, axis):
    x = sample(shape, way)
    with np.errstate(all="ignore"):
        expected, ends = canonical(x, way, axis)
    carry = np.empty((*shape[:axis], 1, *shape[axis + 1 :]), ends.dtype)
    for lo in range(0, shape[axis] if x.size else 0, 2 * LEAF):
        cells = along(axis, lo, min(lo + 2 * LEAF, shape[axis]))
        made = KERNELS["scan_on"](None, x[cells], carry, begins=not lo, axis=axis, **told(way))
        assert same_bits(made, expected[cells])


@each_way
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_leaves_and_what_comes_before_them_are_the_scan(way, shape, axis):
    x = sample(shape, way)
    with np.errstate(all="ignore"):
        expected, ends = canonical(x, way, axis)
    ways = told(way)
    local = {name: value for name, value in ways.items() if name != "dtype"}
    leaves = KERNELS["leaf_scan"](None, x, axis=axis, skip=0, **local)
    count = max(ends.shape[axis] - 1, 0)
    found = KERNELS["leaf_ends"](None, leaves, axis=axis, leaf=LEAF, count=count)
    assert found.base is None
    assert same_bits(found, ends[along(axis, 0, count)])
    one = ways | {"leaf": max(count, 1), "dtype": ends.dtype}
    before = KERNELS["scan"](None, ends[along(axis, 0, count)], axis=axis, skip=0, **one)
    assert same_bits(
        KERNELS["after_leaf"](None, leaves, before, axis=axis, skip=0, **ways), expected
    )


@each_way
@examples(20)
@given(st.data())
def test_a_part_is_the_same_bits(way, data):
    shape, axis = data.draw(st.sampled_from(SHAPES[:-2]))
    x = sample(shape, way)
    with np.errstate(all="ignore"):
        expected, ends = canonical(x, way, axis)
    extent = shape[axis]
    lo = data.draw(st.integers(0, extent - 1))
    hi = data.draw(st.integers(lo + 1, extent))
    first = lo // LEAF
    one = told(way, len(ends)) | {"leaf": ends.shape[axis], "dtype": ends.dtype}
    totals = KERNELS["scan"](None, ends, axis=axis, skip=0, **one)
    last = data.draw(st.integers(first, max(first, (hi - 1) // LEAF)))
    prefix = totals[along(axis, max(first - 1, 0), last)]
    cells = x[along(axis, first * LEAF, hi)]
    skip = lo - first * LEAF
    how = {"axis": axis, "skip": skip, "begins": first == 0, **told(way)}
    part = KERNELS["scan"](None, cells, prefix, **how)
    assert same_bits(part, expected[along(axis, lo, hi)])
    out = np.empty_like(part)
    KERNELS["scan"](out, cells, prefix, **how)
    assert same_bits(out, part)


def along(axis, lo, hi):
    return (*(slice(None),) * axis, slice(lo, hi))


@pytest.mark.parametrize("count", [*range(1, 20), 33, 300])
def test_lines_side_by_side_are_combined_from_left_to_right(count):
    """NumPy does not promise it; a lone line, or a layout of its own choice, would differ."""
    x = np.random.default_rng(count).normal(size=(count, 100)) * 10.0 ** np.arange(100)
    together = scan._side_by_side(x, np.add, np.dtype("f8"))
    assert same_bits(together, np.add.accumulate(x, axis=1)[:, -1])
    zeros = scan._side_by_side(np.full((count, 4), -0.0), np.add, np.dtype("f8"))
    assert np.signbit(zeros).all()


def test_running_sums_of_positive_numbers_do_not_fall():
    x = np.random.default_rng(0).random(10_000)
    running = KERNELS["scan"](None, x, axis=0, skip=0, **told("sum"))
    assert (np.diff(running) >= 0).all()

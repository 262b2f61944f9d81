import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import AxisError, DTypeError
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.tuning import SCAN_LEAF_CELLS
from dask_tapestry.teg import Graph, Progression, Region
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits
from tests.operators.blocks import block, by_blocks, on_region
from tests.operators.in_forms import form_names, formed

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(500, 3)) * 10.0 ** RANDOM.integers(-8, 8, (500, 3))


def scanned(x=X, axis=0, function="add", **options):
    return scan(dt.asarray(x).node, function, axis, **options)


def test_a_restricted_scan_keeps_its_leaves():
    part = scanned().operator.restrict((scanned().inputs[0].type,), Region.whole((200, 3)))
    assert part.operator.leaf == scanned().operator.leaf


def test_the_kinds_of_index_dimensions_say_what_a_cut_takes():
    node = scanned()
    kinds = [d.kind.value for d in node.operator.signature(*node.input_types).index]
    assert kinds == ["sequential", "parallel"]
    assert node.operator.granularity(node.input_types) == (0, 1)


@pytest.mark.parametrize("step", [1, 7, 128, 300])
def test_blocks_are_the_same_bits(step):
    node = scanned()
    whole = block(node, (X,), node.type.box)
    assert same_bits(by_blocks(node, (X,), step), whole)
    after = formed(node, "totals", SCAN_LEAF_CELLS)
    totals, prefixes = after.inputs[1].inputs[0], after.inputs[1]
    ends = by_blocks(totals, (X,), step)
    before = block(prefixes, (ends,), prefixes.type.box)
    assert same_bits(by_blocks(after, (X, before), step), whole)


@pytest.mark.parametrize("form", ["totals", "leaves"])
def test_what_a_part_of_a_box_reads_is_read_by_the_box(form):
    """A block is computed in pieces, of what the whole block was given."""
    node = formed(scanned(), form, SCAN_LEAF_CELLS)
    for lo, hi in ((0, 500), (0, 128), (128, 400), (130, 131), (130, 500)):
        whole = node.operator.demand(node.input_types, ZRange((lo, 0), (hi, 3)))
        for first, end in ((lo, lo + 1), (hi - 1, hi), ((lo + hi) // 2, hi), (lo, (lo + hi) // 2)):
            part = node.operator.demand(node.input_types, ZRange((first, 0), (end, 3)))
            for inner, outer in zip(part, whole, strict=True):
                assert inner.is_empty or outer.intersection(inner) == inner


@pytest.mark.covering
@pytest.mark.parametrize("function", ["add", "maximum", "multiply"])
@pytest.mark.parametrize("dtype", ["f8", "f2", "i1", "c16"])
@pytest.mark.parametrize("cells", [129, 256, 257, 500])
@pytest.mark.parametrize("step", [1, 7, 128, 129, 300, 500])
def test_leaves_scanned_by_themselves_are_the_same_bits(function, dtype, cells, step):
    x = (X[:cells].clip(-10, 10)).astype(dtype)
    node = scanned(x, function=function)
    with np.errstate(all="ignore"):
        whole = block(node, (x,), node.type.box)
        after = formed(node, "leaves", SCAN_LEAF_CELLS)
        local, prefixes = after.inputs
        (ends,) = prefixes.inputs
        leaves = by_blocks(local, (x,), step)
        totals = by_blocks(ends, (leaves,), step)
        before = block(prefixes, (totals,), prefixes.type.box)
        assert same_bits(by_blocks(after, (leaves, before), step), whole)
    out = np.empty(after.type.shape, after.type.dtype)
    with np.errstate(all="ignore"):
        assert same_bits(block(after, (leaves, before), after.type.box, out), whole)


def test_leaves_begin_where_they_begin_in_the_whole():
    after = formed(scanned(), "leaves", SCAN_LEAF_CELLS)
    region = Region([Progression(7, 3, 5), Progression(1, 1, 2)])
    for node in (after, after.inputs[0]):
        assert node.operator.restrict(node.input_types, region) is None


def test_along_the_axis_the_cells_up_to_the_last_are_read():
    region = Region([Progression(7, 3, 5), Progression(1, 1, 2)])
    value, yields = on_region(scanned(), (X,), region)
    assert yields == Region([Progression(0, 1, 20), Progression(1, 1, 2)])
    assert same_bits(value, np.cumsum(X, axis=0)[:20, 1:])


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("chunks", [(500, 1), (100, 3), (129, 2), (1, 3)])
def test_every_sharding_gives_the_same_bits(chunks):
    results = [f(dt.asarray(X), axis=0) for f in (dt.cumsum, dt.cumprod, dt.logcumsumexp)]
    cut = [
        f(dt.asarray(X).rechunk(chunks), axis=0) for f in (dt.cumsum, dt.cumprod, dt.logcumsumexp)
    ]
    with dt.config(block_bytes=2000, resources=dt.Resources(1, 4, "1 GiB")):
        values = dask.compute(*cut, scheduler="sync")
    for value, expected in zip(values, dask.compute(*results, scheduler="sync"), strict=True):
        assert same_bits(value, expected)


def test_half_precision_is_added_in_single():
    ones = np.ones(5000, "f2")
    assert dt.cumsum(ones).compute()[-1] == 5000
    assert np.cumsum(ones)[-1] == 2048


def test_what_cannot_be_scanned_is_refused():
    for function, dtype in (("multiply", "m8[s]"), ("add", "M8[s]"), ("add", "U1"), ("gcd", "f8")):
        with pytest.raises(DTypeError, match=function):
            scanned(np.zeros(3, dtype), 0, function)
    with pytest.raises(DTypeError, match="not associative"):
        scanned(function="subtract")
    with pytest.raises(AxisError):
        scanned(axis=2)


def test_the_text_names_function_and_axis():
    assert scanned().operator.text() == "add, axis=0"


def test_leaves_are_scanned_and_then_added_to():
    assert str(Graph([formed(scanned(X.T, 1), "leaves", SCAN_LEAF_CELLS)])).splitlines()[1:] == [
        "%1 = leafscan(%0, add, axis=1) : float64[3, 500]",
        "%2 = leafends(%1, axis=1) : float64[3, 3]",
        "%3 = scan(%2, add, axis=1) : float64[3, 3]",
        "%4 = afterleaf(%1, %3, add, axis=1) : float64[3, 500]",
        "return %4",
    ]


def test_or_cells_are_read_twice():
    assert str(Graph([formed(scanned(X.T, 1), "totals", SCAN_LEAF_CELLS)])).splitlines()[1:] == [
        "%1 = leaftotals(%0, add, axis=1) : float64[3, 4]",
        "%2 = scan(%1, add, axis=1) : float64[3, 4]",
        "%3 = scanafter(%0, %2, add, axis=1) : float64[3, 500]",
        "return %3",
    ]


def test_one_leaf_is_not_cut():
    assert form_names(scanned(X[:SCAN_LEAF_CELLS])) == form_names(scanned(X[:0])) == ()
    for name in ("leaves", "totals"):
        assert form_names(formed(scanned(), name, SCAN_LEAF_CELLS).inputs[1]) == ()


@pytest.mark.parametrize("name", ["leaves", "totals"])
@pytest.mark.parametrize("dtype", ["f2", "i1", "c16"])
def test_the_type_stays(name, dtype):
    whole = scanned(X.clip(-10, 10).astype(dtype))
    assert formed(whole, name, SCAN_LEAF_CELLS).type == whole.type

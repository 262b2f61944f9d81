import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.reductions.bincount import bincount
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, tree_over
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.operators.in_forms import form_names, formed
from tests.operators.monoid_names import monoids_of
from tests.rules.graphs import meaning

NUMBERS = dt.asarray(np.arange(300_000) % 7).node
WHOLES = {"reduce": reduce(NUMBERS, "sum"), "bincount": bincount(NUMBERS, 7)}


@pytest.mark.parametrize("name", WHOLES)
def test_what_is_whole_has_parts_and_parts_have_none(name):
    whole = WHOLES[name]
    assert isinstance(whole.operator, TreeReduction)
    assert whole.operator.is_whole
    assert whole.operator.tree.extents == (300_000,)
    first = whole.operator.part(None, 0)
    assert not first.is_whole
    assert first.infer(*whole.input_types).shape[0] == whole.operator.tree.counts(0)[0]
    last = whole.operator.part(0, None)
    assert last.infer(first.infer(*whole.input_types)) == whole.type


@pytest.mark.parametrize("name", WHOLES)
@pytest.mark.parametrize("levels", [(0,), (1,), (0, 2)])
def test_its_parts_have_its_value(name, levels):
    whole = WHOLES[name]
    cut = formed(whole, "nodes", *levels)
    assert cut is not whole
    ours, expected = dt.compute(dt.Array(cut), dt.Array(whole))
    np.testing.assert_array_equal(ours, expected)


RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(90, 70)) * 10.0 ** RANDOM.integers(-8, 8, (90, 70))


def reduction(name, axis=None):
    return reduce(dt.asarray(X).node, name, axis)


def test_nodes_are_computed_and_then_combined():
    assert str(Graph([formed(reduction("sum"), "nodes", 1, 3)])).splitlines()[1:] == [
        "%1 = reduce(%0, sum, axes=(0, 1), to level 1) : float64[3, 2]",
        "%2 = reduce(%1, sum, axes=(0, 1), from level 1, to level 3) : float64[2, 1]",
        "%3 = reduce(%2, sum, axes=(0, 1), from level 3) : float64[]",
        "return %3",
    ]


@pytest.mark.parametrize("name", monoids_of("f8"))
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_value_stays_to_the_bit(name, axis):
    whole = reduction(name, axis)
    (expected,) = meaning(Graph([whole]))
    levels = [size for form in whole.operator.forms(whole.input_types) for size in form.sizes]
    for first in levels:
        once = formed(whole, "nodes", first)
        twice = [formed(once, "nodes", level) for level in levels if level > first]
        for value in meaning(Graph([once, *twice])):
            assert same_bits(value, expected)


def test_levels_are_between_cells_and_the_value_and_differ_in_nodes():
    whole = reduction("sum")
    (form,) = whole.operator.forms(whole.input_types)
    counts = [whole.operator.tree.counts(level) for level in form.sizes]
    assert counts == [(1, 2), (2, 2), (2, 3), (3, 3)][: len(counts)] or counts[0] != counts[-1]
    assert form.sizes == tuple(sorted(form.sizes, reverse=True))
    huge = dt.placeholder((2**46,), "u1").sum().node
    (form,) = huge.operator.forms(huge.input_types)
    assert (form.sizes[-1], len(form.sizes)) == (0, 12)
    first, last = formed(huge, "nodes", 9).inputs[0], formed(huge, "nodes", 9)
    assert form_names(first) == (), "nodes are parallel"
    assert min(last.operator.forms(last.input_types)[0].sizes) > 9
    assert form_names(dt.zeros((0, 5)).sum().node) == form_names(dt.ones(3).sum().node) == ()


WHOLE_AXES = {  # what has no stored chunks along an axis, for a whole axis becomes another one
    "transform": lambda x: dt.fft.rfft(x, axis=2),
    "product": lambda x: x @ dt.ones((144, 100), dtype="f4"),
    "power": lambda x: abs(dt.fft.rfft(x - x.mean(axis=2, keepdims=True), axis=2)) ** 2,
}


@pytest.mark.parametrize("name", WHOLE_AXES)
def test_what_has_no_chunks_along_an_axis_counts_as_one_there(name):
    """Else nodes would be of many chunks, which few tasks would compute."""
    x = dt.placeholder((14610, 72, 144), "f4", stored_chunks=(240, 72, 144))
    lattices = [tree_over(y.node, (0,)).lattice for y in (x, WHOLE_AXES[name](x))]
    assert lattices[0] == lattices[1]


OF_ROWS = {
    "sort": lambda rows: dt.sort(rows, axis=1),
    "transform": lambda rows: dt.abs(dt.fft.fft(rows, axis=1)),
    "scan": lambda rows: dt.cumsum(rows, axis=1),
}


@settings(max_examples=6, deadline=None)
@given(
    st.integers(16, 100),
    st.sampled_from([1 << 20, 1 << 21, 1 << 22]),
    st.sampled_from(sorted(OF_ROWS)),
    st.sampled_from(["max", "sum", "std"]),
)
@example(64, 1 << 22, "transform", "max")
@example(60, 1 << 22, "transform", "sum")
@example(64, 1 << 22, "sort", "std")
def test_folds_of_what_is_made_of_whole_rows_read_the_store_once(length, cells, made, folded):
    chunk = length * (1 << (cells // length).bit_length() - 1)
    x = dt.placeholder((150 * chunk,), "f8", stored_chunks=(chunk,))
    y = getattr(OF_ROWS[made](x.reshape(-1, length)), folded)()
    cost = y.plan(resources=dt.Resources(2, 2, "500 MiB")).cost
    assert cost["bytes_written"] == 0
    assert cost["bytes_read"] <= 1.1 * x.nbytes

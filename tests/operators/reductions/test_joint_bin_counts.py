from dataclasses import replace

import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.reductions.bincount import bincount, count_by_bin
from dask_tapestry.operators.reductions.joint_bin_counts import JointBinCounts
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(6)
X = RANDOM.normal(size=(300, 500))
CODES = RANDOM.integers(0, 7, X.shape)
EDGES = np.linspace(-2, 2, 12)


def alone():
    """Counts of numbers, counts by bin, and sums of weights."""
    x, codes, edges = (dt.asarray(a).node for a in (X, CODES, EDGES))
    sums = bincount(codes, 7, x)
    counts = [bincount(codes, 7), count_by_bin(x, edges, even=True)]
    return [sums, *counts]


def joint():
    nodes = alone()
    inputs = list(dict.fromkeys(x for node in nodes for x in node.inputs))
    tree = nodes[0].operator.tree
    parts = tuple([replace(node.operator, tree=tree) for node in nodes])
    reads = tuple([tuple([inputs.index(x) for x in node.inputs]) for node in nodes])
    return apply(JointBinCounts(parts, reads), *inputs)


def fields():
    values = [dt.Array(node).compute() for node in alone()]
    return [np.concatenate([v, np.zeros(13 - len(v), v.dtype)]) for v in values]


def test_fields_are_the_counts_and_every_cut_has_one_value(shardings):
    whole = dt.Array(joint()).compute()
    apart = np.zeros_like(whole)
    for number, value in enumerate(fields()):
        apart[f"f{number}"] = value
    assert same_bits(apart, whole)
    np.testing.assert_array_equal(whole["f1"][:7], np.bincount(CODES.ravel()))
    np.testing.assert_array_equal(whole["f2"][1:-1], np.histogram(X, EDGES)[0])
    reference = joint().operator.reference(CODES, X, EDGES)
    np.testing.assert_array_equal(reference["f2"], whole["f2"])
    for chunks in ((3,), (5,), (13,)):
        with shardings.tiny(200_000):
            assert same_bits(dt.Array(joint()).rechunk(chunks).compute(), whole)


def test_parts_lead_to_the_same_value():
    node = joint()
    whole = dt.Array(node).compute()
    assert node.operator.tree.depth > 1
    for level in range(node.operator.tree.depth):
        tables = apply(node.operator.part(None, level), *node.inputs)
        merge = node.operator.part(level, None)
        assert isinstance(merge, JointReductions)
        assert same_bits(dt.Array(apply(merge, tables)).compute(), whole)


def test_each_count_is_told_of_the_bins_that_it_has():
    node = joint()
    operator, types = node.operator, node.input_types
    box = ZRange((5,), (13,))
    assert operator.count == 13
    told = operator.arguments(types, box, operator.demand(types, box))
    assert [part["bins"] for part in told["parts"]] == [range(5, 7), range(5, 7), range(5, 13)]
    assert told["reads"] == operator.reads
    whole, *_ = operator.demand(types, box)
    assert whole.shape == X.shape  # some bins are of all cells
    assert operator.restrict(types, None) is None
    assert operator.flops(types, box) == sum(
        part.flops(tuple([types[n] for n in own]), box)
        for part, own in zip(operator.parts, operator.reads, strict=True)
    )
    assert operator.scratch_bytes(types, box) == 8 * 8
    assert "7 bins" in operator.text()

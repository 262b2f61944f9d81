import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.group_fold import group_fold
from dask_tapestry.operators.reductions.joint_group_folds import JointGroupFolds, JointGroupMerge
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits
from tests.operators.reductions.test_group_fold import added

RANDOM = np.random.default_rng(6)
X = RANDOM.normal(size=(90, 6, 50))
ONES = np.ones((90, 50), bool)
CODES = RANDOM.integers(-1, 8, (90, 50))


def alone(tree=None):
    """A sum, a spread, and how many cells each group has."""
    x, codes, ones = (dt.asarray(a).node for a in (X, CODES, ONES))
    folds = [group_fold(x, codes, monoid, (0, 2), 7) for monoid in ("sum", "std")]
    return [*folds, group_fold(ones, codes, "sum", (0, 1), 7)]


def joint():
    nodes = alone()
    folds = [node.operator for node in nodes]
    tree = folds[0].tree
    parts = tuple([type(f)(**{**vars_of(f), "tree": tree}) for f in folds])
    return apply(JointGroupFolds(parts), *[n.inputs[0] for n in nodes], nodes[0].inputs[1])


def vars_of(operator):
    return {name: getattr(operator, name) for name in type(operator).__dataclass_fields__}


def test_fields_are_the_folds_and_every_cut_has_one_value(shardings):
    sums, spreads, counts = (dt.Array(node).compute() for node in alone())
    whole = dt.Array(joint()).compute()
    assert whole.dtype.names == ("f0", "f1", "f2")
    assert same_bits(whole["f0"], sums)
    assert same_bits(whole["f1"], spreads)
    assert same_bits(whole["f2"], np.broadcast_to(counts, sums.shape))
    for chunks in ((3, (2, 4, 1)), (6, 7), (1, 3)):
        with shardings.tiny(200_000):
            assert same_bits(dt.Array(joint()).rechunk(chunks).compute(), whole)


def test_parts_lead_to_the_same_value():
    node = joint()
    whole = dt.Array(node).compute()
    for level in range(node.operator.tree.depth):
        nodes = apply(node.operator.part(None, level), *node.inputs)
        merge = node.operator.part(level, None)
        assert isinstance(merge, JointGroupMerge)
        assert same_bits(dt.Array(apply(merge, nodes)).compute(), whole)
        further = merge.part(level, level + 1)
        if level + 1 < node.operator.tree.depth:
            value = apply(merge.part(level + 1, None), apply(further, nodes))
            assert same_bits(dt.Array(value).compute(), whole)


@pytest.mark.parametrize("level", [None, 0])
def test_what_is_read_of_those_that_keep_no_axis(level):
    node = joint()
    operator = node.operator.part(None, level)
    types = node.input_types
    box = operator.infer(*types).box
    box = ZRange((0, 2, 0, 1)[4 - box.ndim :] if level is None else (0, 2, 0, 1), box.hi)
    if level is None:
        box = ZRange((2, 1), box.hi)
    x, again, ones, codes = operator.demand(types, box)
    assert x == again
    assert (x.lo[1], x.hi[1]) == (2, 6)
    assert (ones.shape, codes.shape) == ((90, 50), (90, 50))
    assert operator.flops(types, box) > node.operator.parts[0].flops(types[::3], box)
    assert operator.scratch_bytes(types, box) > 0
    assert operator.arguments(types, box, (x, again, ones, codes))["parts"][2]["axes"] == (0, 1)


def test_cells_added_some_at_a_time_have_the_bits_of_all():
    x = np.where(RANDOM.random((90, 6, 50)) < 0.1, np.nan, X)
    codes = dt.asarray(CODES).node
    folds = [
        group_fold(dt.asarray(a).node, codes, monoid, (0, 2), 7, skipna=True)
        for a, monoid in ((x, "mean"), (x > 0, "sum"), (x, "mean"))
    ]
    parts = tuple([one.operator for one in folds])
    node = apply(JointGroupFolds(parts), *[one.inputs[0] for one in folds], codes)
    made, expected = added(node, (x, x > 0, x, CODES), RANDOM)
    assert same_bits(made, expected)


def test_spreads_and_smaller_tables_are_not_added_to():
    assert not joint().operator.part(None, 0).turns(joint().input_types).sizes

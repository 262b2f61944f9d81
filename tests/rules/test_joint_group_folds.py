import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.reductions.group_fold import GroupFold
from dask_tapestry.operators.reductions.joint_group_folds import JointGroupFolds
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples

RANDOM = np.random.default_rng(12)
X = RANDOM.normal(size=(4000, 8)) * 10.0 ** RANDOM.integers(-3, 3, (4000, 8))
GROUPS = np.arange(16)
FUNCS = ("sum", "mean", "std", "var", "min", "max", "count", "prod", "any", "nansum", "nanmean")


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "x"
    dt.to_zarr(dt.asarray(X), path, chunks=(500, 8))
    return dt.from_zarr(path)


def labels(x):
    """The nearest of sixteen points."""
    centres = dt.asarray(X[:16])
    return dt.argmin((centres**2).sum(axis=1) - 2 * (x @ centres.T), axis=1)


def by_group(cells, label, func):
    return dt.groupby_reduce(cells, label, func=func, expected_groups=GROUPS, axis=0)[0]


def passes(*arrays):
    """How many folds by group each pass computes."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    operators = [node.operator for node in graph.nodes]
    joint = [len(o.parts) for o in operators if isinstance(o, JointGroupFolds)]
    return sorted(joint + [1 for o in operators if isinstance(o, GroupFold)])


def test_sums_and_counts_share_a_pass_and_the_data_is_read_once(x):
    label = labels(x)
    sums, counts = by_group(x, label, "sum"), by_group(label, label, "count")
    assert passes(sums, counts) == [2]
    assert passes(by_group(x, label, "mean")) == [2]
    assert passes(by_group(x, label, "mean"), counts, by_group(x, label, "std")) == [3]
    plan = (sums / counts).plan(resources=dt.Resources(4, 1, "1 GiB"))
    assert plan.cost["bytes_read"] <= 1.1 * X.nbytes
    own = label.compute()
    means = [X[own == group].mean(0) for group in range(16)]
    np.testing.assert_allclose((sums / counts).compute().T, means, rtol=1e-9)


def test_what_shares_nothing_or_needs_another_is_apart(x):
    label = labels(x)
    known = np.arange(4000) * 7 % 16
    y = dt.asarray(X)
    assert passes(by_group(x, known, "sum"), by_group(y, known, "sum")) == [1, 1]
    assert passes(by_group(x, known, "sum"), by_group(x * 2, known, "std")) == [2]
    assert passes(by_group(x, label, "sum"), by_group(x, label + 1, "sum")) == [1, 1]
    spread = by_group(x - by_group(x, label, "max").sum(), label, "min")
    assert passes(spread, by_group(x, label, "max")) == [1, 2]  # the greatest, and the sizes
    y, label = dt.placeholder((100_000, 8), "f8", (5000, 8)), dt.placeholder((100_000,), "i8")
    weights = dt.placeholder((100_000,), "f8")  # rounded, in an order of their own
    assert passes(by_group(y, label, "sum"), by_group(weights, label, "sum")) == [1, 1]
    assert passes(by_group(y, label, "sum"), by_group(weights > 0, label, "sum")) == [2]
    label = labels(x)
    other = dt.groupby_reduce(x, label, func="sum", expected_groups=np.arange(9), axis=0)[0]
    assert passes(by_group(x, label, "sum"), other) == [1, 1]


def test_a_table_that_would_be_repeated_many_times_is_folded_apart():
    wide = dt.placeholder((64, 5000), "f4", (8, 5000))
    label = dt.placeholder((64,), "i8")
    assert passes(by_group(wide, label, "mean")) == [1, 1]


@examples(12)
@given(
    st.lists(st.sampled_from(FUNCS), min_size=2, max_size=5),
    st.booleans(),
    st.sampled_from([30_000, 100_000]),
)
def test_no_bit_depends_on_what_shares_the_pass(x, shardings, funcs, stored, block_bytes):
    cells = x if stored else dt.asarray(X)
    label = labels(cells)
    made = [by_group(cells, label, func) for func in funcs]
    made.append(by_group(label, label, "count"))
    together = dt.compute(*made)
    for own, value in zip(made, together, strict=True):
        with shardings.tiny(block_bytes, workers=2):
            assert same_bits(own.compute(), value)

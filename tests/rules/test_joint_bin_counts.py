import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.reductions.bincount import BinCount
from dask_tapestry.operators.reductions.joint_bin_counts import JointBinCounts
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples

RANDOM = np.random.default_rng(12)
X = RANDOM.normal(size=(40_000, 6))
MACHINES = dt.Resources(64, 4, "16 GiB")


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "x"
    dt.to_zarr(dt.asarray(X), path, chunks=(5000, 6))
    return dt.from_zarr(path)


def passes(*arrays):
    """How many counts each pass computes."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    operators = [node.operator for node in graph.nodes]
    joint = [len(o.parts) for o in operators if isinstance(o, JointBinCounts)]
    return sorted(joint + [1 for o in operators if isinstance(o, BinCount)])


def counts(cells, **how):
    return dt.histogram(cells, **{"bins": 10, "range": (-2, 2)} | how)[0]


def columns():
    return [dt.placeholder((3 * 10**9,), "f4", (2**22,)) for _ in range(4)]


def of_four_formulas(px, py, pz, energy):
    across = dt.sqrt(px**2 + py**2)
    formulas = [across, dt.arctan2(py, px), pz / dt.sqrt(across**2 + pz**2), energy * across]
    return [counts(formula, bins=50 + n) for n, formula in enumerate(formulas)]


def test_what_is_counted_of_the_same_columns_is_read_once():
    given = columns()
    made = of_four_formulas(*given)
    assert passes(*made) == [4]
    plan = dt.plan(*made, resources=MACHINES)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.05 * sum(one.nbytes for one in given)


def test_columns_of_one_table_are_read_once():
    table = dt.placeholder((10**9, 12), "f4", (2**20, 12))
    made = of_four_formulas(*[table[:, n] for n in range(4)])
    assert passes(*made, counts(table[:, 7])) == [5]
    plan = dt.plan(*made, resources=MACHINES)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.05 * table.nbytes
    assert plan.cost["bytes_moved"] < 1e9


def test_sums_and_counts_share_a_pass(x):
    a, b = x[:, 0], x[:, 1]
    label = (abs(a) * 3).astype("i8")
    sums, many = dt.bincount(label, weights=b, minlength=40), dt.bincount(label, minlength=40)
    assert passes(sums, many) == [2]
    assert passes(counts(a), counts(b), counts(a, weights=b)) == [3]


def test_what_shares_nothing_or_needs_another_is_apart(x):
    one, other, *_ = columns()
    assert passes(counts(one), counts(other)) == [1, 1]
    known = dt.asarray(X)
    assert passes(counts(known[:, 0]), counts(known[:, 1])) == [1, 1]
    assert passes(counts(x[:20_000, 0]), counts(x[20_000:, 0])) == [1, 1]
    assert passes(counts(x[:20_000, 0]), counts(x[:, 0])) == [1, 1]
    first = counts(x[:, 0])
    assert passes(first, counts(x[:, 0] - first.sum())) == [1, 1]
    assert passes(counts(one), counts(one + 1, bins=10**6)) == [1, 1]  # a far longer table


@examples(12)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 30), st.booleans()), min_size=2, max_size=5
    ),
    st.booleans(),
    st.sampled_from([30_000, 100_000]),
)
def test_no_bit_depends_on_what_shares_the_pass(x, shardings, drawn, stored, block_bytes):
    cells = x if stored else dt.asarray(X) * 1
    made = [
        counts(cells[:, n] * cells[:, 0], bins=bins, weights=cells[:, 1] if weighted else None)
        for n, bins, weighted in drawn
    ]
    together = dt.compute(*made)
    for own, value, (n, bins, weighted) in zip(made, together, drawn, strict=True):
        with shardings.tiny(block_bytes, workers=2):
            assert same_bits(own.compute(), value)
        if not weighted:
            wanted = np.histogram(X[:, n] * X[:, 0], bins, (-2, 2))[0]
            np.testing.assert_array_equal(value, wanted)

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.rules.tuning import MOST_REDUCTIONS_OF_A_PASS
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(2, 90, 70))


def passes(*arrays):
    """How many reductions each pass over cells folds."""
    graph = join_reductions(Graph([a.node for a in arrays]))
    together = [n.operator.parts for n in graph.nodes if isinstance(n.operator, JointReductions)]
    alone = [1 for n in graph.nodes if n.operator.name == "reduce"]
    return sorted([len(parts) for parts in together] + alone)


def test_joint_reduction():
    x = dt.asarray(X)
    graph = join_reductions(Graph([x.mean(axis=0).node, x.var(axis=0).node]))
    assert str(graph).splitlines()[1:] == [
        "%1 = jointreductions(%0) : void128[70]  "
        "# mean of float64(%0), axes=(0,); var of float64(%0), axes=(0,)",
        "%2 = field(%1, f0) : float64[70]",
        "%3 = field(%1, f1) : float64[70]",
        "return %2, %3",
    ]


def test_what_shares_cells_is_joined():
    x, y = dt.asarray(X), dt.asarray(Y)
    assert passes((x**2).mean(0), (y**2).mean(0), (x * y).mean(0)) == [3]
    assert passes(x.sum(), y.sum()) == [1, 1]
    assert passes(x.sum(0), x.sum(1)) == [1, 1]
    assert passes(x.sum(), x[:50].sum()) == [1, 1]
    assert passes(*[(x + i).sum() for i in range(MOST_REDUCTIONS_OF_A_PASS + 2)]) == [
        2,
        MOST_REDUCTIONS_OF_A_PASS,
    ]


def test_what_lies_between_other_cells_is_joined_with_these():
    x = dt.asarray(RANDOM.normal(size=(5000, 7)))
    assert passes(x[::2].mean(0), x[1::2].mean(0)) == [2]
    assert passes(*[x[k::5].max(0) for k in range(5)], x.mean(0)) == [1, 5]
    assert passes(x[:2500].sum(0), x[2500:].sum(0)) == [1, 1]  # cells that lie apart
    halves = [x[0::2], x[1::2]]
    for value, alone in zip(dt.compute(*[h.std(0) for h in halves]), halves, strict=True):
        assert same_bits(value, alone.std(0).compute())


@pytest.mark.parametrize("count", [4, 16, 64])
@pytest.mark.parametrize("axis", [None, 0])
def test_a_store_is_read_once_for_all_that_is_folded_of_it(count, axis):
    x = dt.placeholder((40_000, 1000), "f8", (2000, 1000))
    powers = [x]
    for _ in range(count - 1):
        powers.append(powers[-1] * x)
    folds = [power.sum(axis) for power in powers]
    assert passes(*folds) == [count]
    plan = dt.plan(*folds, resources=dt.Resources(2, 2, "500 MiB"))
    assert plan.cost["bytes_read"] == x.nbytes


def test_what_needs_another_is_not():
    x = dt.asarray(X)
    centred = x - x.mean()
    assert passes((centred**2).sum(), x.mean()) == [1, 1]
    assert passes((centred**2).sum(), x.max(), centred.min()) == [2, 2]


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_values_stay(axis):
    x, y = dt.asarray(X).rechunk((30, 40)), dt.asarray(Y)
    arrays = [x.sum(axis), (x * y).mean(axis), y.std(axis), x.argmax(axis), (x > 0).any(axis)]
    for together, alone in zip(dt.compute(*arrays), arrays, strict=True):
        assert same_bits(together, alone.compute())


def test_a_joint_plan_verifies():
    x = dt.asarray(X)
    dt.plan((x - x.mean(0)) / x.std(0)).verify()


LAGS = range(4)
SHIFTED = {  # reductions of cells that are mostly the same, in trees of as many nodes
    "lag products": lambda x: [(x[k:] * x[: len(x) - k]).mean(0) for k in LAGS],
    "neighbours": lambda x: [x.mean(0), abs(x[1:] - x[:-1]).max(0), (x[2:] - x[:-2]).std(0)],
    "all but an end": lambda x: [x[1:].mean(0), x[:-1].mean(0), x[1:-1].std(0), x[2:].max(0)],
    "both axes": lambda x: [x.sum(), (x[1:] * x[:-1]).sum(), (x[:, 2:] + x[:, :-2]).var()],
    "an axis is kept": lambda x: [x[:, 3:].sum(0), (x[1:, 3:] - x[:-1, :-3]).sum(0)],
}


def rounds(x, count):
    """Details of several scales, each of a smoother field that the one before was."""
    details = []
    for number in range(count):
        smooth = (dt.roll(x, 2**number, 0) + 2 * x + dt.roll(x, -(2**number), 0)) / 4
        details.append(x - smooth)
        x = smooth
    return details


SHIFTED["rolled"] = lambda x: [(one * one).mean(0) for one in rounds(x, 4)]
SHIFTED["rolled and not"] = lambda x: [x.sum(0), *[abs(one).max(0) for one in rounds(x, 2)]]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.parametrize("chunks", [None, (7, 70), (32, 20), (13, 11)])
def test_what_is_shifted_is_folded_in_the_same_pass(name, chunks, tmp_path):
    x = dt.asarray(X)
    if chunks:
        dt.to_zarr(x, str(tmp_path / "x"), chunks=chunks)
        x = dt.from_zarr(str(tmp_path / "x"))
    arrays = SHIFTED[name](x)
    together = [n for n in passes(*arrays) if n > 1]
    assert name in ("both axes", "an axis is kept", "rolled and not") or together == [len(arrays)]
    alone = [a.compute() for a in arrays]
    for resources in ((1, 1), (4, 2)):
        machine = dt.Resources(*resources, "1 GiB")
        plan = dt.plan(*arrays, resources=machine)
        plan.verify()
        for found, wanted in zip(plan.compute(), alone, strict=True):
            assert same_bits(found, wanted)


def test_what_only_begins_elsewhere_is_not():
    x = dt.placeholder((10_000, 70), "f8", (100, 70))
    far = [x[:5000].sum(0), x[4990:9989].sum(0)]
    assert passes(*far) == [1, 1]
    assert passes(x[1:].sum(0), x[: len(x) - 2].sum(0)) == [2]


def test_windows_that_begin_elsewhere_in_chunks_have_the_bits_of_each_alone(
    tmp_path, small_lattices
):
    cells = np.random.default_rng(4).normal(size=(240, 6, 10)).astype("f4")
    dt.to_zarr(dt.asarray(cells), tmp_path / "x", chunks=(12, 3, 10))
    x = dt.from_zarr(tmp_path / "x")
    folds = [(x[n : n + 30] * 2 + 1).mean(0) for n in range(8)]
    for one, value in zip(folds, dt.compute(*folds), strict=True):
        assert same_bits(one.compute(), value)


def test_one_input_is_folded_in_several_trees():
    """Chunks of what is rolled end elsewhere in each scale, all of them made of one store."""
    x = dt.placeholder((2**24,), "f8", (2**16,))
    folds = [(one * one).mean() for one in rounds(x, 4)]
    trees = {fold.node.operator.tree for fold in folds}
    assert len(trees) == 4
    plan = dt.plan(*folds, resources=dt.Resources(2, 2, "500 MiB"))
    assert plan.cost["bytes_read"] < 1.2 * x.nbytes

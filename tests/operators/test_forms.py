"""Every form and size of every operator yields its value."""

import gc
import inspect
from dataclasses import replace
from functools import partial
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays import public_names  # noqa: F401  (all operators are imported)
from dask_tapestry.cells import CellBuilder, selected_by
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.operators.forms import a_dozen, stand_in
from dask_tapestry.operators.indexing.gather import Gather
from dask_tapestry.operators.indexing.scatter import Scatter
from dask_tapestry.operators.indexing.take import Take, take
from dask_tapestry.operators.matrices.matrix_operator import MatrixFunction
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.bincount import BinCount, bincount
from dask_tapestry.operators.reductions.cells_at_extreme import CellsAtExtreme
from dask_tapestry.operators.reductions.group_fold import GroupFold, GroupMerge, group_fold
from dask_tapestry.operators.reductions.joint_bin_counts import JointBinCounts
from dask_tapestry.operators.reductions.joint_group_folds import JointGroupFolds, JointGroupMerge
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce, reduce
from dask_tapestry.operators.reductions.selected_folds import SelectedFolds
from dask_tapestry.operators.scans.scan import Scan, scan
from dask_tapestry.operators.sorting.among import Among
from dask_tapestry.operators.sorting.order_statistics import OrderStatistics, ranks
from dask_tapestry.operators.sorting.partition import Partition
from dask_tapestry.operators.sorting.search import Interp, IsIn, SearchSorted, is_in, searchsorted
from dask_tapestry.operators.sorting.sort import ArgSort, Sort, argsort, sort
from dask_tapestry.operators.sorting.weighed_sort import WeighedSort, weighed_sort
from dask_tapestry.operators.tuning import MOST_FORM_SIZES
from dask_tapestry.operators.user.user_monoid import Fold, Monoid, fold
from dask_tapestry.operators.user.user_operator import UserOperator
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.windows.convolution import Convolution, DirectConvolution
from dask_tapestry.teg import Graph, Operator, apply, sequence_point
from tests.comparisons import same_bits
from tests.examples import examples

from .in_forms import formed, forms_of

TIMES = 30  # cells of a lane that is sorted: short ones have no forms
KINDS = ("f8", "f4", "i8", "i1", "c16")
FOLD_NOTHING = ("Finalize", "UserOutputs")  # though they are operators of users, which may fold
# Parts of products and folds, which no graph has
IN_TURNS = ("AddedGroupFolds", "AddedGroups", "AddedProduct")
IN_BUCKETS = ("SetCells",)  # which are no arrays to compare


def cells(shape, kind, seed):
    random = np.random.default_rng(seed)
    x = random.integers(-9, 9, shape) * 10.0 ** random.integers(-2, 3, shape)
    with np.errstate(invalid="ignore"):
        return x.astype(kind)


def held(shape, kind, seed):
    return dt.asarray(cells(shape, kind, seed)).node


def lanes(n, m, kind, seed):
    return held((n, m), "f8" if kind == "c16" else kind, seed)


def long_lanes(n, m, kind, seed):
    return lanes(TIMES * n, m, kind, seed)


def products(n, m, kind, seed):
    return apply(MatMul(np.dtype("f8")), held((m, n), "f8", seed), held((n, 3), "f8", seed + 1))


def convolved(operator, dtype):
    """A convolution of n channels, with m outputs."""

    def made(n, m, kind, seed):
        x, k = held((2, 1, n, 7), dtype, seed), held((1, m, n, 2), dtype, seed + 1)
        return apply(operator((1,), (3,), np.dtype(dtype)), x, k)

    return made


def rows_times(n, m, kind, seed):
    times = dt.block_operator(
        index={"m": "parallel", "n": "parallel", "k": dt.reduce_over("sum")},
        inputs={"x": "m k", "w": "k n"},
        outputs={"z": "m n"},
    )(np.matmul)
    return times(cells((m, n), "i8", seed), cells((n, 2), "i8", seed)).node


def joint(n, m, kind, seed):
    x = lanes(9 * n, m, kind, seed)
    parts = [reduce(x, name, 0).operator for name in ("sum", "min" if n else "prod")]
    return apply(JointReductions(tuple(parts)), x)


def selected(n, m, kind, seed):
    """Sums of every third cell, of nodes of 16 cells."""
    x = lanes(9 * (n or 1), m, kind, seed)
    whole, days = reduce(x, "sum", 0).operator, np.arange(9 * (n or 1)) % 3
    tree = replace(whole.tree, lattice=Lattice((16,), (0,)))
    chosen = tuple([selected_by(days == day, 0) for day in range(3)])
    return apply(SelectedFolds(replace(whole, tree=tree), chosen), x)


def carried(n, m, kind, seed):
    """What lies at the first greatest cell, in a formula of two inputs."""
    score, band = lanes(9 * (n or 1), m, kind, seed), held((9 * (n or 1), m), kind, seed + 1)
    builder = CellBuilder([score.type.dtype, band.type.dtype])
    double = builder.finish(builder.call("add", (1, 1), band.type.dtype))
    fold = reduce(score, "argmax", 0).operator
    return apply(CellsAtExtreme(fold, (double.dtype,), (double,)), score, band)


def folded(n, m, kind, seed):
    return fold(held((n, m), "f8", seed), Monoid(0.0, np.add), 0)


def picked(n, m, kind, seed):
    chosen = {0, n // 2, n - 1} if n else ()
    return ranks(long_lanes(n, m, kind, seed), tuple(chosen), 0)


def searched(n, m, kind, seed):
    return searchsorted(held((m, 7), kind, seed), sort(held((n,), kind, seed + 1), 0), "right")


def sought(n, m, kind, seed):
    return is_in(held((m, 7), kind, seed), sort(held((n,), kind, seed + 1), 0), invert=n % 2 == 0)


def between(n, m, kind, seed):
    values = held((n,), kind if np.dtype(kind).kind == "f" else "f8", seed + 2)
    points = sort(held((n,), "f8", seed + 1), 0)
    return apply(Interp(), held((m, 7), "f8", seed), points, values)


def among(n, m, kind, seed):
    cells, table = held((m, 7 * TIMES), kind, seed), held((n * TIMES,), kind, seed + 1)
    return apply(Among("left"), cells, table)


def partitioned(n, m, kind, seed):
    """At the ends and in the middle; the places of cells, of every second one."""
    x = long_lanes(n, m, kind if np.dtype(kind).kind in "iuf" else "f4", seed)
    length = x.type.shape[0]
    kth = tuple(sorted({0, length // 3, length - 1}))
    return apply(Partition(0, kth, bool(seed % 2)), x)


def weighed(n, m, kind, seed):
    x = permute(long_lanes(n, m, kind, seed), (1, 0))
    return weighed_sort(x, held(x.type.shape, "f8", seed))


def counted(n, m, kind, seed):
    return bincount(dt.asarray(abs(cells((n * 400,), "i8", seed)) % 5).node, 5)


def grouped(n, m, kind, seed):
    codes = dt.asarray(abs(cells((n * 400,), "i8", seed)) % 5).node
    return group_fold(held((n * 400, m), "f8", seed), codes, "mean", (0,), 5)


def grouped_together(n, m, kind, seed):
    one, codes = grouped(n, m, kind, seed).inputs
    other = group_fold(held((n * 400, m), "i8", seed + 1), codes, "max", (0,), 5)
    folds = [group_fold(one, codes, "mean", (0,), 5), other]
    folds.append(group_fold(dt.ones(n * 400, "?").node, codes, "sum", (0,), 5))
    tree = folds[0].operator.tree  # the nodes of all lie in the same places
    operator = JointGroupFolds(tuple([replace(fold.operator, tree=tree) for fold in folds]))
    return apply(operator, *[fold.inputs[0] for fold in folds], codes)


def counted_together(n, m, kind, seed):
    one = counted(n, m, kind, seed)
    parts = one.operator, replace(one.operator, count=3)
    return apply(JointBinCounts(parts, ((0,), (0,))), *one.inputs)


def merged(n, m, kind, seed, made=grouped):
    node = made(n, m, kind, seed)
    parts = node.operator.part(None, 0)
    return apply(node.operator.part(0, None), apply(parts, *node.inputs))


WIDE = 2000  # cells of a row: a table of 300 rows is worth sending apart


def wide_table(n, seed):
    return dt.broadcast_to(dt.Array(held((n or 1, 1), "f8", seed)), (n or 1, WIDE))


def looked_up(n, m, kind, seed):
    places = dt.Array(held((m if n else 0, 1), "i8", seed))
    return dt.patterns.gather(wide_table(n, seed), places, [0], [1]).node


def taken(n, m, kind, seed):
    places = dt.Array(held((m if n else 0,), "i8", seed)) % (n or 1)
    return take(wide_table(n, seed).node, places.node, 0)


def updated(n, m, kind, seed):
    count = 9 * m if n else 0
    updates = dt.broadcast_to(dt.Array(held((count, 1, 1), "f8", seed)), (count, 1, WIDE))
    places = dt.Array(held((count, 1), "i8", seed))
    return dt.patterns.scatter(wide_table(n, seed), updates, places, [0], "kAdd").node


MADE = {  # of n cells that are folded or ordered, m times
    Reduce: lambda n, m, kind, seed: reduce(held((n * 9, m), kind, seed), "sum", 0),
    JointReductions: joint,
    SelectedFolds: selected,
    CellsAtExtreme: carried,
    BinCount: counted,
    JointBinCounts: counted_together,
    GroupFold: grouped,
    GroupMerge: merged,
    JointGroupFolds: grouped_together,
    JointGroupMerge: partial(merged, made=grouped_together),
    Scan: lambda n, m, kind, seed: scan(held((n * 5, m), kind, seed), "add", 0),
    Sort: lambda n, m, kind, seed: apply(Sort(0), long_lanes(n, m, kind, seed)),
    ArgSort: lambda n, m, kind, seed: argsort(long_lanes(n, m, kind, seed), 0),
    OrderStatistics: picked,
    Partition: partitioned,
    WeighedSort: weighed,
    SearchSorted: searched,
    IsIn: sought,
    Among: among,
    Interp: between,
    MatMul: products,
    Convolution: convolved(Convolution, "f8"),
    DirectConvolution: convolved(DirectConvolution, "i8"),
    UserOperator: rows_times,
    Fold: folded,
    Gather: looked_up,
    Take: taken,
    Scatter: updated,
}
ROUNDED = (MatMul, Convolution, UserOperator)  # BLAS adds in an order of its own


def declaring(base=Operator):
    """The operators that declare forms, themselves or by a class above them."""
    for one in base.__subclasses__():
        yield from declaring(one)
        ours = one.__module__.startswith("dask_tapestry.") and not inspect.isabstract(one)
        if ours and one.forms is not Operator.forms:
            yield one


def test_every_operator_that_declares_forms_is_tried():
    untried = (*FOLD_NOTHING, *IN_TURNS, *IN_BUCKETS)
    tried = {one for one in declaring() if not issubclass(one, MatrixFunction)}  # from 2**22 cells
    assert {one for one in tried if one.__name__ not in untried} == set(MADE)


@pytest.mark.parametrize("operator", MADE, ids=lambda one: one.name)
@pytest.mark.parametrize("n", [300, 4000])
def test_sizes_are_few_and_from_coarse_to_fine(operator, n):
    node = MADE[operator](n, 2, "f8", 0)
    assert isinstance(node.operator, operator)
    forms = forms_of(node)
    assert forms
    for form in forms.values():
        assert 0 < len(form.sizes) <= MOST_FORM_SIZES
        assert len(set(form.sizes)) == len(form.sizes)
        assert list(form.sizes) in (sorted(form.sizes), sorted(form.sizes)[::-1])


@pytest.mark.parametrize("operator", MADE, ids=lambda one: one.name)
@examples(12)
@given(
    n=st.sampled_from([0, 1, 2, 3, 31, 129, 257, 800]),
    m=st.sampled_from([0, 1, 2, 5]),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 99),
)
def test_every_form_of_every_size_is_the_value(operator, n, m, kind, seed):
    if operator in (Fold, Sort, ArgSort, OrderStatistics, Partition, WeighedSort) and not n:
        n = 1  # nothing to order
    node = MADE[operator](n, m, kind, seed)
    made = [formed(node, name, size) for name, f in forms_of(node).items() for size in f.sizes]
    if not made:
        return
    assert all(one.type == node.type for one in made)
    with np.errstate(all="ignore"):
        expected, *values = dt.plan(*map(dt.Array, (node, *made)), method="none").compute()
    for value in values:
        if operator in ROUNDED:
            np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-9)
        else:
            assert same_bits(value, expected)


def test_a_form_has_the_names_the_line_and_the_order_of_what_it_stands_for():
    x = dt.asarray(np.ones((500, 3))).rename("row", "column")
    first = sequence_point(sort(dt.asarray(np.arange(3.0)).node, 0))
    for operator in (Sort(0), scan(x.node, "add", 0).operator, reduce(x.node, "sum", 0).operator):
        node = apply(operator, x.node, after=[first], line="there.py:7")
        for name, form in forms_of(node).items():
            value = formed(node, name, form.sizes[0])
            new = [n for n in Graph([value]).nodes if n not in Graph([node]).nodes]
            assert value.type == node.type
            assert {n.line for n in new} == {"there.py:7"}
            assert any(n.after == (first,) for n in new)
            reads = [n for n in new if x.node in n.inputs and not n.operator.is_selector]
            assert all(n.after == (first,) for n in reads)


def test_a_selection_of_the_input_does_not_wait():
    x, first = dt.asarray(np.ones((4, 3))).node, sequence_point(dt.ones(3).node)
    node = apply(Sort(0), x, after=[first], line="")

    @stand_in
    def turned(node, size):
        return permute(apply(Sort(1), permute(node.inputs[0], (1, 0))), (1, 0))

    made = turned(node, 1)
    assert [n.after for n in Graph([made]).nodes if n.operator.name == "permute"] == [(), ()]
    assert [n.after for n in Graph([made]).nodes if n.operator.name == "sort"] == [(first,)]


def test_a_form_is_made_once_as_long_as_there_is_its_node():
    node, made = apply(Sort(0), dt.asarray(np.ones((4, 3))).node), []

    @stand_in
    def noted(node, size):
        made.append(ref(node))
        return apply(Sort(1), *node.inputs, line="")

    assert noted(node, 1) is noted(node, 1)
    noted(node, 2)
    assert len(made) == 2
    del node
    gc.collect()
    assert [one() for one in made] == [None, None]


def test_very_many_sizes_are_thinned():
    assert a_dozen(()) == ()
    assert a_dozen(range(12)) == tuple(range(12))
    for count in range(13, 100):
        some = a_dozen(range(count))
        assert 6 < len(some) <= MOST_FORM_SIZES
        assert some[-1] == count - 1


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("operator", MADE, ids=lambda one: one.name)
@pytest.mark.parametrize("block_bytes", [200, 3000])
def test_forms_in_small_blocks_are_the_value(operator, block_bytes, shardings):
    """Readers of the parts, nodes and columns take pieces of several blocks."""
    node = MADE[operator](400, 3, "f4", 7)
    with shardings.tiny(10**9):
        expected = dt.plan(dt.Array(node), method="none").compute()
    for name, form in forms_of(node).items():
        for size in {form.sizes[0], form.sizes[len(form.sizes) // 2]}:
            with shardings.tiny(block_bytes, workers=1, threads=4):
                value = dt.Array(formed(node, name, size)).compute()
            if operator in ROUNDED:
                np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-9)
            else:
                assert same_bits(value, expected)

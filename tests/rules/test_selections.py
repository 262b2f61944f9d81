import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.cells import lattice
from dask_tapestry.operators.reductions.group_fold import GroupFold
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples

DAYS, CHUNK = 240, 12
RANDOM = np.random.default_rng(17)
CELLS = RANDOM.normal(size=(DAYS, 3, 10)) * 10.0 ** RANDOM.integers(-4, 4, (DAYS, 3, 10))
CELLS[RANDOM.random(CELLS.shape) < 0.01] = np.nan
MONTH = np.arange(DAYS) // 5 % 4
NAMES = (
    "mean std var sum prod max min argmax argmin any all ptp "
    "nanmean nanstd nansum nanmax nanargmin".split()
)
DTYPES = ("f8", "f4", "i2", "u8", "?", "c16", "M8[s]")


def cells_of(dtype):
    if dtype in ("f8", "f4", "c16"):
        return CELLS.astype(dtype)
    return (np.nan_to_num(CELLS) % 7).astype("i8").astype(dtype)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Arrays in chunks of some days, by dtype."""
    arrays = {}
    for dtype in DTYPES:
        path = tmp_path_factory.mktemp("stored") / "x"
        dt.to_zarr(dt.asarray(cells_of(dtype)), path, chunks=(CHUNK, 3, 10))
        arrays[dtype] = dt.from_zarr(path)
    return arrays


@pytest.fixture
def x(stored, small_lattices):
    return stored["f8"]


@pytest.fixture(scope="module", autouse=True)
def _cells_of_a_chunk():
    """Chunks are cells of a lattice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "FEW_LATTICE_CELLS", 60)
        patch.setattr(lattice, "FOLDED_CELLS", 4)
        yield


def folds(*arrays):
    """The reductions of the graph that is planned, those of a pass together."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    operators = [node.operator for node in graph.nodes]
    passes = [o.parts for o in operators if isinstance(o, JointReductions)]
    return passes + [(o,) for o in operators if isinstance(o, Reduce)]


def selects(reduction):
    return reduction.tree.selected is not None


def numpys(name, x, axis):
    """NumPy's value; None where it has none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(getattr(np, name)(x, axis=axis))
        except (TypeError, ValueError):
            return None


@pytest.mark.few(18)  # each dtype and function
@pytest.mark.covering
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("axis", [0, (0, 1), (0, 2), None])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_numpys_and_no_bit_depends_on_what_shares_the_pass(
    dtype, name, axis, stored, shardings
):
    cells, x = cells_of(dtype), stored[dtype]
    masks = [MONTH == 1, MONTH < 2]
    expected = [numpys(name, cells[mask], axis) for mask in masks]
    if expected[0] is None:
        pytest.skip("NumPy has no such reduction")
    try:
        made = [getattr(dt, name)(x[mask], axis=axis) for mask in masks]
    except dt.TapestryError:
        pytest.skip("no such reduction")
    together = dt.compute(*made)
    for own, value, wanted in zip(made, together, expected, strict=True):
        assert np.asarray(value).dtype == wanted.dtype
        if wanted.dtype.kind in "fc":
            scale = np.nanmax(np.abs(np.nan_to_num(wanted, posinf=0, neginf=0)), initial=1e-300)
            rounding = 1e-4 if dtype == "f4" else 1e-9
            np.testing.assert_allclose(value, wanted, rtol=rounding, atol=rounding * scale)
        else:
            np.testing.assert_array_equal(value, wanted)
        with shardings.tiny(20_000):
            assert same_bits(own.compute(), value)


def test_selections_of_one_array_share_a_pass(x):
    months = [x[month == MONTH] for month in range(4)]
    (together,) = folds(*[m.mean(0) for m in months])
    assert len(together) == 4
    assert all(map(selects, together))
    (together,) = folds(months[0].mean(0), months[1].std(0), months[0].argmax(0), x.max(0))
    assert [selects(fold) for fold in together] == [True, True, True, False]
    (together,) = folds(x[MONTH < 2].mean(0), x[MONTH > 0].mean(0))  # these overlap
    assert len(together) == 2


def test_each_chunk_is_read_once(x):
    means = dt.stack([x[month == MONTH].mean(0) for month in range(4)])
    plan = means.plan(resources=dt.Resources(4, 1, "1 GiB"))
    assert plan.cost["bytes_read"] - CELLS.nbytes <= 4 * DAYS  # beside the masks


def test_blocks_read_from_the_first_selected_cell_to_the_last(x):
    weeks = np.arange(DAYS) % 60 < 9  # in one chunk of five
    ((mean, spread),) = folds(x[weeks].mean(0), x[weeks].std(0))
    assert selects(mean)
    for operator in (mean.part(None, 0), JointReductions((mean, spread)).part(None, 0)):
        types = (x.node.type,)
        whole = operator.infer(*types).box
        reads = [
            operator.demand(types, whole.replace(0, n, n + 1))[0].size for n in range(whole.hi[0])
        ]
        assert reads == [270 if n % 5 == 0 else 0 for n in range(DAYS // CHUNK)]
        assert operator.regularity(types)[0] is None
    both = JointReductions((mean, replace(mean, tree=mean.tree.of_all))).part(None, 0)
    assert both.demand(types, whole)[0] == x.node.type.box
    np.testing.assert_allclose(x[weeks].mean(0).compute(), CELLS[weeks].mean(0), rtol=1e-9)


@pytest.mark.parametrize(
    "mask",
    [
        np.arange(DAYS) < 50,  # side by side
        np.isin(np.arange(DAYS), [3, 200]),  # in few chunks
        (np.arange(DAYS) < 60) & (MONTH == 1),  # in a part
        np.zeros(DAYS, bool),
    ],
)
def test_what_chunks_have_together_is_selected_before(mask, x):
    assert not any(selects(fold) for fold in folds(x[mask].sum(0))[0])
    assert same_bits(x[mask].sum(0).compute(), CELLS[mask].sum(0)) or mask.any()


def test_other_axes_and_arrays_in_memory_are_selected_before(x):
    lanes = np.array([True, False] * 5)
    assert not selects(folds(x[:, :, lanes].sum(0))[0][0])
    assert not selects(folds(x[MONTH == 1].sum(1))[0][0])
    assert not selects(folds(dt.asarray(CELLS)[MONTH == 1].sum(0))[0][0])
    assert not selects(folds(x[dt.asarray(MONTH) == 1].sum(0))[0][0])  # a mask that is computed


def test_a_part_of_a_fold_reads_that_part(x):
    wanted = x[MONTH == 2].mean(0).compute()
    part = x[MONTH == 2].mean(0)[1:, ::3]
    assert same_bits(part.compute(), wanted[1:, ::3])
    assert part.plan().cost["bytes_read"] <= CELLS.nbytes + 2 * DAYS


def test_an_error_of_a_selected_cell_is_told_and_no_other(tmp_path, small_lattices):
    cells = np.ones((DAYS, 10))
    cells[MONTH == 1] = 1e308
    dt.to_zarr(dt.asarray(cells), tmp_path / "x", chunks=(CHUNK, 10))
    x = dt.from_zarr(tmp_path / "x")
    assert selects(folds(x[MONTH == 0].sum(0))[0][0])
    assert x[MONTH == 0].sum(0).compute()[0] == (MONTH == 0).sum()
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        assert np.isinf(x[MONTH == 1].sum(0).compute()).all()


@examples(15)
@given(
    st.lists(st.lists(st.integers(0, DAYS - 1), max_size=90), min_size=1, max_size=5),
    st.sampled_from(["mean", "var", "argmin", "max"]),
    st.sampled_from([10_000, 30_000]),
)
def test_any_selections_have_one_value(stored, shardings, chosen, name, block_bytes):
    x, masks = stored["f8"], []
    for places in chosen:
        masks.append(np.isin(np.arange(DAYS), places))
    masks = [mask for mask in masks if mask.any()] or [MONTH == 0]
    made = [getattr(x[mask], name)(axis=0) for mask in masks]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = dt.compute(*made)
        for own, mask, value in zip(made, masks, values, strict=True):
            np.testing.assert_allclose(value, getattr(CELLS[mask], name)(axis=0), rtol=1e-9)
            with shardings.tiny(block_bytes, workers=2):
                assert same_bits(own.compute(), value)


MASKS = {
    "every eighth": np.arange(64) % 8 == 3,
    "side by side": (np.arange(64) > 20) & (np.arange(64) < 30),
    "two": np.isin(np.arange(64), [1, 50]),
    "seasons": np.isin(np.arange(64), [4, 5, 6, 7, 24, 25, 26, 27]),
    "one": np.arange(64) == 40,
    "none": np.zeros(64, bool),
    "all": np.ones(64, bool),
}


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("mask", MASKS.values(), ids=list(MASKS))
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("side", [1, 4])
def test_chunks_without_selected_cells_are_not_read(mask, axis, side, tmp_path, shardings):
    shape, chunks = ((64, 2000), (side, 2000)) if axis == 0 else ((2000, 64), (2000, side))
    cells = np.random.default_rng(1).integers(-99, 99, shape)
    dt.to_zarr(dt.asarray(cells), tmp_path / "x.zarr", chunks=chunks)
    x = dt.from_zarr(tmp_path / "x.zarr")
    touched = len(set((np.flatnonzero(mask) // side).tolist()))
    for program in (
        lambda x: x[mask] if axis == 0 else x[:, mask],
        lambda x: (x * 3 + 1)[mask].sum(1) if axis == 0 else (x * 3 + 1)[:, mask].sum(0),
        lambda x: x[mask].sum(0) if axis == 0 else x[:, mask].sum(1),
    ):
        made, expected = program(x), program(cells)
        np.testing.assert_array_equal(made.compute(), expected)
        with shardings.tiny(200_000):
            np.testing.assert_array_equal(program(x).compute(), expected)
        if mask.any() and 2 * touched <= 64 // side:
            assert dt.plan(made).cost["bytes_read"] == touched * side * 2000 * 8


@pytest.mark.parametrize("func", ["mean", "sum", "nanmax", "var"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_groups_of_selected_cells_are_folded_where_these_lie(x, func, dtype, shardings):
    """Cells that are not selected are of no group, whatever integers number the groups."""
    chosen = MONTH != 1
    labels = (np.arange(DAYS) // 7 % 5).astype(dtype)[chosen]
    made, _ = dt.groupby_reduce(x[chosen], labels, func=func, axis=0)
    graph = simplified(Graph([made.node]), Trace())
    (fold,) = [node for node in graph.nodes if isinstance(node.operator, GroupFold)]
    assert fold.inputs[0].type.shape == x.shape
    apart, _ = dt.groupby_reduce(CELLS[chosen], labels, func=func, axis=0)
    value = made.compute()
    np.testing.assert_allclose(value, apart.compute(), rtol=1e-9, atol=1e-9)
    with shardings.tiny(20_000):
        assert same_bits(made.compute(), value)


def test_groups_of_few_cells_are_folded_of_these_alone(x):
    made, _ = dt.groupby_reduce(x[np.arange(DAYS) < 50], np.arange(50) % 3, func="sum", axis=0)
    graph = simplified(Graph([made.node]), Trace())
    (fold,) = [node for node in graph.nodes if isinstance(node.operator, GroupFold)]
    assert fold.inputs[0].type.shape[0] == 50


def test_chosen_lines_of_chosen_lines(x):
    first = np.flatnonzero(MONTH < 3)
    ((fold,),) = folds(x[first][::2].sum(0))
    assert selects(fold)
    assert fold.tree.selected.places(0, DAYS).tolist() == first[::2].tolist()
    both = x[MONTH < 3][np.arange(len(first)) % 3 > 0]
    ((fold,),) = folds(both.sum(0))
    assert fold.tree.selected.extent == DAYS
    np.testing.assert_allclose(
        both.sum(0).compute(), CELLS[first][np.arange(len(first)) % 3 > 0].sum(0), rtol=1e-9
    )

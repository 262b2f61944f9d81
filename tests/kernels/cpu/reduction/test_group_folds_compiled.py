import numpy as np
import pytest

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import group_fold, group_folds_compiled, group_leaves
from dask_tapestry_kernels.cpu.reduction.group_folds_compiled import fold_rows, in_leaves, source
from dask_tapestry_kernels.cpu.reduction.group_leaves import GroupedLeaf, group_states
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
MEAN = [("sum", "f8"), ("count", "i8")]
SPREAD = [("count", "i8"), ("mean", "f8"), ("m2", "f8")]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


def drawn(dtype, shape):
    wide = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-9, 9, shape)
    wide[RANDOM.random(shape) < 0.02] = -0.0
    if np.dtype(dtype).kind == "f":
        wide[RANDOM.random(shape) < 0.05] = np.nan
        wide[RANDOM.random(shape) < 0.01] = np.inf
    with np.errstate(all="ignore"):
        return wide.astype(dtype)


def laid(values, layout):
    """The same cells, lying otherwise."""
    if layout == "columns":
        return np.asfortranarray(values)
    if layout == "apart":
        return np.repeat(np.repeat(values, 2, 0), 3, 1)[::2, ::3]
    return values


FOLDS = [
    ("f4", "nanmean", MEAN), ("f8", "nanmean", MEAN), ("i2", "nanmean", MEAN),
    ("f4", "nanvar", SPREAD), ("f8", "nanstd", SPREAD), ("?", "nanvar", SPREAD),
    ("u4", "nanvar", SPREAD), ("f4", "nanvar", [("count", "i8"), ("mean", "f4"), ("m2", "f4")]),
    ("f4", "sum", "f4"), ("f8", "sum", "f8"), ("i4", "sum", "i8"), ("u8", "sum", "u8"),
    ("?", "sum", "i8"), ("?", "nanmean", MEAN), ("f8", "prod", "f8"), ("i2", "prod", "i8"),
    ("f4", "max", "f4"), ("f8", "min", "f8"), ("u1", "max", "u1"), ("i4", "min", "i4"),
    ("f4", "fmax", "f4"), ("f8", "fmin", "f8"), ("?", "any", "?"), ("f8", "any", "?"),
    ("i2", "all", "?"), ("?", "max", "?"),
]  # fmt: skip
LEFT_TO_NUMPY = {("?", "max")}
STARTS = {"prod": 1, "min": np.inf, "max": -np.inf, "fmin": np.nan, "fmax": np.nan, "all": True}


def no_cells(monoid, state):
    """The state of a group without cells."""
    state, start = np.dtype(state), STARTS.get(monoid, 0)
    if state.names or state.kind not in "iu" or np.isfinite(start):
        return np.zeros((), state)[()] if state.names else state.type(start)
    return np.iinfo(state).min if start < 0 else np.iinfo(state).max


@pytest.mark.few(9)  # each layout, width and way, and some of the kernels
@pytest.mark.covering(together=1)  # dtypes have kernels of their own
@pytest.mark.parametrize("layout", ["rows", "columns", "apart"])
@pytest.mark.parametrize("width", [1, 3, 4, 9, 300])
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize(("dtype", "monoid", "state"), FOLDS)
def test_states_have_the_bits_of_the_way_through_numpy(
    dtype, monoid, state, width, layout, skipna, monkeypatch
):
    values, numbers = laid(drawn(dtype, (1500, width)), layout), RANDOM.integers(0, 7, 1500)
    identity = no_cells(monoid, state)
    leaf = GroupedLeaf(values, numbers, 8, np.dtype(state), identity, skipna)
    asked = []
    monkeypatch.setattr(group_folds_compiled, "SMALL", 0)
    monkeypatch.setattr(
        group_leaves,
        "fold_rows",
        lambda *given, **how: asked.append(fold_rows(*given, **how)) or asked[-1],
    )
    with np.errstate(all="ignore"):
        compiled = group_states(monoid, leaf)
        monkeypatch.setattr(group_leaves, "fold_rows", lambda *_, **__: None)
        assert same_bits(compiled, group_states(monoid, leaf))
    skipped = skipna and dtype in ("f4", "f8") and monoid in ("min", "max", "any")
    if skipped or (dtype, monoid) in LEFT_TO_NUMPY:
        assert set(asked) <= {None}
    elif skipna or not monoid.startswith("f"):
        assert asked
        assert None not in asked


@pytest.mark.few(7)  # each layout and way, and some of the kernels
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("target", [None, 0, 1])
@pytest.mark.parametrize("lattice", [False, True])
@pytest.mark.parametrize(
    ("axes", "labelled"),
    [((0,), (0,)), ((1,), (1,)), ((2,), (2,)), ((1, 2), (1, 2)), ((0, 2), (2,)), ((0, 1, 2), (1,))],
)
@pytest.mark.parametrize("order", ["C", "F", "apart"])
@pytest.mark.parametrize(("dtype", "monoid", "state"), FOLDS)
def test_all_leaves_at_once_have_the_bits_of_each(
    dtype, monoid, state, order, axes, labelled, lattice, target, nulls, monkeypatch
):
    shape = (40, 23, 70)
    cells = drawn("f8", shape)
    cells[np.isnan(cells) & (not nulls)] = 1
    with np.errstate(all="ignore"):
        cells = cells.astype(dtype)
    cells = {"C": cells, "F": np.asfortranarray(cells), "apart": np.repeat(cells, 2, 2)[:, :, ::2]}[
        order
    ]
    codes = RANDOM.integers(-1, 7, [shape[axis] for axis in labelled]).astype("i4")
    extents = tuple([shape[axis] for axis in axes])
    grid = Lattice(tuple([13] * len(axes)), tuple([-2] * len(axes))) if lattice else None
    dtype_of_state = np.dtype(state)
    told = {
        "monoid": monoid, "skipna": True, "axes": axes, "labelled": labelled,
        "tree": Tree(extents, 64, grid), "origin": (0,) * len(axes), "groups": range(1, 6),
        "dtype": np.dtype("f8") if dtype_of_state.names else dtype_of_state,
        "state": dtype_of_state, "identity": no_cells(monoid, state), "ddof": 0.0,
        "target": target,
    }  # fmt: skip
    monkeypatch.setattr(group_folds_compiled, "SMALL", 0)
    monkeypatch.setattr(group_folds_compiled, "MOST_ROWS", 300)
    with np.errstate(all="ignore"):
        made = KERNELS["groupfold"](None, cells, codes, **told)
        monkeypatch.setattr(group_fold, "fill_leaves", lambda *_: False)
        monkeypatch.setattr(group_leaves, "fold_rows", lambda *_, **__: None)
        assert same_bits(made, KERNELS["groupfold"](None, cells, codes, **told))


@pytest.mark.parametrize(("shape", "at_once"), [((8, 70, 70), True), ((8, 12, 70), False)])
def test_few_leaves_are_filled_one_by_one(shape, at_once, monkeypatch):
    """Of maps all leaves are, of a short series of them none."""
    found = []
    filled = group_fold.fill_leaves
    monkeypatch.setattr(group_fold, "fill_leaves", lambda *a: found.append(filled(*a)) or found[-1])
    monkeypatch.setattr(group_folds_compiled, "SMALL", 0)
    axes = (1, 2) if at_once else (0,)
    told = {
        "monoid": "sum", "skipna": True, "axes": axes, "labelled": axes,
        "tree": Tree(tuple([shape[a] for a in axes]), 64), "origin": (0,) * len(axes),
        "groups": range(3), "dtype": np.dtype("f8"), "state": np.dtype("f8"), "identity": 0.0,
        "ddof": 0.0, "target": None,
    }  # fmt: skip
    codes = RANDOM.integers(0, 3, [shape[a] for a in axes])
    KERNELS["groupfold"](None, RANDOM.normal(size=shape), codes, **told)
    assert found == [at_once]


def test_cells_of_leaves_lie_in_order():
    leaves, places = in_leaves((5, 4), (2, 3))
    assert sorted(places.tolist()) == list(range(20))
    assert leaves.tolist() == sorted(leaves.tolist())
    for leaf in range(6):
        assert np.all(np.diff(places[leaves == leaf]) > 0)
    assert places[leaves == 1].tolist() == [3, 7]


def test_what_is_left_out_is_told():
    values = np.ones((3000, 2))
    values[7, 1] = values[9, 0] = np.nan
    numbers, tables = np.zeros(3000, np.intp), np.zeros((2, 2, 2))
    assert fold_rows("add", values, numbers, tables[0], skipna=True) == 2
    assert fold_rows("add", values, numbers, tables[1]) == 0
    assert tables[0].tolist() == [[2999, 2999], [0, 0]]
    assert np.isnan(tables[1][0]).all()


@pytest.mark.parametrize("dtype", ["f2", "c16", "g", ">f8", "M8[s]", "U3"])
def test_other_cells_are_left_to_numpy(dtype):
    assert source("add", np.dtype(dtype), np.dtype("f8"), True) is None
    values, numbers = np.zeros((5000, 1), dtype), np.zeros(5000, np.intp)
    assert fold_rows("add", values, numbers, np.zeros((1, 1)), skipna=True) is None


def test_rows_from_the_last_on_are_added_and_few_are_left_to_numpy():
    values, numbers = RANDOM.normal(size=(5000, 2)), np.zeros(5000, np.intp)
    tables = np.zeros((2, 1, 2))
    assert fold_rows("add", values[::-1], numbers, tables[0], skipna=True) == 0
    assert fold_rows("add", values[::-1].copy(), numbers, tables[1], skipna=True) == 0
    assert same_bits(tables[0], tables[1])
    assert fold_rows("add", values[:10], numbers[:10], tables[0], skipna=True) is None

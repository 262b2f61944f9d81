"""Cells that a mask selects are folded without a count, to NumPy's values."""

import warnings

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core import array as arrays
from dask_tapestry.arrays.elementwise.ufunc_functions import FAIL_OF_ONES
from dask_tapestry.cells import UFUNCS
from tests.examples import examples

FOLDS = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "mean in float32": lambda x: x.mean(dtype="f4"),
    "var": lambda x: x.var(ddof=1),
    "std": lambda x: x.std(),
    "any": lambda x: (x > 3).any(),
    "all": lambda x: (x > 0).all(),
    "begun": lambda x: x.sum(initial=5),
    "first axis": lambda x: x.sum(axis=0),
    "count": lambda x: np.count_nonzero(x),
    "least": lambda x: x.min(initial=2),
    "greatest": lambda x: x.max(),
    "least of columns": lambda x: x.min(axis=0),
    "converted": lambda x: x.astype("c16").sum(),
    "product": lambda x: (x.astype("f8") / 4).prod(),
    "nan": lambda x: np.nansum(x),
}
ROUGH, EXACT = {"rtol": 1e-5, "atol": 1e-4}, {"rtol": 1e-12, "atol": 1e-9}
CELLS = {
    "as they are": lambda x: x,
    "formula": lambda x: 2 * x - 1,
    "two": lambda x: x * np.abs(x),
    "of their mean": lambda x: x - x.mean(),
}


@pytest.fixture
def counts(monkeypatch):
    """Count graphs that ran."""
    ran, run = [], arrays.run_count
    monkeypatch.setattr(arrays, "run_count", lambda *told: ran.append(told) or run(*told))
    return ran


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?", "c16"])
@pytest.mark.covering
def test_folds_need_no_count(counts, fold, cells, dtype):
    x = (np.random.default_rng(0).integers(0, 9, (30, 4)) % 7).astype(dtype)
    if dtype == "c16" and fold in (
        "any",
        "all",
        "least",
        "greatest",
        "least of columns",
        "mean in float32",
    ):
        pytest.skip("complex cells have no order")
    if dtype == "?" and cells != "as they are":
        pytest.skip("booleans are not subtracted")
    if dtype in ("i4", "u1") and cells == "formula" and fold == "least":
        pytest.skip("NumPy takes the least of unsigned cells that wrapped around")

    def program(x):
        return FOLDS[fold](CELLS[cells](x[x.real > 2] if dtype != "?" else x[x]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = program(x)
        made = program(dt.asarray(x))
    assert not counts
    value = made.compute()
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(
        value, expected, **(ROUGH if dtype == "f4" or value.itemsize == 4 else EXACT)
    )
    assert not counts


@given(
    st.lists(st.integers(0, 6), max_size=3).map(tuple),
    st.data(),
    st.sampled_from(["sum", "mean", "std", "any", "count_nonzero"]),
)
@examples(60)
def test_any_shape_and_any_mask(shape, data, fold):
    x = np.arange(np.prod(shape, dtype=int), dtype="f8").reshape(shape)
    rank = data.draw(st.integers(0, len(shape)))
    number = int(np.prod(shape[:rank], dtype=int))
    cells = data.draw(st.lists(st.booleans(), min_size=number, max_size=number))
    mask = np.array(cells, bool).reshape(shape[:rank])
    lazy = dt.asarray(mask).astype("i1") > 0
    axis = data.draw(st.sampled_from([None, *range(len(shape) - rank + 1)]))
    told = {} if axis is None else {"axis": axis}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(np, fold)(x[mask], **told)
        value = np.asarray(getattr(dt, fold)(dt.asarray(x)[lazy], **told))
    np.testing.assert_allclose(value, expected)


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() - FAIL_OF_ONES))
def test_ones_do_no_harm(name):
    ufunc = UFUNCS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for types in ufunc.types:
            kinds = types.split("->")[0]
            if not set(kinds) & set("OmM"):
                ufunc(*[np.ones((), kind) for kind in kinds])


def test_what_is_not_selected_warns_of_nothing():
    x = dt.asarray([-1.0, 0.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(np.log(x[x > 0]).sum()) == np.log(4.0)
        assert float((1 / x[x > 0]).mean()) == 0.25
        assert float(np.arctanh(x[x == 0]).sum()) == 0


def test_a_value_stays_the_same_once_its_cells_are_counted():
    x = dt.random.default_rng(0).normal(size=5_000)
    chosen = x[x > 0.1]
    before = float(chosen.mean())
    assert chosen.shape[0] < 5_000
    assert float(chosen.mean()) == before == float(x[x > 0.1].mean())


def test_other_masks_are_counted(counts):
    x = dt.asarray(np.arange(9.0))
    assert float((x[x > 3] * x[x < 5]).sum()) == sum(a * (a - 4) for a in range(4, 9))
    assert len(counts) == 2


def test_an_axis_that_stays_is_counted(counts):
    x = dt.asarray(np.arange(12.0).reshape(4, 3))
    assert x[x[:, 0] > 3].sum(axis=1).compute().tolist() == [21.0, 30.0]
    assert len(counts) == 1


def test_lines_of_a_mask_made_of_them_are_not(counts):
    x = dt.asarray(np.arange(12.0).reshape(4, 3))
    assert x[x[:, 0] > 3].mean(axis=0).compute().tolist() == [7.5, 8.5, 9.5]
    assert not counts


@pytest.mark.parametrize("rank", [1, 2])
def test_a_dimension_is_kept_as_one(counts, rank):
    def kept(x):
        return x[x[:, 0] > 3 if rank == 1 else x > 3].sum(axis=0, keepdims=True)

    cells = np.arange(12.0).reshape(4, 3)
    expected, value = kept(cells), kept(dt.asarray(cells))
    np.testing.assert_array_equal(value, expected)
    assert len(counts) == rank - 1


def test_stored_chunks_are_folded_as_they_lie(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.ones((40, 60, 50)), chunks=(10, 20, 50))
    x = dt.from_zarr(tmp_path / "x")
    plan = dt.plan(x[x > 0].mean(), resources=dt.Resources(4, 1, memory="40 MB"))
    assert plan.cost["bytes_read"] == x.nbytes


def test_nothing_has_no_least_cell(counts):
    x = dt.asarray(np.arange(3.0))
    least = x[x > 5].min()
    assert not counts
    with pytest.raises(ValueError, match="zero-size array to reduction operation minimum"):
        least.compute()


@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "c8", "m8[s]", "M8[D]", "?"])
@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_all_dtypes(dtype, name):
    cells = np.array([3, 0, 1, 2]).astype(dtype)
    mask = np.array([True, False, True, False])
    chosen = dt.asarray(cells)[dt.asarray(mask)]
    expected = getattr(cells[mask], name)()
    value = getattr(chosen, name)().compute()
    assert value == expected
    assert value.dtype == expected.dtype


def test_nan_and_nat_are_least_and_greatest():
    for cells in (np.array([1.0, np.nan, 0.0]), np.array([1, "NaT", 0], "m8[s]")):
        chosen = dt.asarray(cells)[dt.asarray([True, True, False])]
        assert np.isnat(chosen.max()) if cells.dtype.kind == "m" else np.isnan(chosen.max())

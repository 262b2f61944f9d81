"""Formulas and selectors between chosen lines and a fold leave each chunk to be read once."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.rules.chosen_lines import chosen_lines, known_places
from tests.comparisons import same_bits
from tests.examples import examples
from tests.rules.test_selections import _cells_of_a_chunk, folds, selects  # noqa: F401

DAYS, CHUNK = 240, 12
SHAPE = (DAYS, 4, 6)
CELLS = np.random.default_rng(3).integers(-50, 50, SHAPE).astype("f8")  # whose sums are exact
SEASON = np.arange(DAYS) // 5 % 4 == 1
PLACES = np.flatnonzero(SEASON)
N = len(PLACES)


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "x"
    dt.to_zarr(dt.asarray(CELLS), path, chunks=(CHUNK, 4, 6))
    return dt.from_zarr(path)


WORKS = {
    "places": lambda m, x: x[PLACES],
    "negative places": lambda m, x: x[PLACES - DAYS],
    "constants": lambda m, x: x[SEASON] - 273.0,
    "greater": lambda m, x: x[PLACES] > 2,
    "two formulas": lambda m, x: m.abs(x[SEASON]) * 2 + x[SEASON],
    "another line": lambda m, x: x[SEASON] - x[7],
    "its maximum": lambda m, x: x[SEASON] - x[SEASON].max(0),
    "along another axis": lambda m, x: x[SEASON] * np.arange(4.0)[:, None],
    "weights": lambda m, x: x[PLACES] * np.arange(float(N))[:, None, None],
    "weights of all": lambda m, x: x[SEASON] * np.arange(N * 4 * 6.0).reshape(N, 4, 6),
    "where": lambda m, x: m.where(x[SEASON] > 0, x[SEASON], -1.0),
    "missing": lambda m, x: m.where(x[PLACES] > 0, x[PLACES], np.nan),
    "whole numbers": lambda m, x: x[SEASON].astype("i4"),
    "a new axis": lambda m, x: x[SEASON][:, None],
    "reshaped": lambda m, x: (x[SEASON] + 1).reshape(N, 24),
    "parts of lines": lambda m, x: x[SEASON][:, 1:3, ::-2],
    "later lines": lambda m, x: x[PLACES][5:-3],
    "every other": lambda m, x: x[SEASON][::2],
    "backwards": lambda m, x: x[SEASON][::-1] + 1,
    "every third backwards": lambda m, x: (x[SEASON] * 3)[-2::-3],
    "stacked": lambda m, x: m.stack([x[SEASON], x[SEASON] * 2], axis=1),
    "side by side": lambda m, x: m.concatenate([x[SEASON], x[PLACES] + 1], axis=2),
    "one after the other": lambda m, x: m.concatenate([x[SEASON], x[PLACES] + 1]),
    "and all": lambda m, x: m.concatenate([x[SEASON], x]),
    "two masks": lambda m, x: (x[SEASON] - 1)[:, [True, False, True, True]],
    "places of both axes": lambda m, x: x[PLACES][:, [0, 2, 3]],
    "a mask of a mask": lambda m, x: x[SEASON][np.arange(N) % 5 < 3],
}
FOLDS = "sum mean max argmin nanmax nansum count_nonzero all std".split()


@pytest.mark.few(14)  # as unlike as so many can be
@pytest.mark.parametrize("work", WORKS.values(), ids=list(WORKS))
def test_the_fold_is_of_all_lines(work, x, small_lattices):
    made = work(dt, x)
    (fold,) = [parts[-1] for parts in folds(made.sum(0)) if selects(parts[-1])][-1:]
    assert fold.tree.selected.cells == made.shape[0]
    assert same_bits(made.sum(0).compute(), work(np, CELLS).sum(0))


@pytest.mark.parametrize("work", WORKS.values(), ids=list(WORKS))
def test_each_chunk_is_read_once(work, x, small_lattices):
    plan = work(dt, x).sum(0).plan(resources=dt.Resources(4, 1, "1 GiB"))
    print(plan.cost["bytes_read"] / x.nbytes)


@pytest.mark.few(14)  # each fold and way to choose
@pytest.mark.covering
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("work", WORKS.values(), ids=list(WORKS))
def test_values_are_numpys_in_all_shardings(work, fold, x, small_lattices, shardings):
    made, wanted = (getattr(m, fold)(work(m, own), axis=0) for m, own in ((dt, x), (np, CELLS)))
    value = made.compute()
    if fold == "std":
        np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-12)
    elif fold == "mean":
        np.testing.assert_allclose(value, wanted, rtol=1e-15, equal_nan=True)
    else:
        np.testing.assert_array_equal(value, wanted)
    with shardings.tiny(20_000):
        again = getattr(dt, fold)(work(dt, x), axis=0).compute()
    assert same_bits(again, value)


def test_on_any_axis(tmp_path, small_lattices):
    for axis in range(3):
        turned = np.moveaxis(CELLS, 0, axis).copy()
        chunks = tuple(CHUNK if n == DAYS else n for n in turned.shape)
        dt.to_zarr(dt.asarray(turned), tmp_path / f"{axis}", chunks=chunks)
        x = dt.from_zarr(tmp_path / f"{axis}")
        key = (slice(None),) * axis
        for chosen in (SEASON, PLACES):
            made = (x[(*key, chosen)] + 1).T
            assert selects(folds(made.sum(2 - axis))[0][0])
            assert selects(folds(made.sum((2 - axis, 0 if axis < 2 else 1)))[0][0])
            wanted = (turned[(*key, chosen)] + 1).T
            assert same_bits(made.sum(2 - axis).compute(), wanted.sum(2 - axis))
            assert same_bits(made.sum().compute(), wanted.sum())


@pytest.mark.parametrize(
    "places", [PLACES[::-1], np.repeat(PLACES, 2), PLACES[:, None], [3, 1, 200]]
)
def test_places_that_do_not_ascend_stay(places, x, small_lattices):
    assert known_places(x[places].node) is None
    assert chosen_lines((x[places] + 1).node, 0) is None
    assert same_bits((x[places] + 1).sum(0).compute(), (CELLS[places] + 1).sum(0))


def test_other_dimensions_and_other_masks_have_no_common_lines(x):
    other = np.roll(SEASON, 1)
    assert chosen_lines((x[SEASON] + 1).node, 1) is None
    assert chosen_lines((x[SEASON] + x[other]).node, 0) is None
    assert chosen_lines((x[SEASON] + x[:N]).node, 0) is None
    assert chosen_lines((x[SEASON] + dt.arange(float(N))[:, None, None]).node, 0) is None
    assert chosen_lines((x[x[:, 0, 0] > 0] + 1).node, 0) is None
    assert chosen_lines(x[SEASON].reshape(N * 4, 6).node, 0) is None


def test_errors_of_lines_that_are_left_out_are_not_told(tmp_path, small_lattices):
    cells = np.where(SEASON, 1.0, -1.0)[:, None] * np.ones(24)
    dt.to_zarr(dt.asarray(cells), tmp_path / "x", chunks=(CHUNK, 24))
    x = dt.from_zarr(tmp_path / "x")
    roots = dt.sqrt(x[SEASON]).sum(0)
    assert selects(folds(roots)[0][0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same_bits(roots.compute(), np.full(24, float(N)))
    with pytest.warns(RuntimeWarning, match="invalid value"):
        dt.sqrt(x[PLACES + 5]).sum(0).compute()


STEPS = {
    "add": lambda m, y: y + 3,
    "negative": lambda m, y: -y,
    "less": lambda m, y: (y < 5) * 2.0,
    "first line": lambda m, y: y - y[:1],
    "halves": lambda m, y: m.concatenate([y, y + 1], axis=1),
    "again": lambda m, y: m.concatenate([y, y * 2], axis=0),
    "backwards": lambda m, y: y[::-1],
    "second": lambda m, y: y[1::2],
    "thirds": lambda m, y: y[:, ::-3],
    "turned twice": lambda m, y: m.transpose(m.transpose(y, (1, 0, 2)) * 2, (1, 0, 2)),
    "flat": lambda m, y: y.reshape(y.shape[0], 1, -1),
    "chosen again": lambda m, y: y[np.arange(y.shape[0]) % 7 != 2],
    "columns": lambda m, y: y[:, np.arange(y.shape[1]) % 3 != 1],
}


@examples(40)
@given(
    st.lists(st.integers(0, DAYS - 1), min_size=20, max_size=200, unique=True),
    st.booleans(),
    st.lists(st.sampled_from(sorted(STEPS)), max_size=5),
    st.sampled_from(["sum", "max", "argmax", "min", "any", "nansum"]),
    st.sampled_from([0, 1, (0, 1), (0, 2), None]),
    st.booleans(),
)
def test_any_steps_have_numpys_values(x, shardings, chosen, as_places, steps, fold, axis, keep):
    if fold == "argmax" and isinstance(axis, tuple):
        axis = None
    key = np.sort(chosen) if as_places else np.isin(np.arange(DAYS), chosen)

    def work(m, y):
        y = y[key]
        for step in steps:
            y = STEPS[step](m, y)
        return getattr(m, fold)(y, axis=axis, keepdims=keep)

    wanted, made = work(np, CELLS), work(dt, x)
    value = made.compute()
    assert value.dtype == wanted.dtype
    np.testing.assert_array_equal(value, wanted)
    with shardings.tiny(20_000):
        assert same_bits(work(dt, x).compute(), value)

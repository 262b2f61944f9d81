import warnings

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.arrays.xarray import least_squares  # noqa: E402
from dask_tapestry.arrays.xarray.least_squares import fit_lanes  # noqa: E402
from tests.comparisons import same_bits  # noqa: E402

nputils = pytest.importorskip("xarray.core.nputils")
RANDOM = np.random.default_rng(6)


@pytest.fixture(autouse=True)
def no_warnings_of_few_cells():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def columns(n, k):
    x = np.vander(np.linspace(-1, 2, n), k)
    return x / np.sqrt((x * x).sum(0))


def lanes_with_gaps(n, dtype="f8"):
    """Some are whole, some have gaps, begin late, have no cells, or infinity."""
    lanes = RANDOM.normal(size=(40, n)) + np.linspace(0, 3, n)
    lanes[10:][RANDOM.random((30, n)) < 0.3] = np.nan
    lanes[20, : n // 2] = lanes[21, n // 8 :] = lanes[22] = lanes[23, 2:] = np.nan
    lanes[24, 0] = np.inf
    return lanes.astype(dtype)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [5, 40, 333])
def test_fits_are_those_of_each_lane(n, k):
    lanes, of = lanes_with_gaps(n), columns(n, k)
    found = fit_lanes(lanes, least_squares._basis(of))
    expected = np.stack([nputils._nanpolyfit_1d(lane, of) for lane in lanes])
    scale = np.abs(expected).max(1, keepdims=True)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_lane_has_the_same_bits_whatever_lies_beside_it(dtype, monkeypatch):
    lanes, basis = lanes_with_gaps(70, dtype), least_squares._basis(columns(70, 3))
    together = fit_lanes(lanes, basis)
    turned = fit_lanes(np.asfortranarray(lanes[::-1]), basis)[::-1]
    alone = np.concatenate([fit_lanes(lane[None], basis) for lane in lanes])
    monkeypatch.setattr(least_squares, "FITTED_LANES", 7)
    assert same_bits(together, fit_lanes(lanes, basis))
    assert same_bits(together, turned)
    assert same_bits(together, alone)


@pytest.mark.parametrize("shape", [(9,), (0, 9), (2, 3, 9)])
def test_lanes_of_any_rank(shape):
    fits = fit_lanes(np.ones(shape), least_squares._basis(columns(9, 2)))
    assert fits.shape == (*shape[:-1], 3)


def test_xarray_fits_here(monkeypatch):
    """xarray names a share of the largest singular value, which is NumPy's own."""
    asked = []
    monkeypatch.setattr(
        least_squares, "fit_lanes", lambda *a, **how: asked.append(1) or fit_lanes(*a, **how)
    )
    with dt.xarray.use():
        xarray.DataArray(np.ones((9, 4)), dims=("x", "y")).chunk(y=2).polyfit("x", 1).compute()
    assert asked


def test_without_xarrays_own_fit_of_a_lane_nothing_is_fitted_here(monkeypatch):
    monkeypatch.setattr(least_squares, "FIT_OF_A_LANE", None)
    monkeypatch.setattr(least_squares, "fit_lanes", None)
    with dt.xarray.use():
        cells = xarray.DataArray(np.arange(9.0), dims="x").chunk(x=3)
        slope = cells.polyfit("x", 1).polyfit_coefficients[0]
    assert float(slope) == pytest.approx(1)


def test_columns_that_depend_on_each_other_have_no_basis():
    assert least_squares._basis(columns(40, 3), 1e-2) is None
    assert least_squares._basis(np.ones((9, 2))) is None
    assert least_squares._basis(columns(3, 5)) is None
    assert least_squares._basis(dt.ones((9, 1))) is None


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
@pytest.mark.parametrize(
    "how", [{}, {"full": True}, {"cov": True}, {"rcond": 1e-3}, {"skipna": False}]
)
def test_polyfit_is_as_in_memory(how, dtype):
    cells = RANDOM.normal(size=(50, 4, 6)) * 100
    if dtype != "i2" and how.get("skipna") is None:
        cells[RANDOM.random(cells.shape) < 0.2] = np.nan
        cells[:, 1, 2] = np.nan
    memory = xarray.DataArray(
        cells.astype(dtype), dims=("time", "a", "b"), coords={"time": np.arange(50.0)}
    )
    if "cov" in how:
        memory = memory[:, 0, 0]
    expected = memory.polyfit("time", 2, **{"skipna": dtype != "i2", **how})
    with dt.xarray.use():
        found = memory.chunk(time=20).polyfit("time", 2, **how).compute()
    xarray.testing.assert_allclose(found, expected, rtol=1e-9)

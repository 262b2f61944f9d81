import dask.array as da
import numpy as np
import pytest
import scipy.sparse
import xarray as xr
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, AxisError, DTypeError, ShapeError
from dask_tapestry.planner.fusion.external_inputs import is_embedded
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(6, 12, 10))
COO = scipy.sparse.random_array((35, 120), density=0.05, rng=RANDOM, format="coo")
DENSE = COO.toarray()


def regridded(x=X, weights=COO, **options):
    return dt.sparse_matmul(weights, x, (1, 2), (5, 7), **options)


def by_xesmf(x, threshold):
    """What `xesmf.apply_weights` and its regridder do, with dense weights."""
    missing = np.isnan(x)
    flat = np.where(missing, 0, x).reshape(len(x), -1) @ DENSE.T
    valid = (~missing).astype("f8").reshape(len(x), -1) @ DENSE.T
    bad = valid < np.clip(1 - threshold, 1e-6, 1 - 1e-6)
    return np.where(bad, np.nan, flat / np.where(bad, 1, valid)).reshape(-1, 5, 7)


@pytest.mark.parametrize(
    "make",
    [
        lambda w: w,
        scipy.sparse.csr_array,
        scipy.sparse.csc_matrix,
        scipy.sparse.dok_array,
        lambda w: (w.data, w.row, w.col, w.shape),
        lambda w: xr.DataArray(pytest.importorskip("sparse").COO.from_scipy_sparse(w)),
    ],
    ids=["coo", "csr", "csc", "dok", "tuple", "xesmf"],
)
def test_weights_of_any_kind_are_the_same(make):
    found = regridded(weights=make(COO))
    np.testing.assert_allclose(found, (X.reshape(6, -1) @ DENSE.T).reshape(6, 5, 7))
    assert same_bits(found.compute(), regridded().compute())


def test_the_users_weights_stay_as_they_are_and_later_changes_are_not_seen():
    weights = scipy.sparse.csr_array(([1.0, 2.0, 4.0], [3, 1, 1], [0, 3]), shape=(1, 5))
    found = dt.sparse_matmul(weights, np.arange(5.0))
    assert weights.indices.tolist() == [3, 1, 1]
    weights.data[:] = 0
    assert found.compute().tolist() == [9.0]


def test_axes_become_axes_where_the_first_of_them_stood():
    turned = X.transpose(2, 0, 1)
    found = dt.sparse_matmul(COO, turned, (2, 0), (5, 7))
    assert found.shape == (5, 7, 6)
    assert same_bits(found.transpose(2, 0, 1).compute().copy(), regridded().compute())
    lanes = X.reshape(6, 120)
    assert dt.sparse_matmul(COO, lanes.T, 0).shape == (35, 6)
    assert dt.sparse_matmul(COO, lanes, output_shape=35).shape == (6, 35)
    assert dt.sparse_matmul(COO[:1], lanes, -1, ()).shape == (6,)
    assert dt.sparse_matmul(COO, lanes[0]).shape == (35,)


def test_one_row_of_all_axes_is_one_number():
    made = dt.sparse_matmul(COO.tocsr()[[7]], X[0], (0, 1), ())
    assert made.shape == ()
    assert same_bits(made.node.operator.reference(*map(_cells, made.node.inputs)), made.compute())
    np.testing.assert_allclose(made, DENSE[7] @ X[0].ravel())


def _cells(node):
    return dt.Array(node).compute()


@pytest.mark.parametrize("threshold", [0, 0.25, 0.5, 1.0])
def test_what_is_missing_is_left_out_as_xesmf_does(threshold):
    x = X.copy()
    x[RANDOM.random(x.shape) < 0.2] = np.nan
    x[:, 3:5] = np.nan
    found = regridded(x, skipna=True, na_thres=threshold)
    np.testing.assert_allclose(found, by_xesmf(x, threshold), rtol=1e-9)
    assert np.isnan(regridded(x).compute()).sum() > np.isnan(found.compute()).sum() or not threshold


def test_rows_without_weights_are_zero_or_nan():
    weights = scipy.sparse.csr_array((4, 3))
    assert dt.sparse_matmul(weights, np.ones((2, 3))).compute().tolist() == [[0.0] * 4] * 2
    assert np.isnan(dt.sparse_matmul(weights, np.ones((2, 3)), skipna=True).compute()).all()


def test_bits_do_not_depend_on_chunks_or_parts(shardings):
    x = X * 10.0 ** RANDOM.integers(-6, 6, X.shape)
    whole = regridded(x).compute()
    for chunks in ((1, 12, 10), (4, 5, 3)):
        with shardings.tiny(2_000):
            assert same_bits(regridded(dt.from_array(x, chunks=chunks)).compute(), whole)
    assert same_bits(regridded(x)[1:3, 2:, ::3].compute(), whole[1:3, 2:, ::3])


def test_equal_weights_are_one_value():
    first, second = regridded(X), regridded(X + 1, weights=COO.copy())
    assert first.node.inputs[1:] == second.node.inputs[1:]


def test_each_cell_is_read_once_and_the_plan_is_small():
    x = dt.placeholder((2400, 120, 100), "f4", stored_chunks=(24, 120, 100))
    weights = scipy.sparse.random_array(
        (1200, 12000), density=4 / 12000, rng=RANDOM, dtype=np.float32
    )
    made = dt.sparse_matmul(weights, x, (1, 2), (30, 40))
    plan = dt.plan(made, resources=dt.Resources(8, 2, "1 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] == x.nbytes
    assert len(plan.core.steps) == 1


def test_workers_have_weights_once():
    weights = scipy.sparse.random_array((3000, 120), density=0.05, rng=RANDOM)
    x = dt.from_array(np.repeat(X, 20, 0), chunks=(5, 12, 10))
    made = dt.sparse_matmul(weights, x, (1, 2))
    assert not any(is_embedded(table) for table in made.node.inputs[1:])
    how = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(2, **how) as cluster, Client(cluster):
        held = made.rechunk((5, 3000)).compute()
    expected = np.repeat(X, 20, 0).reshape(120, -1) @ weights.toarray().T
    np.testing.assert_allclose(held, expected)


def test_xarray_applies_it_to_lazy_arrays():
    with dt.xarray.use():
        field = xr.DataArray(X, dims=("time", "lat", "lon")).chunk(time=2)
        found = xr.apply_ufunc(
            lambda x: dt.sparse_matmul(COO, x, (-2, -1), (5, 7)),
            field,
            input_core_dims=[("lat", "lon")],
            output_core_dims=[("y", "x")],
            exclude_dims={"lat", "lon"},
            dask="allowed",
        )
        assert isinstance(found.data, dt.Array)
        assert found.dims == ("time", "y", "x")
        assert same_bits(found.values, regridded().compute())


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (ShapeError, "120 columns", lambda: dt.sparse_matmul(COO, np.ones((2, 119)))),
        (ShapeError, "35 rows", lambda: dt.sparse_matmul(COO, np.ones(120), -1, (5, 8))),
        (ShapeError, "each once", lambda: dt.sparse_matmul(COO, X, (1, 1))),
        (ShapeError, "each once", lambda: dt.sparse_matmul(COO, X, ())),
        (AxisError, "out of bounds", lambda: dt.sparse_matmul(COO, X, 3)),
        (ArgumentError, "from 0 to 1", lambda: regridded(na_thres=1.5)),
        (ArgumentError, "from 0 to 1", lambda: regridded(na_thres=np.nan)),
        (ArgumentError, "outside", lambda: regridded(weights=([1.0], [35], [0], (35, 120)))),
        (ArgumentTypeError, "compute", lambda: regridded(weights=dt.asarray(DENSE))),
        (ArgumentTypeError, "compute", lambda: regridded(weights=da.asarray(DENSE))),
        (
            ArgumentTypeError,
            "compute",
            lambda: regridded(weights=(dt.ones(1), [0], [0], (35, 120))),
        ),
        (ArgumentTypeError, "not ndarray; `matmul` multipl", lambda: regridded(weights=DENSE)),
        (
            ArgumentTypeError,
            "must be integers",
            lambda: regridded(weights=([1.0], [0.5], [0], (35, 120))),
        ),
        (ShapeError, "two extents", lambda: regridded(weights=([1.0], [0], [0], (35,)))),
        (DTypeError, "not multiplied", lambda: regridded(X.astype("M8[s]"))),
        (DTypeError, "real weights", lambda: regridded(weights=COO * 1j, skipna=True)),
    ],
)
def test_what_does_not_fit_is_refused(error, text, call):
    with pytest.raises(error, match=text):
        call()

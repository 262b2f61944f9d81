import warnings

import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions.declared_dtype import declared_dtype


def test_a_dtype_goes_before_an_array_like_the_result():
    assert declared_dtype("f4", np.empty(0)) == "f4"
    assert declared_dtype(None, [1.5]) == "f8"
    assert declared_dtype(None, None) is None


def test_an_array_like_the_result_is_not_computed():
    huge = dt.placeholder((10**9,), "i2", (10**7,))
    assert declared_dtype(None, huge) == "i2"


def test_objects_as_fields_are_refused():
    with pytest.raises(TypeError, match="Python objects"):
        declared_dtype([("a", object)], None)


def third(block):
    return block / 3


X = dt.from_array(np.arange(10.0), chunks=2)
CASTS = {
    "map_blocks": lambda dtype: X.map_blocks(third, dtype=dtype),
    "meta": lambda dtype: X.map_blocks(third, meta=np.empty(0, dtype)),
    "blockwise": lambda dtype: dt.blockwise(third, "i", X, "i", dtype=dtype),
    "map_overlap": lambda dtype: X.map_overlap(third, depth=1, boundary=0, dtype=dtype),
    "apply_gufunc": lambda dtype: dt.apply_gufunc(third, "()->()", X, output_dtypes=dtype),
    "apply_along_axis": lambda dtype: dt.apply_along_axis(third, 0, X, dtype=dtype, shape=(10,)),
    "block_operator": lambda dtype: dt.block_operator(
        index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"}, dtype=dtype
    )(third)(X),
}
SAID = "^third returned float64 where float32 is declared: the declared dtype stays, and the cast"


@pytest.mark.parametrize("name", CASTS)
def test_a_cast_that_changes_values_is_warned_of_once(name):
    with pytest.warns(UserWarning, match=SAID) as said:
        found = CASTS[name]("f4").compute()
    assert len(said) == 1  # of five blocks
    assert said[0].filename == __file__
    np.testing.assert_array_equal(found, third(np.arange(10.0)).astype("f4"))


@pytest.mark.parametrize("name", CASTS)
def test_a_cast_that_changes_nothing_is_not(name):
    assert CASTS[name]("f8").compute().dtype == np.float64
    exact = dt.from_array(np.array([0.5, np.nan, np.inf, -0.0]), chunks=2)
    assert exact.map_blocks(lambda block: block * 2, dtype="f4").compute().dtype == np.float32


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (np.array([1, 300]), "i1"),
        (np.array([1 + 1j / 3]), "c8"),
        (np.array([2**24 + 1]), "f4"),
        (np.array(["2020-01-01T12"], "M8[h]"), "M8[D]"),
    ],
)
def test_every_kind_of_loss_is_warned_of(cells, dtype):
    with pytest.warns(UserWarning, match="the cast changed values"):
        found = dt.from_array(cells).map_blocks(lambda block: block, dtype=dtype).compute()
    assert found.dtype == dtype


def test_what_was_lost_on_a_worker_is_heard_here():
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
        with pytest.warns(UserWarning, match="returned float64 where float32 is declared") as said:
            CASTS["map_blocks"]("f4").compute()
        assert len(said) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            client.compute(CASTS["map_blocks"]("f8")).result()

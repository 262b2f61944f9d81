import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.columnsort import columnsort, largest, most_columns, rows_of
from dask_tapestry.operators.sort import argsort, sort
from dask_tapestry_kernels.cpu.blocks import sort as kernels
from tests.examples import examples

KINDS = "?,i1,u8,f2,f4,f8,c8,M8[s],m8[D],S2,U1".split(",")


def cells(shape, kind, seed, few):
    """Cells with ties, NaN, NaT and zeros of both signs."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 4 if few else 10**6, shape)
    if np.dtype(kind).kind in "fc":
        y = (x % 1000).astype(kind)
        y[x % 7 == 0] = -0.0
        y[x % 11 == 1] = np.nan
        return y
    if np.dtype(kind).kind in "mM":
        return np.where(x % 5 == 0, np.iinfo("i8").min, x).astype("i8").astype(kind)
    return (x % 100 if kind == "i1" else x).astype(kind)


@examples(60)
@given(
    st.integers(1, 300),
    st.integers(2, 7),
    st.sampled_from(KINDS),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from([(), (2,), (2, 3)]),
)
def test_columns_sort_to_the_same_bits(n, columns, kind, seed, few, lanes):
    columns = min(columns, most_columns(n))
    x = dt.asarray(cells((*lanes, n), kind, seed, few))
    made, places, whole, order = (
        dt.Array(node)
        for node in (
            columnsort(x.node, columns),
            columnsort(x.node, columns, places=True),
            sort(x.node, -1),
            argsort(x.node, -1),
        )
    )
    got = [y.compute(scheduler="sync") for y in (made, places, whole, order)]
    assert got[0].tobytes() == got[2].tobytes()
    assert np.array_equal(got[1], got[3])


@pytest.mark.parametrize("block_bytes", [8, 200, 10**6])
def test_every_sharding_of_columns_has_the_same_value(block_bytes, shardings):
    x = cells((2, 120), "f8", 3, few=True)
    value = dt.Array(columnsort(dt.asarray(x).node, 4))
    whole = value.compute(scheduler="sync")
    with shardings.tiny(block_bytes, workers=3, threads=2):
        assert value.compute(scheduler="sync").tobytes() == whole.tobytes()
        part = value[:, 17:90:3].compute(scheduler="sync")
    assert part.tobytes() == whole[:, 17:90:3].tobytes()


@pytest.mark.parametrize("n", [1, 2, 5, 100, 12345, 10**9, 10**12])
def test_columns_are_long_enough(n):
    most = most_columns(n)
    rows = rows_of(n, most)
    assert rows % 2 == 0
    assert most**2 * rows >= n
    assert most * rows >= 2 * (most - 1) ** 2
    assert most == 2 or not rows_of(n, most + 1)


def test_what_fills_the_last_run_is_the_kernel_s():
    for kind in KINDS:
        dtype = np.dtype(kind)
        ours, theirs = (np.array([f(dtype)]).astype(dtype) for f in (largest, kernels.largest))
        np.testing.assert_array_equal(ours, theirs)

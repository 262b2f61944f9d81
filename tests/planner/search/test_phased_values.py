import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.phased_values import cuts_in_rounds
from dask_tapestry.steps.access_strides import AxisStride
from dask_tapestry.zspace import Cuts


@pytest.mark.parametrize("rounds", [1, 2, 3, 7])
def test_a_round_ends_with_a_block_of_the_reader(rounds):
    reader = Cuts.regular(700, 90, 50)
    cuts = cuts_in_rounds(reader, AxisStride(0, 2, 5), 1405, rounds)
    assert cuts.count <= rounds
    assert {5 + 2 * edge for edge in reader.inner_edges()} >= set(cuts.inner_edges())


def test_rows_become_columns_in_rounds_where_memory_is_small():
    x = dt.placeholder((110_000, 110_000), "f8", (100, 110_000))
    columns = dt.to_zarr(x, "nowhere", chunks=(110_000, 100), compute=False)
    plan = dt.plan(columns, resources=dt.Resources(workers=20, threads=2, memory="4 GB"))
    assert plan.cost["bytes_read"] < 10 * x.nbytes  # blocks of columns would read it 110 times
    assert plan.cost["peak_worker_bytes"] < 0.7 * 4e9
    plan.verify()


def test_rounds_follow_each_other_along_two_axes_where_one_has_too_few_blocks():
    """Maps become pencils on few small workers: blocks of the result would read all 240 times."""
    x = dt.placeholder((14_610, 721, 1440), "f4", (24, 721, 1440))
    spectra = dt.abs(dt.fft.rfft(x, axis=0))
    pencils = dt.to_zarr(spectra, "nowhere", chunks=(7306, 24, 24), compute=False)
    plan = dt.plan(pencils, resources=dt.Resources(workers=4, threads=2, memory="2 GiB"))
    assert plan.cost["bytes_read"] < 60 * x.nbytes
    assert plan.cost["peak_worker_bytes"] < 0.7 * 2**31
    plan.verify()

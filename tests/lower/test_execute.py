import dask
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.memory.buffer_pool import owned

from .peaks import SPARE, needs_counters, peak_of
from .sources import Recorded


def test_an_owned_block_keeps_nothing_else_alive():
    whole = np.arange(100)
    assert owned(whole) is whole
    assert owned(whole[:3]).base is None
    assert owned(np.broadcast_to(1, (3,))).flags.writeable
    fixed = np.ones(3)
    fixed.flags.writeable = False
    assert owned(fixed).flags.writeable


def test_a_source_is_read_box_by_box(tmp_path):
    source = Recorded(np.arange(24.0).reshape(4, 6), tmp_path / "reads")
    x = dt.from_array(source).rechunk((2, 6))
    np.testing.assert_array_equal((x + 1).compute(), source.data + 1)
    assert sorted(source.reads) == ["0:2 0:6", "2:4 0:6"]


def test_a_slice_reads_no_more_than_it_needs(tmp_path):
    source = Recorded(np.arange(24.0).reshape(4, 6), tmp_path / "reads")
    x = dt.from_array(source)
    np.testing.assert_array_equal((x * 2)[1, 2:4].compute(), [16.0, 18.0])
    assert source.reads == ["1:2 2:4"]


def test_input_blocks_are_not_written_to():
    x = np.arange(6.0)
    held = dt.asarray(x).rechunk(3).persist()
    dask.compute(held + 1, held * 2, -held)
    np.testing.assert_array_equal(held.compute(), x)


@pytest.mark.parametrize("chunks", [1, 2, 5, (3, 3, 1, 3)])
def test_values_do_not_depend_on_the_blocks(chunks):
    x = np.linspace(0, 1, 10)
    y = dt.asarray(x).rechunk(chunks)
    np.testing.assert_array_equal((np.sqrt(y) + y[::-1]).compute(), np.sqrt(x) + x[::-1])
    assert y.sum().compute() == dt.asarray(x).sum().compute()


GENERATED = {
    "range": lambda: dt.arange(3 * 10**7).sum(),
    "range in a formula": lambda: dt.where(dt.arange(2e7) > 5, 1.0, 0.0).mean(),
    "coordinates": lambda: dt.eye(6000).sum(),
    "coordinates of a long axis": lambda: dt.indices((3 * 10**7,))[0].max(),
    "random numbers": lambda: dt.random.default_rng(0).random(3 * 10**7).sum(),
}


@pytest.mark.few(3)  # as unlike as so many can be
@needs_counters
@pytest.mark.parametrize("name", GENERATED)
def test_generated_cells_are_never_all_in_memory(name):
    measured, predicted = peak_of(GENERATED[name]())
    assert measured < predicted + SPARE
    assert predicted < 2 * SPARE


STORED = {
    "views of what is read": lambda s: s[:1000, :1000][::-1] + s[300:1300, 200:1200].T,
    "chosen ranks": lambda s: dt.median(s, axis=0),
    "chosen ranks of rows": lambda s: dt.quantile(s, 0.3, axis=1),
    "sorted lanes": lambda s: dt.sort(s, axis=0).max(axis=1),
    "differences": lambda s: abs((s * s)[1:] - (s + 1)[:-1]).max(axis=1),
}


@pytest.mark.few(3)  # as unlike as so many can be
@needs_counters
@pytest.mark.parametrize("name", STORED)
def test_what_stores_are_read_for_takes_what_the_plan_says(name, tmp_path):
    data = np.random.default_rng(0).random((3000, 2000))
    zarr.create_array(tmp_path / "s", data=data, chunks=(1000, 500), compressors=None)
    job = STORED[name](dt.from_zarr(tmp_path / "s"))
    with dt.config(resources=dt.Resources(threads=1, memory="4 GiB"), block_bytes=2**26):
        measured, predicted = peak_of(job)
    assert measured < predicted + SPARE / 4

"""What a compute has written for itself, as a source; `test_temporary_sink.py` has both ends."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.temporary_source import TemporarySource
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from tests.io.sinks.test_temporary_sink import written


def source(shape=(10, 4), sides=(3, 2)):
    return TemporarySource("value", TensorType(shape, np.dtype("f8")), sides)


def test_whole_chunks_are_read():
    assert source().chunks == (3, 2)
    assert source().stored_bytes(ZRange((2, 1), (4, 2))) == 6 * 2 * 8
    assert source().scratch_bytes((), ZRange((2, 1), (4, 2))) > 0


def test_computes_know_their_own():
    first, second = source().for_run("a"), source().for_run("b")
    assert first != second
    assert first == source().for_run("a")
    assert source().slot(0) == source((10, 4)).slot(0)


def test_one_in_so_many_rows(tmp_path):
    """Of rows that nobody needs anything may come."""
    cells = np.arange(40.0).reshape(10, 4)
    with dt.config(temporary_store=tmp_path):
        _, there = written(cells, (5, 2))
        some = there.read_some(there.type.box, None, 3)
    np.testing.assert_array_equal(some[::3], cells[::3])


def test_nothing_is_there_before_it_is_written(tmp_path):
    with (
        dt.config(temporary_store=tmp_path),
        pytest.raises(dt.StoreError, match=r"cannot read .* of a value that workers wrote to"),
    ):
        source().for_run("nobody").read(ZRange((0, 0), (1, 1)))

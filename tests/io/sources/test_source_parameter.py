import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import PlanError
from dask_tapestry.io.sources.source_parameter import SourceParameter
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

FLOATS = TensorType((3, 4), np.dtype("f8"))


def slot_of(x):
    return x.node.operator.slot(0)


def test_it_says_all_of_an_array_but_its_cells():
    for x in (np.zeros((3, 4)), np.ones((3, 4))):
        assert slot_of(dt.asarray(x)) == SourceParameter(0, FLOATS)
    assert slot_of(dt.asarray(np.zeros((4, 3)).T)) == SourceParameter(0, FLOATS, order="F")
    assert slot_of(dt.asarray(np.zeros((3, 4), "f4"))) != SourceParameter(0, FLOATS)


def test_blocks_come_as_they_are_cut():
    x = dt.asarray(np.zeros((3, 4))).rechunk((3, 2)).persist()
    place = slot_of(x)
    assert place.layout == x.node.operator.layout
    assert [c.count for c in place.layout] == [1, 2]


def test_what_is_stored_stands_for_all_that_is_stored_so(tmp_path):
    for name, chunks in (("x", 5), ("y", 5), ("z", 2)):
        dt.to_zarr(dt.arange(10), tmp_path / name, chunks=chunks)
    x, y, z = (slot_of(dt.from_zarr(tmp_path / name)) for name in "xyz")
    assert x == y != z
    assert (x.type, x.chunks, x.written) == (z.type, (5,), "open")


def test_a_file_of_another_kind_is_not_left_open(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(10))
    assert slot_of(dt.from_array(np.load(tmp_path / "x.npy", mmap_mode="r"))) is None


def test_it_has_no_cells():
    with pytest.raises(PlanError, match="slot 7 has no cells"):
        SourceParameter(7, FLOATS).read(ZRange((0, 0), (1, 1)))

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sinks.region_sink import RegionSink
from dask_tapestry.io.sources.numpy_source import from_numpy
from dask_tapestry.io.targets.numpy_target import numpy_target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.teg.check import check
from dask_tapestry.zspace import ZRange

CELLS = np.arange(12.0)


def sink(region, array=None, sides=(4,)):
    target = numpy_target(np.zeros(20) if array is None else array)
    return RegionSink(target, WriteRegion.of((region,), target.shape, sides))


def test_a_block_of_the_cover_demands_what_goes_into_it():
    operator = sink(slice(3, 15))
    x = from_numpy(CELLS)
    assert operator.infer(x.type).shape == (15,)
    assert operator.demand((x.type,), ZRange((0,), (4,))) == (ZRange((0,), (1,)),)
    assert operator.demand((x.type,), ZRange((4,), (15,))) == (ZRange((1,), (12,)),)
    assert operator.chunks == (4,)
    with pytest.raises(dt.ShapeError, match="does not fit"):
        operator.infer(from_numpy(np.ones(3)).type)


def test_what_is_written_goes_where_the_window_says():
    array = np.zeros(20)
    operator = sink(slice(3, 15, 3), array)
    operator.write(ZRange((4,), (13,)), CELLS[1:4])
    expected = np.zeros(20)
    expected[[6, 9, 12]] = [1, 2, 3]
    np.testing.assert_array_equal(array, expected)
    operator.write(ZRange((1,), (3,)), CELLS[:0])
    np.testing.assert_array_equal(array, expected)


def test_an_error_of_the_target_names_it():
    class Full:
        shape, dtype = (12,), np.dtype("f8")

        def __setitem__(self, key, value):
            raise RuntimeError("no space left")

    with pytest.raises(dt.StoreError, match=r"cannot write \[0:12\] to the Full: no space left"):
        dt.store(dt.asarray(CELLS), Full())


def test_a_graph_with_region_sinks_is_sound(tmp_path):
    array = zarr.create_array(tmp_path / "x", shape=(20,), dtype="f8", chunks=(4,))
    effect = dt.store(
        [CELLS, CELLS[:4]], [array, array], regions=[slice(3, 15), slice(1, 5)], compute=False
    )
    check(effect.teg)
    plan = dt.plan(effect)
    plan.verify()
    check(plan.teg)
    assert "store" in plan.explain(all=True)

"""Values that computes write for themselves, written and read back as workers do."""

import pickle
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import dask_tapestry as dt
from dask_tapestry.io.sinks.temporary_sink import TemporarySink
from dask_tapestry.io.sources.temporary_source import TemporarySource
from dask_tapestry.io.stores.temporary_folder import folder_of_run, hide, remove
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

DTYPES = ["?", *"bBhHiIlLefdFD", "M8[ns]", "m8[s]", "S3", "U2", [("key", "f4"), ("place", "i8")]]


def ends_of(data, sides):
    """The sink and source of one value in one compute, the store made ready."""
    type_ = TensorType(data.shape, data.dtype)
    run = uuid4().hex
    sink = TemporarySink("value", sides).for_run(run)
    sink.prepare(type_, run)
    return sink, TemporarySource("value", type_, sides).for_run(run)


def written(data, sides):
    sink, source = ends_of(data, sides)
    sink.write(source.type.box, data)
    sink.finish()
    return sink, source


@pytest.fixture
def root(tmp_path):
    with dt.config(temporary_store=tmp_path):
        yield tmp_path


@pytest.mark.parametrize("dtype", DTYPES)
def test_cells_are_the_same_bits(root, dtype):
    bits = np.random.default_rng(0).integers(0, 2, 7 * 5 * 16).astype("u1")
    data = np.resize(bits, 7 * 5 * np.dtype(dtype).itemsize).view(dtype).reshape(7, 5)
    _, source = written(data, (3, 2))
    assert source.read(source.type.box).tobytes() == data.tobytes()
    part = ZRange((2, 1), (7, 4))
    out = np.empty((5, 3), dtype)
    assert source.read(part, out) is out
    assert out.tobytes() == data[2:7, 1:4].tobytes()


@given(data=st.data())
def test_any_shape_and_order(tmp_path_factory, data):
    shape = data.draw(npst.array_shapes(min_dims=0, max_dims=4, max_side=6))
    sides = tuple(data.draw(st.integers(1, n)) for n in shape)
    cells = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    order = data.draw(st.permutations(range(len(shape))))
    with dt.config(temporary_store=tmp_path_factory.mktemp("root")):
        sink, source = ends_of(cells, sides)
        there = cells.transpose(order).copy().transpose(np.argsort(order))
        sink.write(source.type.box, there)
        np.testing.assert_array_equal(source.read(source.type.box), cells)


def test_zeros_are_stored_and_a_chunk_that_is_gone_is_an_error(root):
    sink, source = written(np.zeros((4, 4)), (2, 2))
    chunks = [p for p in Path(folder_of_run(sink.root, sink.run)).rglob("c.*") if p.is_file()]
    assert len(chunks) == 4
    chunks[0].unlink()
    with pytest.raises(dt.StoreError, match="has removed it"):
        source.read(source.type.box)


def test_a_task_that_makes_ready_again_keeps_what_is_there(root):
    sink, source = written(np.ones((4, 4)), (2, 2))
    sink.prepare(source.type, sink.run)
    assert source.read(source.type.box).all()


def test_both_ends_travel(root):
    sink, source = written(np.ones(4), (2,))
    assert pickle.loads(pickle.dumps(sink)) == sink
    assert pickle.loads(pickle.dumps(source)).read(source.type.box).all()


def test_computes_do_not_meet(root):
    sink, source = written(np.ones(4), (2,))
    other = replace(source, run="other")
    with pytest.raises(dt.StoreError, match="cannot read"):
        other.read(source.type.box)
    remove(hide(sink.root, sink.run))
    with pytest.raises(dt.StoreError, match="cannot read"):
        source.read(source.type.box)


@pytest.mark.parametrize("root", ["/proc/nowhere", "/dev/null"])
def test_a_place_that_takes_nothing_is_named_with_the_way_out(root):
    with (
        dt.config(temporary_store=root),
        pytest.raises(dt.StoreError, match=f"to {root}, which fails: .*'temporary-store' names"),
    ):
        ends_of(np.ones(3), (2,))


def test_a_write_after_the_end_leaves_nothing(root):
    """A task that nobody waits for any more goes on for a while."""
    sink, source = written(np.ones((4, 4)), (2, 2))
    remove(hide(sink.root, sink.run))
    with pytest.raises(dt.StoreError, match="'temporary-store' names"):
        sink.write(source.type.box, np.ones((4, 4)))
    assert not list(root.iterdir())


def test_the_end_during_a_write_leaves_nothing(root):
    sink, source = ends_of(np.ones((64, 64)), (1, 1))
    writer = Thread(target=lambda: suppress_store_error(sink, source))
    writer.start()
    while not any(Path(folder_of_run(sink.root, sink.run)).rglob("c.*")):
        pass
    remove(hide(sink.root, sink.run))
    writer.join()
    assert not list(root.iterdir())


def suppress_store_error(sink, source):
    with suppress(dt.StoreError):
        sink.write(source.type.box, np.ones((64, 64)))

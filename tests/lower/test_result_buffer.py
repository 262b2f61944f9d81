import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from dask.base import tokenize

import dask_tapestry as dt
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.planner.build import build_plan
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.cpu.blocks import lapack

TYPE = TensorType((4, 6), np.dtype("int16"))


def test_boxes_are_views_of_one_array():
    buffer = ResultBuffer(TYPE)
    buffer.array[...] = 0
    buffer.box(ZRange((1, 2), (3, 4)))[...] = 7
    assert buffer.array.dtype == np.int16
    assert buffer.array.sum() == 4 * 7
    assert buffer.box(ZRange((0, 0), (4, 6))).base is buffer.array


def test_a_result_without_dimensions_is_written_in_place_too():
    buffer = ResultBuffer(TensorType((), np.dtype("f8")))
    buffer.box(ZRange((), ()))[...] = 3
    assert buffer.array == 3


def test_threads_get_one_array():
    buffer = ResultBuffer(TYPE)
    with ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda _: buffer.array, range(32)))
    assert all(array is arrays[0] for array in arrays)


def test_a_pickled_buffer_is_remote_and_small():
    buffer = ResultBuffer(TensorType((10**6,), np.dtype("f8")))
    buffer.array[...] = 1
    pickled = pickle.dumps(buffer)
    assert len(pickled) < 200
    far = pickle.loads(pickled)
    assert buffer.is_local
    assert not far.is_local


def test_a_remote_buffer_holds_no_cells():
    with pytest.raises(RuntimeError, match="remote"):
        _ = REMOTE.array


def test_a_whole_block_of_its_own_becomes_the_array():
    buffer = ResultBuffer(TYPE)
    block = np.arange(24, dtype="int16").reshape(4, 6)
    assert buffer.adopt(block.copy())
    assert buffer.array.sum() == block.sum()
    for other in (block, block[:2], np.asfortranarray(block), block.astype("int32")):
        buffer = ResultBuffer(TYPE)
        assert not buffer.adopt(other)  # a view, a part, another order, other cells
    assert not REMOTE.adopt(block.copy())


def test_a_factor_of_a_matrix_is_not_copied(monkeypatch):
    made = []
    factor = np.linalg.cholesky

    def kept(a):
        made.append(factor(a))
        return made[-1]

    monkeypatch.setattr(np.linalg, "cholesky", kept)
    monkeypatch.setattr(lapack, "routines", lambda: None)  # which write where the result belongs
    monkeypatch.setattr("dask_tapestry.operators.matrices.matrix_operator.LEAST_PANEL_CELLS", 1)
    found = dt.linalg.cholesky(np.eye(7) * 4).compute(scheduler="sync")
    assert found is made[-1]
    np.testing.assert_array_equal(found, np.eye(7) * 2)


def test_buffers_do_not_tell_graphs_apart():
    assert tokenize(ResultBuffer(TYPE)) == tokenize(REMOTE)


def run(graph, scheduler_tasks):
    """Run the tasks of a layer in order and return their results."""
    return [graph[key](scheduler_tasks) for key in graph]


def test_a_local_run_writes_into_the_array_it_returns():
    plan = build_plan([dt.arange(10).rechunk(4).node])
    (layer, gather) = Lowering(plan, None).lower(final=True).graph.layers.values()
    blocks = {key: layer[key]({}) for key in layer}
    result = next(iter(run(gather, blocks)))
    np.testing.assert_array_equal(result, np.arange(10))
    assert all(np.shares_memory(block, result) for block in blocks.values())


def test_blocks_to_be_kept_do_not_share_memory():
    plan = build_plan([dt.arange(10).rechunk(4).node])
    (layer,) = Lowering(plan, None).lower(final=False).graph.layers.values()
    blocks = [layer[key]({}) for key in layer]
    assert [block.tolist() for block in blocks] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert all(block.base is None for block in blocks)


def test_a_result_lies_as_what_it_is_made_of():
    x = np.arange(12.0).reshape(3, 4)
    assert (dt.asarray(x.T) * 2 + dt.asarray(x.T)).compute().flags.f_contiguous
    assert (dt.asarray(x.T) * 2 + dt.asarray(x.T.copy())).compute().flags.c_contiguous
    assert (dt.asarray(x) * 2).compute().flags.c_contiguous
    assert dt.asarray(x.T).sum(axis=0).compute().flags.c_contiguous

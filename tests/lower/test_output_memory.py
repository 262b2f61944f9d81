import numpy as np

from dask_tapestry.lower.output_memory import room_for, zeros_for
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection

F8, I4 = np.dtype("f8"), np.dtype("i4")


def test_room_for_cells():
    room = room_for(TensorType((90, 80), F8), (4, 8))
    assert (room.shape, room.dtype) == ((4, 8), F8)
    assert zeros_for(TensorType((90, 80), F8), (1, 2)).tolist() == [[0.0, 0.0]]


def test_room_for_several_outputs():
    rows = OutputWindow("rows", F8, IndexProjection([[3]], [0], [3]))
    table = OutputWindow("table", I4, IndexProjection([[1], [0]], [0, 0], [1, 5]))
    both = TensorType((90,), outputs_dtype((rows, table)))
    zeros = zeros_for(both, (4,))
    assert (zeros["rows"].tolist(), zeros["table"].sum()) == ([0.0] * 12, 0)
    room = room_for(both, (4,))
    assert (room.shape, room["rows"].shape, room["table"].shape) == ((4,), (12,), (4, 5))
    room["table"][...] = 7
    part = room[slice(1, 3),]
    assert part["table"].tolist() == [[7] * 5] * 2

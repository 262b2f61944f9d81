import pickle

import numpy as np
import pytest

from dask_tapestry_kernels.block_format import is_on_device, on_cuda, with_all_cells
from dask_tapestry_kernels.field_blocks import FieldBlocks, cell_dtypes

STATE = np.dtype([("mean", "f4"), ("m2", "f8")])
JOINT = np.dtype([("f0", STATE), ("f1", "?"), ("f2", "c16")])


def drawn(shape, dtype=JOINT):
    count = np.prod(shape) * dtype.itemsize
    drawn = np.random.default_rng(1).integers(0, 2, count, np.uint8)
    return drawn.view(dtype).reshape(shape)


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 4), (2, 0, 3)])
def test_fields_are_views_and_become_the_same_cells_again(shape):
    cells = drawn(shape)
    block = FieldBlocks.of(cells)
    assert (block.shape, block.ndim, block.nbytes) == (shape, len(shape), cells.nbytes)
    assert [one.dtype for one in block.held] == list(cell_dtypes(JOINT))
    again = block.structured()
    assert (again.dtype, again.tobytes()) == (JOINT, cells.tobytes())
    assert all(np.shares_memory(one, cells) == bool(cells.size) for one in block.held)


def test_parts_are_cut_turned_and_put_together():
    cells = drawn((4, 3))
    block = FieldBlocks.of(cells)
    assert block[1:3, 0:3].structured().tobytes() == cells[1:3].tobytes()
    turned = block.transpose((1, 0))
    assert turned.shape == (3, 4)
    assert turned.structured().tobytes() == np.ascontiguousarray(cells.T).tobytes()
    made = block.like((4, 3))
    assert isinstance(made["f0"], FieldBlocks)
    for rows in (slice(0, 1), slice(1, 4)):
        made[rows, 0:3, ...] = block[rows, 0:3, ...]
    assert made.structured().tobytes() == cells.tobytes()


def test_pickled_they_have_their_cells():
    cells = drawn((2, 3))
    again = pickle.loads(pickle.dumps(FieldBlocks.of(cells)))
    assert again.structured().tobytes() == cells.tobytes()


def test_a_device_has_an_array_for_each_field(device_kernels):
    cells, known = drawn((2, 3)), on_cuda()
    block = known.of_block(cells)
    assert isinstance(block, FieldBlocks)
    assert {type(one).__module__ for one in block.held} == {"cupy"}
    assert is_on_device(block)
    assert known.of(block) == known
    assert {type(one).__module__ for one in known.beside(block, (5,)).held} == {"cupy"}
    assert with_all_cells(block[:1, 1:]).tobytes() == cells[:1, 1:].tobytes()
    moved = pickle.loads(pickle.dumps(block))
    assert with_all_cells(moved).tobytes() == cells.tobytes()


def test_what_a_device_holds(device_kernels):
    assert on_cuda().holds(JOINT)
    assert not on_cuda().holds(np.dtype([("value", "M8[s]"), ("place", "i8")]))
    assert not on_cuda().holds(np.dtype([("value", "f8", (2,))]))

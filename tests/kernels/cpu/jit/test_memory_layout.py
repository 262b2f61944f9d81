import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit.memory_layout import address, is_readable, lines, storage


@pytest.mark.parametrize(
    ("shape", "axis", "together", "parts"),
    [
        ((10,), 0, True, [(1, 1)]),
        ((4, 10), 0, True, [(1, 10)]),
        ((4, 10), 1, False, [(4, 1)]),
        ((2, 4, 10), 1, True, [(2, 10)]),
        ((2, 3, 10), 2, False, [(6, 1)]),
        ((2, 3, 4, 10), 1, True, [(2, 40)]),
    ],
)
def test_dense_blocks_are_one_part(shape, axis, together, parts):
    x = np.zeros(shape)
    found = list(lines(x, x, axis, together))
    assert [(p.lines, p.columns) for p in found] == parts


@pytest.mark.parametrize("axis", range(4))
def test_parts_of_a_part_of_an_array_tile_it(axis):
    """All cells but those along the axis, whose first ones are found."""
    whole = np.zeros((3, 4, 5, 6))
    part = whole[:, 1:3, :, 1:4]
    other = np.zeros(part.shape)
    for p in lines(part, other, axis, True):
        for block, room, (first, line, _) in ((part, whole, p.first), (other, other, p.second)):
            start = address(block) - address(room) + first
            seen = np.ndarray((p.lines, p.columns), "f8", room, start, (line, 8))
            seen += 1
        assert np.zeros(np.delete(part.shape, axis))[p.place].size == p.lines * p.columns
    expected = np.zeros(part.shape)
    expected[(slice(None),) * axis + (0,)] = 1
    assert np.array_equal(part, expected)
    assert np.array_equal(other, expected)
    assert whole.sum() == expected.sum()


def test_blocks_whose_cells_run_forward_are_read_where_they_lie():
    x = np.arange(6.0).reshape(2, 3)
    assert is_readable(x)
    assert is_readable(x[:, 1:])
    for other in (x.T, x[::-1], np.broadcast_to(x, (2, 2, 3)), x.astype(">f8")):
        assert not is_readable(other)


def test_cells_are_stored_by_a_name_that_compiled_loops_know():
    assert [storage(np.dtype(d)) for d in ("?", "f2", "f8", "i1")] == [
        "uint8",
        "uint16",
        "float64",
        "int8",
    ]

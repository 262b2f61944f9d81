import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.cell_bytes import (
    equal_cells,
    fields,
    not_zero_cells,
    view_cells,
    with_field,
)
from tests.operators.blocks import by_blocks

KIND = np.dtype([("a", "i4"), ("b", "f8"), ("c", "S2"), ("v", "i2", (3,))])
CELLS = np.zeros((3, 4), KIND)
CELLS["a"] = np.arange(12).reshape(3, 4) % 5
CELLS["b"] = np.arange(12).reshape(3, 4) % 2
CELLS["c"] = b"xy"


def node_of(cells):
    return dt.asarray(cells).node


def same(made, wanted):
    return made.dtype == wanted.dtype and np.array_equal(made, wanted)


@pytest.mark.parametrize("step", [1, 2, 9])
def test_some_fields_in_any_order(step):
    node = fields(node_of(CELLS), ("b", "a"))
    assert same(by_blocks(node, (CELLS,), step), CELLS[["b", "a"]])


def test_one_field_assigned():
    wanted = CELLS.copy()
    wanted["b"] = 7.5
    values = np.full((3, 4), 7.5)
    node = with_field(node_of(CELLS), "b", node_of(values))
    assert same(by_blocks(node, (CELLS, values), 2), wanted)


def test_a_field_that_is_an_array_is_assigned():
    wanted, values = CELLS.copy(), np.arange(36).reshape(3, 4, 3)
    wanted["v"] = values
    node = with_field(node_of(CELLS), "v", node_of(values))
    assert same(dt.Array(node).compute(), wanted)
    wide = np.zeros(2, [("w", "f4", (5, 13))])
    with pytest.raises(dt.DTypeError, match="holds 65 numbers in each cell"):
        with_field(node_of(wide), "w", node_of(wide["w"]))


def test_cells_of_fields_are_compared():
    other = CELLS[::-1].copy()
    assert same(by_blocks(equal_cells(node_of(CELLS), node_of(other)), (CELLS, other), 2),
                other == CELLS)  # fmt: skip
    with pytest.raises(dt.DTypeError):
        equal_cells(node_of(CELLS), node_of(np.zeros((3, 4), [("z", "M8[s]")])))


@pytest.mark.parametrize("into", ["u1", "i2", ">i2", "f8", "S4", "c16", "V6", "M8[D]"])
@pytest.mark.parametrize("kind", ["u1", "i4", "f8", "V6", "S4"])
def test_bytes_as_other_cells(kind, into):
    cells = np.arange(3 * 48 * np.dtype(kind).itemsize).astype("u1").view(kind).reshape(3, 48)
    try:
        wanted = cells.view(into)
    except ValueError:
        with pytest.raises(dt.ShapeError):
            view_cells(node_of(cells), np.dtype(into))
        return
    made = dt.asarray(cells).view(into)
    assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype.newbyteorder("="))
    assert made.compute().tobytes() == wanted.astype(made.dtype).tobytes()


def test_structured_dtypes_of_one_size_are_told_apart():
    cells = np.arange(4, dtype="f8")
    for kind in ([("x", "f4"), ("y", "i4")], [("x", "i4"), ("y", "f4")]):
        assert same(dt.asarray(cells).view(kind).compute(), cells.view(kind))


def test_bytes_that_make_no_cells():
    for cells, into, error in [
        (np.ones(3, "i4"), "f8", dt.ShapeError),
        (np.ones((), "i4"), "i2", dt.ShapeError),
        (np.ones(128, "u1"), "S128", dt.DTypeError),
    ]:
        with pytest.raises(error):
            view_cells(node_of(cells), np.dtype(into))


@pytest.mark.parametrize("step", [1, 2, 9])
def test_which_records_are_not_zero(step):
    cells = CELLS.copy()
    cells["c"] = b""
    wanted = (cells["a"] != 0) | (cells["b"] != 0)
    assert same(by_blocks(not_zero_cells(node_of(cells)), (cells,), step), wanted)

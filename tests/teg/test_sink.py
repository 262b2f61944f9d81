import numpy as np

import dask_tapestry as dt
from dask_tapestry.teg import CELL_BY_CELL, Sink


def sink(tmp_path):
    x = dt.asarray(np.ones((6, 4)))
    return dt.to_zarr(x, tmp_path / "x", chunks=(2, 4), compute=False).node


def test_a_sink_stands_for_what_was_written_and_has_no_cells(tmp_path):
    node = sink(tmp_path)
    assert isinstance(node.operator, Sink)
    assert node.type == node.inputs[0].type
    assert node.operator.block_bytes(node.type, node.type.box) == 0
    assert node.operator.demand(node.input_types, node.type.box) == (node.type.box,)


def test_it_is_written_piece_by_piece_and_holds_nothing_twice(tmp_path):
    node = sink(tmp_path)
    assert node.operator.turns(node.input_types) == CELL_BY_CELL
    assert node.operator.reads_once(node.input_types) == (True,)
    assert node.operator.chunks == (2, 4)

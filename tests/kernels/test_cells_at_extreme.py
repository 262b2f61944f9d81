import pickle

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cells_at_extreme import (
    CarriedCells,
    DeviceKernels,
    Score,
    cells_at_extreme,
    shaped,
)
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from tests.comparisons import same_bits

SCORE = np.array([[3.0, 9, 9, 1], [5, 2, 5, 0]])
BAND = np.arange(8).reshape(2, 4)


def fold(target=None, source=None, origin=(0,)):
    told = {"monoid": "argmax", "axes": (1,), "tree": Tree((4,), 2), "ddof": 0.0}
    state = np.dtype([("value", "f8"), ("place", "i8")])
    told |= {"dtype": np.dtype("i8"), "state": state, "origin": origin}
    return {**told, "source": source, "target": target}


def told(calls):
    """A device of NumPy's that tells which places were taken along."""

    def take_along(out, block, places, *, axis, extent):
        calls.append((places.tolist(), axis, extent))
        return np.take_along_axis(block, places, axis)

    return DeviceKernels(KERNELS["reduce"], take_along, evaluate)


def test_cells_are_taken_once_where_the_places_are():
    calls = []
    carried = CarriedCells((1,), None)
    places, cells = cells_at_extreme(
        told(calls), (SCORE, BAND), Score((0,), fold()), [carried], count=1
    )
    assert places.tolist() == [1, 0]
    assert cells.tolist() == [[1], [4]]
    assert calls == [([[1], [0]], 1, 4)]


def test_values_lose_the_folded_axis_and_nodes_keep_it():
    carried = [CarriedCells((1,), None)]
    for target, shape in ((None, (2,)), (0, (2, 2))):
        given = fold(target)
        parts = cells_at_extreme(told([]), (SCORE, BAND), Score((0,), given), carried, 1)
        dtype, fields = shaped(parts, given)
        assert dtype.names == ("at", "f0")
        assert {field.shape for field in fields} == {shape}
        assert fields[1].dtype == BAND.dtype


def test_a_block_that_begins_elsewhere_takes_from_its_own_cells():
    calls = []
    given = fold(0, origin=(2,))
    blocks = SCORE[:, 2:], BAND[:, 2:]
    cells = cells_at_extreme(told(calls), blocks, Score((0,), given), [CarriedCells((1,), None)], 1)
    assert same_bits(cells[1], np.array([[2], [6]]))
    assert calls == [([[0], [0]], 1, 2)]


def test_what_is_told_travels():
    told_of = CarriedCells((0, 2), None), Score((1,), {"monoid": "argmin"})
    assert pickle.loads(pickle.dumps(told_of)) == told_of

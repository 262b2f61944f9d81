import numpy as np

from dask_tapestry_kernels.cuda.blocks.fields import member, output
from dask_tapestry_kernels.field_blocks import FieldBlocks
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape


def test_a_field_is_a_view():
    cells = np.array([(1.0, 2), (3.0, 4)], [("value", "f8"), ("place", "i8")])
    found = member(None, FieldBlocks.of(cells), name="place", keep=())
    assert found.tolist() == [2, 4]
    assert np.shares_memory(found, cells)


def test_the_cells_of_an_output_that_are_wanted_are_a_view():
    pairs = OutputShape("pairs", np.dtype("f8"), (OutputAxis(0, 1), OutputAxis(None, 3)))
    array = np.arange(12.0).reshape(4, 3)
    block = OutputBlocks((4,), (pairs,), (array,))
    found = output(None, block, name="pairs", keep=(slice(1, 3), slice(0, 2)))
    assert found.tolist() == [[3, 4], [6, 7]]
    assert np.shares_memory(found, array)

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.cells.compiled_tiles import run
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation

F4 = np.dtype("f4")


def doubled():
    builder = CellBuilder((F4,))
    return builder.finish(builder.call("add", (0, 0), F4))


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (5, 7)])
def test_tiles_cover_a_block_once_or_more(rows, columns):
    """Of tiles of 4 x 5 cells, the last ones lie against the edge."""
    shape = 4 * rows - (rows > 1), 5 * columns - 2 * (columns > 1)
    x = np.arange(np.prod(shape), dtype=F4).reshape(shape)
    out, buffer = np.zeros(shape, F4), np.empty((4, 5), F4)
    moves = x.strides
    operations = [
        Operation(doubled(), (x[:4, :5], buffer), (moves, (0, 0))),
        Operation(doubled(), (buffer, out[:4, :5]), ((0, 0), moves)),
    ]
    grid = [GridLine(rows, 4, shape[0] - 4), GridLine(columns, 5, shape[1] - 5)]
    with compile_service.mode("wait"):
        assert run(operations, grid, x.size)
    assert np.array_equal(out, x * 4)

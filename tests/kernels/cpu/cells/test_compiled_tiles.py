import numpy as np

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.cells.compiled_tiles import run
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation

F8 = np.dtype("f8")


def total():
    builder = CellBuilder((F8, F8))
    return builder.finish(builder.call("add", (0, 1), F8))


def operations(x, out, buffer, side):
    """``buffer = x[i] + x[i + 1]``, then ``out = buffer[i] + buffer[i + 1]``, in the first tile."""
    moves = (8, 8, 0), (0, 0, 8)
    arrays = (x[: side + 1], x[1 : side + 2], buffer), (buffer[:-1], buffer[1:], out[:side])
    return [
        Operation(total(), a, tuple((m,) for m in move))
        for a, move in zip(arrays, moves, strict=True)
    ]


def test_two_formulas_in_tiles_of_which_the_last_overlaps():
    x, out, side = np.arange(100.0) ** 2, np.zeros(98), 30
    grid = [GridLine(4, side, 98 - side)]
    with compile_service.mode("wait"):
        assert run(operations(x, out, np.empty(side + 1), side), grid, 98)
    y = x[:-1] + x[1:]
    assert np.array_equal(out, y[:-1] + y[1:])


def test_nothing_is_done_while_a_kernel_is_missing():
    x, out = np.arange(100.0), np.zeros(98)
    with compile_service.mode("off"):
        builder = CellBuilder((F8, F8))
        formula = builder.finish(builder.call("hypot", (0, 1), F8))
        ready = [o._replace(expression=formula) for o in operations(x, out, np.empty(99), 98)]
        assert not run(ready, [GridLine(1, 98, 0)], 98)
    assert not out.any()

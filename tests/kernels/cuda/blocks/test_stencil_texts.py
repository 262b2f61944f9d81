import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.windows.stencil_steps import End, StencilProgram
from dask_tapestry_kernels.cuda.blocks.stencil_texts import (
    SHARED,
    StencilTile,
    stencil_program,
    stencil_tile,
)


def heat(dtype, mode):
    """A step of diffusion in two dimensions."""
    b = CellBuilder((dtype,) * 5)
    around = b.call("add", (b.call("add", (1, 2), dtype), b.call("add", (3, 4), dtype)), dtype)
    four = b.call("multiply", (0, b.constant(dtype.type(4))), dtype)
    change = b.call("subtract", (around, four), dtype)
    scaled = b.call("multiply", (change, b.constant(dtype.type(0.1))), dtype)
    expression = b.finish(b.call("add", (0, scaled), dtype))
    taps = ((0, (0, 0)), (0, (-1, 0)), (0, (1, 0)), (0, (0, -1)), (0, (0, 1)))
    ends = ((End(mode, 1, (0.5,)), End(mode, 1, (0.5,))),) * 2
    return StencilProgram(((expression, (0, 1, 2, 3, 4)),), taps, (), ends, (1, 1))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("kind", "fd")
@pytest.mark.parametrize("mode", ["wrap", "edge", "constant"])
def test_steps_compile_without_contraction_and_with_few_registers(kind, mode, check_assembly):
    dtype = np.dtype(kind)
    tile = stencil_tile((4000, 4000), (1, 1), 10, dtype.itemsize)
    check_assembly(stencil_program(heat(dtype, mode), (dtype,), tile, 256), 96, shared=SHARED)


def test_a_tile_has_room_for_both_fields_of_a_step():
    for steps in (1, 4, 10):
        tile = stencil_tile((4000, 4000), (1, 1), steps, 8)
        assert 2 * 8 * np.prod(tile.widest((1, 1))) <= SHARED
        assert 1 <= tile.steps <= steps
    assert stencil_tile((4000, 4000), (1, 1), 10, 8).steps > 1
    assert stencil_tile((100, 100), (200, 200), 1, 8) is None


def test_tiles_are_no_larger_than_the_block():
    assert stencil_tile((3, 5), (1, 1), 2, 8).sides[1] <= 8


def test_formulas_without_a_compiled_meaning_have_no_program():
    b = CellBuilder((np.dtype("f8"),))
    expression = b.finish(b.call("spacing", (0,), np.dtype("f8")))
    ends = ((End("edge", 0), End("edge", 0)),)
    told = StencilProgram(((expression, (0,)),), ((0, (0,)),), (), ends, (0,))
    assert stencil_program(told, (np.dtype("f8"),), StencilTile(1, (32,)), 256) is None

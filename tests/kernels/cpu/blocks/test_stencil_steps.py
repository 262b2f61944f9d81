import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.windows.stencil_steps import End, StencilProgram
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import stencil_steps as module
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters import stencil_tiles

F8 = np.dtype("f8")
TAPS = ((0, (0, 0)), (0, (-1, 0)), (0, (0, 2)), (1, (0, 0)))


def formula():
    """``x + x[-1, 0] * c - x[0, 2] / t``, of cells, coefficients and the number of the step."""
    b = CellBuilder((F8,) * 5)
    product = b.call("multiply", (1, 3), F8)
    total = b.call("add", (0, product), F8)
    return b.finish(b.call("subtract", (total, b.call("divide", (2, 4), F8)), F8))


def of_time():
    b = CellBuilder((np.dtype("i8"),))
    return b.finish(b.call("add", (b.cast(0, F8), b.constant(np.float64(2))), F8))


def program(mode):
    ends = (
        (End(mode, 1, (7.0,)), End(mode, 0, (7.0,))),
        (End(mode, 0, (7.0,)), End(mode, 2, (7.0,))),
    )
    return StencilProgram(((formula(), (0, 1, 2, 3, -1)),), TAPS, (of_time(),), ends, (1, 2))


def by_numpy(x, c, steps, first, mode):
    options = {"constant_values": 7.0} if mode == "constant" else {}
    for t in range(first, first + steps):
        p = np.pad(x, ((1, 0), (0, 2)), mode=mode, **options)
        x = x + p[:-1, :-2] * c - p[1:, 2:] / (t + 2.0)
    return x


def block_of(x, c, box, steps, mode):
    """What the kernel is given for a block, and what it makes of it."""
    (a, b), (e, f) = box
    rows, columns = x.shape
    far = steps, 2 * steps
    if mode == "wrap":
        fields = [np.pad(y, ((far[0],) * 2, (far[1],) * 2), mode="wrap") for y in (x, c)]
        parts = [y[a : b + 2 * far[0], e : f + 2 * far[1]] for y in fields]
        lows = ((a - far[0], e - far[1]),) * 2
    else:
        lo = max(0, a - far[0]), max(0, e - far[1])
        hi = min(rows, b + far[0]), min(columns, f + far[1])
        parts = [y[lo[0] : hi[0], lo[1] : hi[1]] for y in (x, c)]
        lows = (lo, lo)
    out = np.full((b - a, f - e), np.nan)
    made = KERNELS["stencilsteps"](
        out, np.int64(3), *parts, program=program(mode), steps=steps, cells=x.shape,
        box=((a, e), (b, f)), lows=lows,
    )  # fmt: skip
    assert made is out
    return made


@pytest.mark.covering
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("mode", ["wrap", "edge", "symmetric", "constant"])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_block_has_the_cells_of_the_whole(mode, steps, compiled, monkeypatch):
    rng = np.random.default_rng(steps)
    x, c = rng.standard_normal((90, 110)), rng.random((90, 110))
    expected = by_numpy(x, c, steps, 3, mode)
    monkeypatch.setattr(module, "SMALLEST", 64)
    monkeypatch.setattr(stencil_tiles, "CACHE", 2**14)
    stencil_tiles.tile_of.cache_clear()
    with compile_service.mode("wait" if compiled else "off"):
        for box in (((0, 90), (0, 110)), ((0, 31), (60, 110)), ((40, 41), (30, 95))):
            (a, b), (e, f) = box
            found = block_of(x, c, box, steps, mode)
            np.testing.assert_array_equal(found, expected[a:b, e:f])
    stencil_tiles.tile_of.cache_clear()

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import gather, gather_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.coordinate_steps import CoordinateStep


@pytest.mark.few(5)  # each window
@pytest.mark.covering(together=1)  # each has a kernel of its own
@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16", "S3", "S6"])
@pytest.mark.parametrize("window", [(), (1,), (0,), (0, 2), (0, 3), (1, 2)])
def test_the_loop_has_numpys_cells(dtype, window):
    generator = np.random.default_rng(0)
    operand = generator.integers(0, 9, (30, 20, 40)).astype(dtype)[:, ::2, 3:]
    steps, rank = [], len(window) + 2
    batch = tuple(a for a in range(rank) if a not in window)
    for number in range(3):
        n = operand.shape[number]
        if number < len(window):
            steps.append((window[number], number, n // 2, n, 0, 0))
        else:
            steps.append((None, number, n - 1, n, 0, 0))
    sides = iter((operand.shape[0] // 2, operand.shape[1] // 2))
    counts = iter([200, 90])
    shape = tuple(next(sides) if a in window else next(counts) for a in range(rank))
    indices = generator.integers(-3, 40, (200, 90, 3))
    told = [CoordinateStep(*s) for s in steps]
    starts = [gather.start_of(indices, 2, s) for s in told]
    with compile_service.mode("wait"):
        made = gather_compiled.gather(None, operand, starts, told, batch, shape)
    with compile_service.mode("off"):
        plain = gather.gather(
            None, operand, indices, steps=steps, vector=2, window=window, shape=shape
        )
    assert made is not None
    np.testing.assert_array_equal(made, plain)


def test_memory_that_is_given_is_filled():
    x, out = np.arange(40_000.0).reshape(-1, 2), np.empty((20_000, 2))
    told = [
        CoordinateStep(None, 0, 19_999, 20_000, 0, 0),
        CoordinateStep(1, None, 0, 2, 0, 0),
    ]
    starts = [np.arange(20_000)[::-1], None]
    with compile_service.mode("wait"):
        assert gather_compiled.gather(out, x, starts, told, (0,), (20_000, 2)) is out
    np.testing.assert_array_equal(out, x[::-1])

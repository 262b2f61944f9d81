"""Steps of stencils in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.windows.stencil_steps import End, StencilProgram
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda.blocks import stencil_texts
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

F8 = np.dtype("f8")
TAPS = ((0, (0, 0)), (0, (-1, 0)), (0, (0, 2)), (1, (0, 0)), (0, (-1, 2)))
RANDOM = np.random.default_rng(6)


def formula(dtype):
    """``x + x[-1, 0] * c * 0.3 - x[0, 2] + x[-1, 2] / t``."""
    b = CellBuilder((dtype,) * 6)
    scale = b.constant(dtype.type(0.3)) if dtype.kind == "f" else b.constant(dtype.type(3))
    product = b.call("multiply", (b.call("multiply", (1, 3), dtype), scale), dtype)
    rest = b.call("subtract", (b.call("add", (0, product), dtype), 2), dtype)
    last = b.call("divide", (4, 5), dtype) if dtype.kind == "f" else 4
    return b.finish(b.call("add", (rest, last), dtype))


def of_time(dtype):
    b = CellBuilder((np.dtype("i8"),))
    return b.finish(b.call("add", (b.cast(0, dtype), b.constant(dtype.type(2))), dtype))


def program(mode, dtype=F8, other=None):
    other = other or mode
    ends = (
        (End(mode, 1, (7.0,)), End(mode, 0, (7.0,))),
        (End(other, 0, (-3.0,)), End(other, 2, (-3.0,))),
    )
    one = (formula(dtype), (0, 1, 2, 3, 4, -1))
    return StencilProgram((one,), TAPS, (of_time(dtype),), ends, (1, 2))


def whole(told, *fields, steps, box=None, **ways):
    """What both kernels make of a block, of fields that reach as far as it needs."""
    shape = fields[0].shape
    (lo, hi) = box or ((0,) * len(shape), shape)
    far = [steps * r for r in told.reach]
    parts, lows = fields, [(0,) * len(shape)] * len(fields)
    for axis, (before, _) in enumerate(told.ends):
        if before.mode == "wrap":
            around = [(far[axis], far[axis]) if a == axis else (0, 0) for a in range(len(shape))]
            parts = [np.pad(part, around, mode="wrap") for part in parts]
            lows = [(*low[:axis], -far[axis], *low[axis + 1 :]) for low in lows]
    arguments = {"program": told, "steps": steps, "cells": shape, "box": (lo, hi)}
    arguments |= {"lows": tuple(lows), **ways}
    expected = CPU["stencilsteps"](None, np.int64(3), *parts, **arguments)
    made = run(CUDA["stencilsteps"], None, np.int64(3), *parts, **arguments)
    return made, expected


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Tiles of a few cells, so that there are several."""
    monkeypatch.setattr(stencil_texts, "SHARED", 2**13)
    monkeypatch.setattr(stencil_texts, "SIDES", (1, 2, 4, 8))
    stencil_texts.stencil_tile.cache_clear()
    yield
    stencil_texts.stencil_tile.cache_clear()


@pytest.mark.parametrize("mode", ["wrap", "edge", "symmetric", "constant"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_steps_of_a_block(gpu, mode, steps):
    x, c = RANDOM.standard_normal((11, 9)), RANDOM.random((11, 9))
    made, expected = whole(program(mode), x, c, steps=steps)
    assert same_bits(made, expected)


@pytest.mark.parametrize("mode", ["edge", "symmetric", "constant", "wrap"])
@pytest.mark.parametrize("other", ["edge", "constant", "wrap"])
def test_corners_are_those_of_the_axis_that_is_filled_last(gpu, mode, other):
    x, c = RANDOM.standard_normal((5, 6)), RANDOM.random((5, 6))
    made, expected = whole(program(mode, other=other), x, c, steps=2)
    assert same_bits(made, expected)


@pytest.mark.parametrize(
    "box", [((0, 0), (4, 3)), ((3, 2), (11, 9)), ((5, 4), (6, 5)), ((2, 2), (2, 5))]
)
def test_parts_of_an_array(gpu, box):
    x, c = RANDOM.standard_normal((11, 9)), RANDOM.random((11, 9))
    made, expected = whole(program("symmetric"), x, c, steps=2, box=box)
    assert same_bits(made, expected)


@pytest.mark.parametrize("kind", "efil")
def test_fields_of_other_dtypes(gpu, kind):
    dtype = np.dtype(kind)
    x, c = (RANDOM.uniform(-3, 3, (2, 7, 6))).astype(dtype)
    made, expected = whole(program("constant", dtype), x, c, steps=2)
    assert same_bits(made, expected)


def test_steps_that_have_no_room_together_are_launched_apart(gpu, monkeypatch):
    monkeypatch.setattr(stencil_texts, "SHARED", 2**11)
    x, c = RANDOM.standard_normal((9, 8)), RANDOM.random((9, 8))
    for mode in ("edge", "wrap"):
        stencil_texts.stencil_tile.cache_clear()
        made, expected = whole(program(mode), x, c, steps=5)
        assert same_bits(made, expected)
    assert len([p for p, _ in gpu.launches if "field0" in p.source]) > 2


def test_no_room_for_a_step_is_an_error(gpu, monkeypatch):
    monkeypatch.setattr(stencil_texts, "SHARED", 64)
    x, c = RANDOM.standard_normal((9, 8)), RANDOM.random((9, 8))
    with pytest.raises(KernelDeviceError, match="no room for a step"):
        whole(program("edge"), x, c, steps=1)


def test_several_fields_of_several_axes(gpu):
    b = CellBuilder((F8, F8))
    mean = b.finish(
        b.call("multiply", (b.call("add", (0, 1), F8), b.constant(np.float64(0.5))), F8)
    )
    taps = ((0, (0, -1, 0)), (1, (0, 0, 0)), (1, (1, 0, 0)), (0, (0, 0, 1)))
    ends = tuple((End("edge", 1), End("edge", 1)) for _ in range(3))
    told = StencilProgram(((mean, (0, 1)), (mean, (2, 3))), taps, (), ends, (1, 1, 1))
    x, y = RANDOM.standard_normal((2, 4, 3, 5))
    made, expected = whole(told, x, y, steps=2, kept=(0, 1))
    for name in ("f0", "f1"):
        assert same_bits(made[name], expected[name])


def test_a_line(gpu):
    b = CellBuilder((F8, F8))
    total = b.finish(b.call("add", (0, 1), F8))
    told = StencilProgram(
        ((total, (0, 1)),),
        ((0, (-1,)), (0, (1,))),
        (),
        ((End("edge", 1), End("constant", 1, (2.0,))),),
        (1,),
    )
    made, expected = whole(told, RANDOM.standard_normal(40), steps=3)
    assert same_bits(made, expected)

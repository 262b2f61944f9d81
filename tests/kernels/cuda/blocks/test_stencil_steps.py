import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.blocks.stencil_texts import stencil_tile
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.blocks.test_stencil_texts import heat
from tests.kernels.cuda.fake_cupy import FakeCupy

F8 = np.dtype("f8")


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


def test_steps_are_launched_together_as_far_as_a_tile_has_room(cupy):
    x = runtime.runtime().empty((500, 700), F8)
    told = {"program": heat(F8, "edge"), "steps": 10, "cells": x.shape, "lows": ((0, 0),)}
    made = KERNELS["stencilsteps"](None, np.int64(0), x, box=((0, 0), x.shape), **told)
    assert made.shape == x.shape
    together = stencil_tile(x.shape, (1, 1), 10, 8).steps
    assert 1 < len(cupy.launches) < 10
    assert cupy.launches[0][0] == f"{together} steps of 1 fields"


def test_a_block_without_cells_takes_no_launch(cupy):
    x = runtime.runtime().empty((5, 7), F8)
    told = {"program": heat(F8, "edge"), "steps": 1, "cells": x.shape, "lows": ((0, 0),)}
    made = KERNELS["stencilsteps"](None, np.int64(0), x, box=((2, 2), (2, 5)), **told)
    assert made.shape == (0, 3)
    assert not cupy.launches

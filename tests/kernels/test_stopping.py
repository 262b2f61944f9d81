from threading import Thread

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import search, sort, take
from dask_tapestry_kernels.stopping import StoppedError, stop_if_asked, stoppable


def test_inside_alone_and_in_this_thread_alone():
    stop_if_asked()
    with stoppable(lambda: True):
        other = Thread(target=stop_if_asked)
        other.start()
        other.join()
        with stoppable(None):
            stop_if_asked()
        with pytest.raises(StoppedError):
            stop_if_asked()
    stop_if_asked()


CELLS = np.random.default_rng(0).random((40, 50))
LINE = np.sort(CELLS.ravel())
PLACES = np.random.default_rng(1).integers(-40, 40, (30, 3))
CALLS = {
    "search": ((CELLS, LINE), {"side": "left"}),
    "digitize": ((CELLS, LINE), {"right": True}),
    "isin": ((CELLS, LINE[::2]), {"invert": False}),
    "interp": ((CELLS, LINE, LINE**2), {"left": None, "right": None, "period": None}),
    "sort": ((CELLS,), {"axis": 1, "part": slice(None), "in_runs": False}),
    "fourier": ((CELLS,), {"function": "rfft", "axis": 1, "length": 47, "norm": "backward"}),
    "take": (
        (CELLS, PLACES),
        {"axes": (0,), "at": 0, "extents": (40,), "origin": (0,)},
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("given", [False, True])
def test_kernels_of_many_cells_ask_between_turns(name, given, monkeypatch):
    """They have the same bits in turns, and stop after one."""
    arguments, options = CALLS[name]
    kernel = KERNELS[name]
    whole = np.array(kernel(None, *arguments, **options))
    for module in (search, take):
        monkeypatch.setattr(module, "TURN", 100)
    monkeypatch.setattr(sort, "PIECE", 1000)
    asked = []
    out = np.empty_like(whole) if given else None
    with stoppable(lambda: asked.append(0)):
        made = kernel(out, *arguments, **options)
    assert made.dtype == whole.dtype
    np.testing.assert_array_equal(made, whole)
    assert len(asked) > 2
    with stoppable(lambda: True), pytest.raises(StoppedError):
        kernel(None, *arguments, **options)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("function", ["fft", "irfft"])
def test_transforms_in_turns(axis, function, monkeypatch):
    monkeypatch.setattr(sort, "PIECE", 1000)
    options = {"function": function, "axis": axis, "length": 33, "norm": "ortho"}
    made = KERNELS["fourier"](None, CELLS + 1j, **options)
    np.testing.assert_array_equal(made, getattr(np.fft, function)(CELLS + 1j, 33, axis, "ortho"))

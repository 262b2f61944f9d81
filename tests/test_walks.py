"""How far a call goes: the modules between what a user calls and the kernel that computes.

A walk is the stack of calls when some function is called. Its stays are the modules on that stack,
in order; a climb is a stay in a layer above that of the stay before. Frames of Dask and NumPy
between them are left out.

    PYTHONPATH=.:kernels python -m tests.test_walks    # prints the walks
"""

import sys
import threading
import tomllib
from collections.abc import Callable, Collection
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from tests.test_repository import ROOT

KERNEL = "dask_tapestry_kernels.cpu.reduction.reduce.reduce"
NODE = "dask_tapestry.operators.reductions.reduce.reduce"
SEARCH = "dask_tapestry.planner.search.search.search"
WRITER = "dask_tapestry.io.chunks.zarr_chunk_io.write_box"

Walks = dict[str, list[str]]  # by the function that is reached, the modules on the way


def layers() -> list[str]:
    """The layers of the library, upper ones first, as `lint-imports` checks them; then kernels."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    (contract,) = [c for c in tools["importlinter"]["contracts"] if c["id"] == "layers"]
    return [*[layer.strip("()") for layer in contract["layers"]], "kernels"]


def walks(call: Callable[[], Any], ends: Collection[str]) -> Walks:
    """The modules on the stack when each of some functions is first called, callers first."""
    met: Walks = {}

    def look(frame: Any, event: str, _: Any) -> None:
        end = f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}"
        if event != "call" or end not in ends or end in met:
            return
        stays: list[str] = []
        while frame is not None:
            module = frame.f_globals.get("__name__", "")
            if module.startswith("dask_tapestry") and module not in stays[-1:]:
                stays.append(module)
            frame = frame.f_back
        met[end] = stays[::-1]

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return met


def climbs(stays: list[str]) -> int:
    """How often a walk goes from a layer to an upper one."""
    order = layers()
    ranks = [
        order.index("kernels" if "_kernels" in module else module.split(".")[1]) for module in stays
    ]
    return sum(later < earlier for earlier, later in pairwise(ranks))


@pytest.fixture(autouse=True)
def _in_this_thread():
    """What threads that run already call is not seen."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize(
    ("compute", "side"), [(lambda x: x.compute(), 11), (lambda x: dask.compute(x), 13)]
)
def test_a_sum_goes_from_the_call_to_the_kernel_without_detours(compute, side):
    x = dt.asarray(np.ones((10, 10)))
    compute(x.sum())  # imports, compiled kernels
    y = dt.asarray(np.ones((side, 10)))  # of a shape that has no plan yet
    met = walks(lambda: compute(y.sum()), [NODE, SEARCH, KERNEL])
    assert met.keys() == {NODE, SEARCH, KERNEL}
    assert sum(map(len, met.values())) <= 40
    assert sum(map(climbs, met.values())) <= 12


def test_a_write_goes_from_the_call_to_the_store_without_detours(tmp_path):
    x = dt.asarray(np.ones((10, 10)))
    dt.to_zarr(x, tmp_path / "first")
    met = walks(lambda: dt.to_zarr(x, tmp_path / "second"), [WRITER])
    assert 3 < len(met[WRITER]) <= 20
    assert climbs(met[WRITER]) == 0


def test_a_climb_is_a_call_from_a_lower_layer():
    up = ["dask_tapestry.lower.a", "dask_tapestry_kernels.cpu.b", "dask_tapestry.arrays.c"]
    assert climbs(up) == 1
    assert climbs(up[:2]) == 0


if __name__ == "__main__":
    with dask.config.set(scheduler="synchronous"), TemporaryDirectory() as folder:
        data = dt.asarray(np.ones((12, 10)))
        for reached, stays in {
            **walks(lambda: data.sum().compute(), [NODE, SEARCH, KERNEL]),
            **walks(lambda: dt.to_zarr(data, f"{folder}/x"), [WRITER]),
        }.items():
            print(f"{reached}: {len(stays)} stays, {climbs(stays)} climbs")
            print(*stays, sep="\n  ", end="\n\n")

import os
import pickle
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry import imports
from dask_tapestry.imports import LateModule, lazy_import, unpickle
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.planner.build import build_plan

ROOT = Path(__file__).parent.parent
LATE = """lower.graph lower.planned_expression lower.fetch rules.batching_dims
    diagnostics.array_repr operators.indexing.take io.sources.zarr_source io.targets.zarr_target
    planner.cost.exact_costs arrays.masks arrays.planning"""


class Announced:
    """A lock that says when a second one asks for it."""

    def __init__(self, lock, asked):
        self.lock, self.asked, self.users = lock, asked, 0

    def __enter__(self):
        self.users += 1
        if self.users > 1:
            self.asked.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def test_a_module_is_imported_once():
    assert lazy_import("json") is sys.modules["json"]


def test_a_late_module_is_imported_when_a_name_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "late_one.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    late = LateModule("late_one")
    assert "late_one" not in sys.modules
    assert late.value == 3
    with pytest.raises(AttributeError, match="late_one"):
        _ = late.other
    monkeypatch.delitem(sys.modules, "late_one")


def test_unpickling_waits_for_an_import(tmp_path, monkeypatch):
    """The import ends only once the other thread asks; what is unpickled needs all of it."""
    gates = SimpleNamespace(begun=threading.Event(), asked=threading.Event())
    monkeypatch.setitem(sys.modules, "gates", gates)
    monkeypatch.setattr(imports, "_lock", Announced(imports._lock, gates.asked))
    (tmp_path / "slowly.py").write_text(
        "import gates\ngates.begun.set()\ngates.asked.wait()\nclass Late: pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    payload = b"\x80\x04cslowly\nLate\n."
    importer = threading.Thread(target=lazy_import, args=("slowly",))
    importer.start()
    gates.begun.wait()
    assert unpickle(payload).__name__ == "Late"
    importer.join()
    monkeypatch.delitem(sys.modules, "slowly")


def test_what_was_pickled_comes_back():
    assert unpickle(pickle.dumps({"a": (1, 2)})) == {"a": (1, 2)}


def test_a_first_compute_imports_nothing_that_only_clusters_and_other_kernels_need():
    """Modules that nothing of it calls, each with many others behind it."""
    program = """
import sys
import numpy as np
import dask_tapestry as dt
(dt.asarray(np.ones(10)) * 2 + 1).compute()
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}"},
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    late = {"asyncio", "distributed", "zarr", "h5py", "numba", "xarray"}
    late |= {f"dask_tapestry_kernels.cpu.blocks.{name}" for name in ("sort", "fourier", "random")}
    late |= {"dask_tapestry_kernels.cpu.variates.variates", "dask_tapestry_kernels.cpu.scan.scan"}
    late |= {f"dask_tapestry.{name}" for name in LATE.split()}
    assert not loaded & late
    ours = [name for name in late if name.startswith("dask_tapestry")]
    assert [name for name in ours if find_spec(name) is None] == []


WORKER = """
import sys
import numpy as np
from dask_tapestry.lower.execute import run_block
from dask_tapestry.lower.result_buffer import REMOTE
from dask_tapestry.imports import unpickle
spec = unpickle(sys.stdin.buffer.read())
print(run_block(spec, (), REMOTE, np.arange(8.0)).item(), *sys.modules)
"""


def test_a_worker_imports_nothing_that_plans():
    plan = build_plan([(dt.asarray(np.arange(8.0)) * 2).sum().node])
    step = plan.steps[plan.graph.roots[0]]
    done = subprocess.run(
        [sys.executable, "-c", WORKER],
        input=pickle.dumps(StepSpec.of(step, (None,), Cancellation())),
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}"},
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    value, *loaded = done.stdout.decode().split()
    assert value == "56.0"
    of_planner = ("planner.search", "planner.rewriting", "planner.cost", "planner.plan", "rules")
    planned = tuple(f"dask_tapestry.{name}" for name in of_planner)
    assert [name for name in loaded if name.startswith(planned)] == []

"""Facts of hosts and processes, gathered in workers, scheduler and client."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from dask.system import CPU_COUNT
from dask.utils import parse_bytes

from dask_tapestry.imports import lazy_import
from dask_tapestry.memory.process_memory import machine_memory
from dask_tapestry.planner.machine.calibrate import processor

PACKAGES: Final = ("dask", "distributed", "numpy", "zarr", "numba")
OWN: Final = ("dask_tapestry", "dask_tapestry_kernels")
THREAD_SETTINGS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MEMORY_FRACTIONS: Final = ("target", "spill", "pause", "terminate")
CGROUPS: Final = tuple(
    map(Path, ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
)
MOUNTS: Final = Path("/proc/mounts")

Facts = dict[str, Any]


def host_facts() -> Facts:
    """What can be told of a process, in plain values.

    Examples
    --------
    >>> facts = host_facts()
    >>> facts["versions"]["python"] == platform.python_version()
    True
    """
    return {
        "host": platform.node(),
        "pid": os.getpid(),
        "cores": CPU_COUNT,
        "processor": processor(),
        "memory": min(machine_memory(), cgroup_memory() or sys.maxsize),
        "cgroup": cgroup_memory(),
        "versions": versions(),
        "code": code_digest(),
        "thread_settings": {name: os.environ.get(name) for name in THREAD_SETTINGS},
        "blas_threads": blas_threads(),
    }


def worker_facts(dask_worker: Any) -> Facts:
    """What can be told of a worker's process, and what the worker has been given.

    That is threads, memory, scratch space, and when it spills.
    """
    worker = dask_worker
    manager = worker.memory_manager
    folder = str(worker.local_directory)
    fractions = {
        name: getattr(manager, f"memory_{name}_fraction", None) for name in MEMORY_FRACTIONS
    }
    return host_facts() | {
        "name": str(worker.name),
        "threads": int(worker.state.nthreads),
        "limit": int(manager.memory_limit or 0),
        "fractions": {name: _fraction(value) for name, value in fractions.items()},
        "scratch": folder,
        "scratch_free": shutil.disk_usage(folder).free,
        "scratch_kind": file_system(folder),
    }


def _fraction(value: Any) -> float | None:
    """A share of the memory; None where a worker never does that."""
    return float(value) if isinstance(value, float | int) and value else None


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that both sides must agree on.

    Examples
    --------
    >>> sorted(versions())[:3]
    ['dask', 'dask_tapestry', 'distributed']
    """
    by_package = {"python": platform.python_version()}
    for name in PACKAGES:  # numba is asked for without importing it
        try:
            by_package[name] = version(name)
        except PackageNotFoundError:
            by_package[name] = "none"
    return by_package | {"dask_tapestry": str(lazy_import("dask_tapestry").__version__)}


def code_digest() -> str:
    """Text that is another where files of the library or of its kernels are.

    Examples
    --------
    >>> code_digest() == code_digest()
    True
    """
    found = blake2b(digest_size=6)
    for name in OWN:
        folder = Path(str(lazy_import(name).__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def cgroup_memory() -> int | None:
    """Bytes that a container, or a batch job, lets this process have; None without a limit."""
    for file in CGROUPS:
        try:
            limit = parse_bytes(file.read_text().strip())
        except (OSError, ValueError):  # there is none, or it is "max"
            continue
        if limit < machine_memory():
            return int(limit)
    return None


def blas_threads() -> int:
    """Threads that a product of matrices would start in this process.

    Examples
    --------
    >>> blas_threads() >= 1
    True
    """
    found = lazy_import("threadpoolctl").threadpool_info()
    return max([int(one["num_threads"]) for one in found if one["user_api"] == "blas"], default=1)


def file_system(folder: str) -> str:
    """Kind of the file system that a folder lies on; nothing where that cannot be told.

    Examples
    --------
    >>> isinstance(file_system("/"), str)
    True
    """
    try:
        mounts = [line.split()[1:3] for line in MOUNTS.read_text().splitlines()]
    except OSError:
        return ""
    path = Path(folder).resolve()
    above = [(place, kind) for place, kind in mounts if path.is_relative_to(place)]
    return max(above, key=lambda one: len(one[0]))[1] if above else ""


def clock() -> float:
    """The time that this process takes it to be, in seconds."""
    return time.time()

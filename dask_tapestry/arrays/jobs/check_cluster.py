"""check_cluster: whether a cluster is fit for hours of work, before they are lost."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, Final

from dask_tapestry.arrays.jobs.cluster_problems import (
    clock_problems,
    kinds_of_workers,
    memory_problems,
    named,
    scratch_problems,
    thread_problems,
    version_problems,
)
from dask_tapestry.arrays.jobs.cluster_report import ClusterReport
from dask_tapestry.arrays.jobs.host_facts import Facts, clock, host_facts, worker_facts
from dask_tapestry.arrays.jobs.store_probe import Store, store_problems
from dask_tapestry.arrays.tuning import SILENT_SECONDS

__all__ = ["check_cluster"]

HERE: Final = "dask_tapestry.arrays.jobs.host_facts"


def check_cluster(
    client: Any,
    store: str | PathLike[str] | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> ClusterReport:
    """Look at the processes of a cluster for what would make a long job slow, wrong or lost.

    Versions of Python, Dask, NumPy, Zarr, numba and this library, and its files; whether workers
    and scheduler can import it; threads of workers and of BLAS beside the cores of their machines;
    limits of memory beside what machines, containers and batch jobs have; when workers spill and
    pause; scratch space; clocks; workers that are silent; a store, as all processes see it.

    {Parameters}
        client: Dask's, of the cluster.
        store: Path or URL of a folder that workers are to read and write. Small objects are written
            there where that is allowed, read by the others, and removed.
        storage_options: For the file system of a URL: credentials, endpoints.
    {Returns} ClusterReport: Prints as a table and a list; ``ok`` tells whether there are no
        ``problems``, each of which says what to do. What cannot be looked at is a problem, and no
        error is raised.
    {See Also} calibrate
    {Examples}
    >>> from distributed import Client
    >>> with Client(processes=False, dashboard_address=":0") as client:  # doctest: +SKIP
    ...     report = dt.check_cluster(client, store="/shared/images")
    >>> report.ok  # doctest: +SKIP
    True
    """
    here = host_facts()
    facts, problems = {"client": here}, list[str]()
    notes: list[str] = []
    try:
        _collect_facts(client, facts, problems, notes)
        if store is not None and _workers_of(client):
            wrong, known = store_problems(
                Store(fspath(store), dict(storage_options or {})), client.run
            )
            problems += wrong
            notes += known
    except Exception as error:
        problems.append(
            f"cluster: it could not be looked at ({type(error).__name__}: {error}); see whether "
            "the scheduler still runs, and connect anew"
        )
    return ClusterReport(facts, problems, notes)


def _collect_facts(
    client: Any, facts: dict[str, Facts], problems: list[str], notes: list[str]
) -> None:
    """Ask all processes for their facts, and say what is wrong."""
    workers = _workers_of(client)
    if not workers:
        problems.append(
            "workers: there are none; look at the queue of the batch system and at the logs of its "
            "jobs. Until they come, plan with dt.config(resources=dt.Resources(...))"
        )
    problems += _imports(client.run(importlib.util.find_spec, HERE, on_error="return"))
    named_workers = _facts_of_workers(client, workers, problems)
    facts |= _facts_of_scheduler(client, problems) | named_workers
    others = {name: found for name, found in facts.items() if name != "client"}
    version_errors, version_notes = version_problems(facts["client"], others)
    problems += version_errors
    for find in (thread_problems, memory_problems, scratch_problems):
        problems += find(named_workers)
    problems += clock_problems(_skews(client))
    problems += _unresponsive_workers(workers)
    notes += [*version_notes, *kinds_of_workers(named_workers)]


def _workers_of(client: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.scheduler_info(n_workers=-1).get("workers", {})
    return found


def _imports(found: Mapping[str, Any]) -> list[str]:
    """Workers that cannot import this module's neighbour: no library there, or an older one."""
    without = [w for w, spec in found.items() if spec is None or isinstance(spec, BaseException)]
    if not without:
        return []
    return [
        f"imports: {named(without)} cannot import dask_tapestry, or has an older version; install "
        "it in the environment that starts the workers (python= of dask-jobqueue's clusters)"
    ]


def _facts_of_workers(
    client: Any, workers: Mapping[str, Any], problems: list[str]
) -> dict[str, Facts]:
    answers = client.run(worker_facts, on_error="return")
    facts: dict[str, Facts] = {}
    for address, answer in answers.items():
        name = f"worker {workers.get(address, {}).get('name', address)}"
        if isinstance(answer, dict):
            facts[name] = answer
        else:
            problems.append(f"workers: {name} did not answer: {answer!r}; see its log")
    return dict(sorted(facts.items(), key=lambda answer: (len(answer[0]), answer[0])))


def _facts_of_scheduler(client: Any, problems: list[str]) -> dict[str, Facts]:
    try:
        return {"scheduler": client.run_on_scheduler(host_facts)}
    except Exception as error:
        problems.append(
            f"imports: the scheduler could not import dask_tapestry ({error}); install it in the "
            "environment that starts the scheduler: it writes out the graphs of plans"
        )
        return {}


def _skews(client: Any) -> dict[str, float]:
    """How far each worker's clock is ahead, beyond what the way of the question may explain."""
    begin = time.time()
    told = client.run(clock, on_error="return")
    half = (time.time() - begin) / 2
    ahead = {w: t - begin - half for w, t in told.items() if isinstance(t, float)}
    return {w: max(0.0, abs(a) - half) * (1 if a > 0 else -1) for w, a in ahead.items()}


def _unresponsive_workers(workers: Mapping[str, Any]) -> list[str]:
    """Workers that have not been heard of for long."""
    now = time.time()
    silent = [w for w, told in workers.items() if now - told.get("last_seen", now) > SILENT_SECONDS]
    if not silent:
        return []
    return [
        f"workers: {named(silent)} has been silent for more than {SILENT_SECONDS:.0f} s; see its "
        "log, or set distributed.scheduler.worker-ttl, after which a worker is taken to be lost"
    ]

"""Measuring a cluster: a worker of each kind, the way between two, and the scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import dask

from dask_tapestry.arrays.calibration.kernel_rates import kernel_rates
from dask_tapestry.arrays.calibration.memory_rates import memory_rates
from dask_tapestry.arrays.calibration.store_rates import store_rates
from dask_tapestry.arrays.calibration.task_rates import task_rates
from dask_tapestry.arrays.tuning import WORKER_BUDGET_SECONDS
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.machine.calibrate import processor
from dask_tapestry.planner.machine.cluster_rates import keep_cluster_rates, network_rates
from dask_tapestry.planner.machine.rates import Rates, is_seconds, rates_of, rounded
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.settings import config

OPERATIONS: Final = "operations"
LATENCY: Final = "store_latency"
FOLDER: Final = "temporary-directory"  # of Dask's configuration


def calibrate_cluster(client: Any) -> Rates:
    """Measure the cluster of a client, and plan with that as long as there is the client.

    {Raises} PlanError: If it has no workers.
    """
    workers = client.scheduler_info(n_workers=-1).get("workers", {})
    kinds = {(w["nthreads"], w["memory_limit"]): address for address, w in workers.items()}
    if not kinds:
        raise PlanError("the client has no workers to measure")
    asked = [
        client.submit(worker_rates, threads, workers=[address], pure=False)
        for (threads, _), address in kinds.items()
    ]
    found: dict[str, Any] = slowest_rates(client.gather(asked))
    found |= network_rates(client)
    with client.as_current(), config(rates="shipped"):
        tasks = task_rates(current())
    found |= {f"scheduler_{name}": rounded(value) for name, value in tasks.items()}
    rates = rates_of(found)
    keep_cluster_rates(client, rates)
    return rates


def worker_rates(threads: int) -> dict[str, Any]:
    """What a worker of so many threads finds of its machine: memory, kernels, and codecs.

    Rates of stores are those of one thread while all read and write, in the worker's own folder.
    """
    with dask.config.set(scheduler="threads", num_workers=threads):
        found = memory_rates() | _of_a_thread(store_rates(dask.config.get(FOLDER, None)), threads)
        operations = kernel_rates(WORKER_BUDGET_SECONDS)
    known = {name: rounded(value) for name, value in found.items()}
    kernels = {name: rounded(value) for name, value in operations.items()}
    return known | {"machine": processor(), "threads": 1, OPERATIONS: kernels}


def _of_a_thread(rates: Mapping[str, float], threads: int) -> dict[str, float]:
    """Bytes a second of one of so many threads, and seconds that it waits for a request."""
    latency = rates[LATENCY]
    return {name: rate / threads for name, rate in rates.items()} | {LATENCY: latency * threads}


def slowest_rates(machines: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The least of the rates of several machines, the most seconds, and the names of all."""
    machines = list(machines)
    names = machines[0].keys() - {"machine", OPERATIONS}
    kernels = machines[0][OPERATIONS]
    least: dict[str, Any] = {
        name: (max if is_seconds(name) else min)([rates[name] for rates in machines])
        for name in names
    }
    least["machine"] = ", ".join(sorted({rates["machine"] for rates in machines}))
    least[OPERATIONS] = {k: min(rates[OPERATIONS][k] for rates in machines) for k in kernels}
    return least

"""Jobs as the scheduler of a cluster tells of them."""

from __future__ import annotations

from collections import deque
from time import monotonic, sleep
from typing import Any, Final

from dask_tapestry.lower.job import Job
from dask_tapestry.lower.tuning import JOB_LOOK_SECONDS, JOB_PATIENCE_SECONDS

_sent: Final[deque[tuple[str, str]]] = deque(maxlen=256)  # clients, and plans of jobs
NOTHING: dict[str, Any] = {"now": 0.0, "threads": 0, "busy": 0, "fullest": 0.0, "jobs": []}


async def jobs_of_async(client: Any, plan: str = "") -> dict[str, Any]:
    """All jobs that the scheduler of a client remembers; none where none has come to it.

    With `plan`, a fingerprint, the last job of that one alone.
    """
    try:
        found = await client.scheduler.tapestry_jobs(plan=plan)
    except (AttributeError, ValueError):  # it has met no job yet
        return NOTHING
    return dict(found) if isinstance(found, dict) and "jobs" in found else NOTHING


def jobs_of(client: Any, plan: str = "") -> dict[str, Any]:
    """The jobs of a scheduler, for a client that is not asynchronous.

    Raises
    ------
    OSError
        If the scheduler cannot be reached.
    """
    found: dict[str, Any] = client.sync(jobs_of_async, client, plan)
    return found


def sent(client: Any, job: Job) -> None:
    """Say that a job goes to the scheduler of a client."""
    _sent.append((client.id, job["plan"]))


def job_of(client: Any, plan: str) -> dict[str, Any] | None:
    """The last job of a plan; one that was sent a moment ago is waited for.

    Raises
    ------
    OSError
        If the scheduler cannot be reached.
    """
    end = monotonic() + JOB_PATIENCE_SECONDS
    while True:
        found: list[dict[str, Any]] = jobs_of(client, plan)["jobs"]
        if found or (client.id, plan) not in _sent or monotonic() > end:
            return found[0] if found else None
        sleep(JOB_LOOK_SECONDS)

"""What a cluster's scheduler tells of jobs."""

from __future__ import annotations

from typing import Any

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
    """The same, for a client that is not asynchronous.

    Raises
    ------
    OSError
        If the scheduler cannot be reached.
    """
    found: dict[str, Any] = client.sync(jobs_of_async, client, plan)
    return found

"""A preload of schedulers: jobs are watched from its start, and the plan's plot is listed.

::

    dask scheduler --preload dask_tapestry.diagnostics.preload

Dask makes its list of plots when a scheduler starts, before it has heard of any job.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from dask_tapestry.diagnostics.dashboard import page
from dask_tapestry.imports import lazy_import
from dask_tapestry.lower.job_watch import watch

PLOT: Final = "/individual-tapestry-plan"


def dask_setup(scheduler: Any) -> None:
    """Watch a scheduler; Dask calls it of what it preloads."""
    watch(scheduler)


with suppress(ImportError):  # without bokeh there are no plots
    lazy_import("distributed.dashboard.scheduler").applications[PLOT] = page

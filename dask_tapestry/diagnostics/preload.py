"""What a scheduler may preload, to be watched from its start and to list the plot of the plan.

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

"""Modules that arrays ask for on some ways, imported when one of their names is asked for.

What is computed in this process needs no Dask graph and no text: with these the first name of the
library would import another thirty modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dask_tapestry.imports import LateModule

if TYPE_CHECKING:
    from dask_tapestry.arrays.core import computing as computing
    from dask_tapestry.arrays.core import scheduler_blocks as scheduler_blocks
    from dask_tapestry.diagnostics import array_repr as array_repr
    from dask_tapestry.diagnostics import local_jobs as local_jobs
    from dask_tapestry.diagnostics import measured_run as measured_run
    from dask_tapestry.diagnostics import profile as profile
    from dask_tapestry.lower import graph as graph
    from dask_tapestry.lower import planned_expression as planned_expression
else:
    array_repr = LateModule("dask_tapestry.diagnostics.array_repr")
    computing = LateModule("dask_tapestry.arrays.core.computing")
    planned_expression = LateModule("dask_tapestry.lower.planned_expression")
    graph = LateModule("dask_tapestry.lower.graph")
    scheduler_blocks = LateModule("dask_tapestry.arrays.core.scheduler_blocks")
    local_jobs = LateModule("dask_tapestry.diagnostics.local_jobs")
    measured_run = LateModule("dask_tapestry.diagnostics.measured_run")
    profile = LateModule("dask_tapestry.diagnostics.profile")

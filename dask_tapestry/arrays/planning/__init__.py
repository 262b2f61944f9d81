"""Plans, and arrays and writes that are planned and computed together."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.planning.frontier import *
from dask_tapestry.arrays.planning.joint_planning import *
from dask_tapestry.arrays.planning.plan import *

__all__ = [
    "Frontier",
    "Plan",
    "compute",
    "load_plan",
    "persist",
    "plan",
    "resolve_shapes",
    "verify",
]

write_out(__name__)

"""Functions of the user's own, of blocks, vectors, cells and graphs."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.user_functions.along_axis import *
    from dask_tapestry.arrays.user_functions.block_operators import *
    from dask_tapestry.arrays.user_functions.blockwise import *
    from dask_tapestry.arrays.user_functions.check_operator import *
    from dask_tapestry.arrays.user_functions.gufuncs import *
    from dask_tapestry.arrays.user_functions.map_blocks import *
    from dask_tapestry.arrays.user_functions.pin import *
    from dask_tapestry.arrays.user_functions.reduce_over import *
    from dask_tapestry.arrays.user_functions.reduction import *
    from dask_tapestry.arrays.user_functions.rule_decorators import *

__all__ = [
    "BlockFunction",
    "Monoid",
    "OperatorReport",
    "apply",
    "apply_along_axis",
    "apply_gufunc",
    "apply_over_axes",
    "as_gufunc",
    "block_operator",
    "blockwise",
    "check_operator",
    "gufunc",
    "map_blocks",
    "mutator",
    "pin",
    "reduce_over",
    "reduction",
    "rule",
    "scan_over",
]

if not TYPE_CHECKING:
    late_chapter(__name__)

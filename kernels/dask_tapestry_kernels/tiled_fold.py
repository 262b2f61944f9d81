"""One of the reductions that share a pass over tiles, as kernels are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dask_tapestry_kernels.output_blocks import OutputShape


class TiledFold(NamedTuple):
    """A reduction of the cells of some tiles to nodes.

    Attributes
    ----------
    kernel
        Name of the kernel that folds.
    arguments
        What it takes beside blocks.
    output
        How the windows of tiles lie.
    made
        Which of the cells that the tiles write are nodes; the others lie beyond the array.
    """

    kernel: str
    arguments: Mapping[str, Any]
    output: OutputShape
    made: tuple[slice, ...]

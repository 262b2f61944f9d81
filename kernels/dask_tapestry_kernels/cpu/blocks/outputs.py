"""Outputs: what an operator with several outputs returns for a block, and how one of them is taken.

The block of such an operator is a range of index points; its value is a tuple of arrays, one for
each output, of the cells that these points write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks.user_functions import called, conform, guarded
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape, Slices

Block = np.ndarray[Any, Any]


def call_outputs(
    out: None,  # noqa: ARG001
    *blocks: Block,
    function: Callable[..., Any],
    points: tuple[int, ...],
    outputs: tuple[OutputShape, ...],
    numbers: tuple[int, ...],
    returned: int,
) -> OutputBlocks:
    """Call `function` on the blocks and keep those of its results that are `outputs`.

    Parameters
    ----------
    points
        Extents of the range of index points.
    numbers
        Which result each output is.
    returned
        How many results the function returns.

    Raises
    ------
    ValueError, TypeError
        If a result is not what was declared; the error names the output.
    """
    if 0 in points:
        return OutputBlocks.empty(points, outputs)
    results = guarded(function, blocks)
    if not isinstance(results, tuple | list) or len(results) != returned:
        many = isinstance(results, tuple | list)
        got = f"{len(results)} values" if many else type(results).__name__
        raise ValueError(f"{called(function)} returned {got} where {returned} are declared")
    arrays = [
        conform(
            results[number], o.of(points), o.dtype, _ResultLabel(f"{called(function)}'s {o.name}")
        )
        for number, o in zip(numbers, outputs, strict=True)
    ]
    return OutputBlocks(points, outputs, arrays)


class _ResultLabel(NamedTuple):
    """What an error calls a result of a function."""

    name: str


def output(out: Block | None, block: OutputBlocks, *, name: str, keep: Slices) -> Block:  # noqa: ARG001
    """Return the cells `keep` of one output: the array itself where that is all of them."""
    cells: Block = block[name]
    whole = all(s.stop - s.start == n for s, n in zip(keep, cells.shape, strict=True))
    return cells if whole else cells[(*keep, ...)]


def joint_windows(
    out: None,  # noqa: ARG001
    *blocks: Block,
    points: tuple[int, ...],
    outputs: tuple[OutputShape, ...],
    made: Sequence[Slices],
) -> OutputBlocks:
    """Put windows of several values side by side: the blocks themselves where these are whole.

    Parameters
    ----------
    points
        Extents of the range of tiles.
    made
        Which cells of each output its block has.
    """
    pairs = zip(blocks, outputs, made, strict=True)
    return OutputBlocks(points, outputs, [_window(b, o.of(points), own) for b, o, own in pairs])


def _window(block: Block, shape: tuple[int, ...], made: Slices) -> Block:
    if block.shape == shape:
        return block
    window = np.zeros(shape, block.dtype)
    window[made] = block
    return window


KERNELS: Final[Mapping[str, Kernel]] = {
    "calloutputs": call_outputs,  # type: ignore[dict-item]
    "jointwindows": joint_windows,  # type: ignore[dict-item]
    "output": output,
    "threadoutputs": call_outputs,  # type: ignore[dict-item]
}

"""Dilated windows: cells far apart, as dense windows of every so many cells side by side.

Windows whose cells are d apart read what lies between them, which is most of a block where d times
the window is wide. Each of the d sequences ``x[p::d]`` has dense windows; as images of a batch they
are one convolution, whose results are interleaved. Each sum is of the same products in the same
order, so that its bits stay.

Source: Tapestry whitepaper, "Sparse Strided Convolution Operators".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

from dask_tapestry.cells.references import zero_cell
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.tuning import PHASES_PLANNING
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Form, Tensor, apply

SPACE: Final = 3  # the first axis of it: batch, groups and channels are before


def dilated_forms(strides: Sequence[int], dilation: Sequence[int]) -> tuple[Form, ...]:
    """The form of every so many cells, for windows that are dilated along axes of stride 1.

    Where a stride is no 1 as well, the sequences would begin at different cells.
    """
    worth = [d > 1 and s == 1 for s, d in zip(strides, dilation, strict=True)]
    return (Form("phases", (1,), in_phases, planning=PHASES_PLANNING),) if any(worth) else ()


@stand_in
def in_phases(node: Tensor, _: int) -> Tensor:
    """``convolution(x, k, dilation=d) -> interleaved(convolution(x[p::d] for all p, k))``."""
    whole: Any = node.operator
    x, k = node.inputs
    pairs = list(zip(whole.strides, whole.dilation, strict=True))
    phases = [d if s == 1 else 1 for s, d in pairs]
    counts, batch = node.type.shape[SPACE:], node.type.shape[0]
    for axis, d in enumerate(phases, SPACE):
        short = -x.type.shape[axis] % d
        zero = zero_cell(x.type.dtype)
        x = pad_constant(x, axis, (0, short), (zero, zero)) if short else x
    left = tuple(1 if a > 1 else d for a, (_, d) in zip(phases, pairs, strict=True))
    made = apply(replace(whole, dilation=left), _in_batch(x, phases), k)
    made = _interleaved(made, phases, batch)
    for axis, count in enumerate(counts, SPACE):
        made = slice_axis(made, axis, 0, count)
    return made


def _in_batch(x: Tensor, phases: Sequence[int]) -> Tensor:
    """Every so many cells along each axis of space, as images of a larger batch."""
    lead, space = x.type.shape[:SPACE], x.type.shape[SPACE:]
    sides = [side for n, d in zip(space, phases, strict=True) for side in (n // d, d)]
    places = [SPACE + 2 * a for a in range(len(phases))]
    order = [0, *(at + 1 for at in places), 1, 2, *places]
    parts = permute(reshape(x, (*lead, *sides)), order)
    return reshape(parts, (lead[0] * prod(phases), *parts.type.shape[1 + len(phases) :]))


def _interleaved(x: Tensor, phases: Sequence[int], batch: int) -> Tensor:
    """What `_in_batch` has taken apart, side by side again."""
    rank, (_, groups, outputs, *space) = len(phases), x.type.shape
    parts = reshape(x, (batch, *phases, groups, outputs, *space))
    order = [0, 1 + rank, 2 + rank]
    for axis in range(rank):
        order += [SPACE + rank + axis, 1 + axis]
    whole = permute(parts, order)
    sides = [n * d for n, d in zip(space, phases, strict=True)]
    return reshape(whole, (batch, groups, outputs, *sides))

"""Blocks together: which inputs of a step lie on the same workers, block by block.

A block is computed where the largest block that it reads lies. So what is made of a value block by
block lies beside it, and who reads both, each in the same blocks, moves neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts

Beside = tuple[int, ...]
"""For each input, the first one that lies on the same workers; () if no two do."""

_Own = tuple[tuple[Cuts, ...] | None, ...]
_Way = tuple[list[Cuts], list[Cuts], list[int]]


def beside_of(homes: Sequence[object]) -> Beside:
    """Which inputs lie on the same workers, by where each lies.

    Examples
    --------
    >>> beside_of("abab"), beside_of("abc")
    ((0, 1, 0, 1), ())
    """
    first: dict[object, int] = {}
    found = tuple([first.setdefault(home, at) for at, home in enumerate(homes)])
    return found if len(first) < len(homes) else ()


@lru_cache(maxsize=4096)
def lies_with(program: Program, grid: tuple[Cuts, ...], held: _Own) -> int | None:
    """The input beside whose blocks those of a step lie, one by one; None if there is none."""
    sizes = {n: program.inputs[n].nbytes for n, own in enumerate(held) if own is not None}
    largest = max(sizes.values(), default=0)
    own_dims = [dim for dim, cuts in enumerate(grid) if cuts.count > 1]
    for number, size in sizes.items():
        if size == largest and own_dims:
            kept, pulled, dims = _way(program, grid, held, number)
            counts = [grid[dim].count for dim in own_dims]
            if kept == pulled and dims == own_dims and counts == [cuts.count for cuts in kept]:
                return number
    return None


def read_together(
    program: Program, grid: Sequence[Cuts], held: Held, beside: Beside
) -> tuple[int, ...]:
    """For each input that is held in blocks, the first of which it reads the same blocks.

    Those that lie beside each other, are cut alike, and are read alike.
    """
    numbers = [number for number, own in enumerate(held) if own is not None]
    if not beside:
        return tuple(numbers)
    own = tuple([None if one is None else tuple(one) for one in held])
    known: list[tuple[int, int, _Way]] = []
    found = []
    for number in numbers:
        way = _way(program, tuple(grid), own, number)
        alike = (n for n, home, other in known if home == beside[number] and other == way)
        found.append(next(alike, number))
        known.append((number, beside[number], way))
    return tuple(found)


def _way(program: Program, grid: tuple[Cuts, ...], held: _Own, number: int) -> _Way:
    """Along the axes in which an input is cut: its cuts, those that blocks read, and dimensions."""
    own, moves = held[number], movement(program)[number]
    assert own is not None
    pulled = moves.pulled(program.inputs[number].shape, grid)
    axes = [axis for axis, cuts in enumerate(own) if cuts.count > 1]
    dims = [moves.paces[axis].dim for axis in axes if axis in moves.paces]
    return [own[axis] for axis in axes], [pulled[axis] for axis in axes], dims

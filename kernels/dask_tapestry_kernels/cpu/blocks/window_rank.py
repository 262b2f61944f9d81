"""The cell of one rank in every window: by networks, or by partition where windows are large.

An order statistic is one of the cells whatever finds it. A window with a NaN has NaN: a network
hands it to whatever it is compared with.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.rank_networks import Network, box_network, places_network
from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, window_tiles
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
MOST: Final = 225  # places that a network sorts
HELD: Final = 2**17  # cells that a network holds at a time
LEAST_TILE: Final = 2**11
APART: Final = 4  # windows of which one is wanted: of fewer, each is found by itself
Sides = tuple[int, ...]


def window_rank(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    places: tuple[tuple[int, ...], ...] | None,
    rank: int,
) -> Block:
    """The cell of a rank, from 0, of each window.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    places
        Those of a window that count; None for all.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    count = prod(window) if places is None else len(places)
    window_places = tuple(np.ndindex(*window)) if places is None else places
    network: Network | None = None
    if count <= MOST and prod(steps) <= APART:
        network = box_network(window, rank) if places is None else places_network(places, rank)
    tile = max(LEAST_TILE, HELD // (4 + (count if network is None else _width(network))))
    with np.errstate(all="ignore"), listening(frozenset()):
        for windows, target in window_tiles(x, out, window, steps, tile):
            if network is None:
                ranked = _partitioned(windows, target.shape, window_places, steps, rank)
            else:
                ranked = _network_result(network, windows, target.shape, steps)
            target[...] = from_double(ranked, dtype) if ranked.dtype != dtype else ranked
    return out


def _width(network: Network) -> int:
    """How many values are held at once."""
    most = alive = 0
    ends: dict[int, int] = {}
    for number, end in enumerate(network.last[1:]):
        alive += 1
        most = max(most, alive)
        ends[end] = ends.get(end, 0) + 1
        alive -= ends.pop(number, 0)
    return most


def _network_result(network: Network, x: Block, shape: Sides, steps: Sides) -> Block:
    """The result of a network for `shape` windows, of all those between the first and the last."""
    dense = tuple([step * (n - 1) + 1 for n, step in zip(shape, steps, strict=True)])
    near = (1,) * len(steps)
    values: list[Block | None] = [x]
    spare: dict[Sides, list[Block]] = {}
    for number, (least, first, second) in enumerate(network.steps):
        far = network.reach[number + 1]
        sides = tuple([n + r for n, r in zip(dense, far, strict=True)])
        refs = (first, second)
        one, other = (cells_at(_held(values, r.value), r.place, near, sides) for r in refs)
        free = spare.get(sides)
        out: Block = free.pop() if free else np.empty(sides, x.dtype)
        (np.minimum if least else np.maximum)(one, other, out=out)
        values.append(out)
        for value in {first.value, second.value} - {0}:
            if network.last[value] == number:
                used = _held(values, value)
                spare.setdefault(used.shape, []).append(used)
                values[value] = None
    value, place = network.result
    return cells_at(_held(values, value), place, steps, shape)


def _held(values: list[Block | None], number: int) -> Block:
    found = values[number]
    if found is None:
        raise AssertionError("a value is held as long as it is read")
    return found


def _partitioned(
    x: Block,
    shape: tuple[int, ...],
    offsets: tuple[tuple[int, ...], ...],
    steps: tuple[int, ...],
    rank: int,
) -> Block:
    """The cells of a rank, by partitioning each window at the rank."""
    cells = np.empty((*shape, len(offsets)), x.dtype)
    for number, offset in enumerate(offsets):
        cells[..., number] = cells_at(x, offset, steps, shape)
    cells.partition(rank, axis=-1)
    found: Block = cells[..., rank]
    if x.dtype.kind == "f":
        found = np.where(np.isnan(cells[..., rank:]).any(-1), x.dtype.type(np.nan), found)
    return found


KERNELS: Final[dict[str, Kernel]] = {"windowrank": window_rank}

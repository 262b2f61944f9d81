"""Tiling: the formulas at the end of a step's program, run in tiles that stay in cache.

What one formula writes and the next one reads, at other places, need not go through memory: a tile
of the block is computed from the tile of each value that it needs, as a block is from blocks, only
smaller. Cells that several tiles need are computed by each of them. All tiles have one shape, the
last ones overlap those before; from tile to tile every operand moves by so many bytes a cell, so
that one compiled loop runs them all. The bits are those of the whole block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.first import first_of
from dask_tapestry.lower.tuning import (
    MOST_TILED_WORK,
    ROW_CALL_CELLS,
    SMALLEST_TILED_CELLS,
    TILE_CACHE_BYTES,
    TILE_WIDTHS,
)
from dask_tapestry.lower.unwritten_cells import (
    UnwrittenCells,
    merged_parameters,
    seen,
    unwritten_values,
    written_out,
)
from dask_tapestry.steps.formula_part import FormulaPart
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Work
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.devices import kernels_of
from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation

Block = np.ndarray[Any, Any]
Held = Mapping[tuple[int, ZRange], Any]
Moves = tuple[tuple[int, ...], ...]


class _Operation(NamedTuple):
    expression: CellExpression
    arrays: tuple[Block, ...]


def run_tiles(
    part: FormulaPart, box: ZRange, schedule: InstructionSchedule, values: Held, target: Block
) -> bool:
    """Compute the cells `box` of a part into `target` in tiles; return whether that was done.

    Parameters
    ----------
    schedule, values
        Of the whole block: where the values are held that are not computed in tiles.
    """
    if box.size < SMALLEST_TILED_CELLS:
        return False
    sides = _tile(part, box.shape)
    if sides is None:
        return False
    unwritten = unwritten_values(part)
    part = part.for_block(schedule)
    first = ZRange(box.lo, tuple(a + n for a, n in zip(box.lo, sides, strict=True)))
    buffers = _Buffers(_slot_bytes(part, part.program.schedule(first)))
    known = values, schedule

    def operations(origin: tuple[int, ...]) -> list[_Operation]:
        lo = tuple(a + b for a, b in zip(box.lo, origin, strict=True))
        tile = ZRange(lo, tuple(a + n for a, n in zip(lo, sides, strict=True)))
        return list(_operations(part, tile, known, buffers, target[tile.index(box)], unwritten))

    grid = [
        GridLine(-(-n // side), side, n - side) for n, side in zip(box.shape, sides, strict=True)
    ]
    first_operations = operations((0,) * len(sides))
    if unwritten and not all(_is_along_rows(operation) for operation in first_operations):
        unwritten = frozenset()
        first_operations = operations((0,) * len(sides))
    moved = _moves(first_operations, grid, operations)
    if moved is None:
        return False
    ready = list(map(_of_different_operands, first_operations, moved))
    tiled = kernels_of("cpu")["tiledmap"](target, operations=ready, grid=grid, cells=box.size)
    return tiled is not None


def _is_along_rows(operation: _Operation) -> bool:
    """Whether cells lie side by side along the rows of all arrays, or are the same."""
    return all(a.strides[-1] in (0, a.itemsize) for a in operation.arrays)


def _of_different_operands(operation: _Operation, moves: Moves) -> Operation:
    """An operation that is given each operand once, of those that are the same in all tiles."""
    expression, (*operands, out) = operation
    keys = [(a.ctypes.data, _shape(a), m) for a, m in zip(operands, moves, strict=False)]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    if len(places) < len(keys):
        expression = merged_parameters(expression, tuple([places[key] for key in keys]))
        operands = [operands[keys.index(key)] for key in places]
        moves = (*[moves[keys.index(key)] for key in places], moves[-1])
    return Operation(expression, (*operands, out), moves)


def _moves(here: list[_Operation], grid: list[GridLine], operations: Any) -> Any:
    """Return the bytes that each array of an operation moves with a cell, along each dimension."""
    by_dim: list[list[list[int]]] = []
    for dim, line in enumerate(grid):
        if line.tiles == 1:
            by_dim.append([[0] * len(operation.arrays) for operation in here])
            continue
        origin = tuple(line.last if d == dim else 0 for d in range(len(grid)))
        there = operations(origin)
        moves = _moves_along(here, there, line.last)
        if moves is None:
            return None
        by_dim.append(moves)
    return [
        tuple(tuple(by_dim[dim][o][p] for dim in range(len(grid))) for p in range(len(op.arrays)))
        for o, op in enumerate(here)
    ]


def _moves_along(
    here: list[_Operation], there: list[_Operation], cells: int
) -> list[list[int]] | None:
    if len(here) != len(there):
        return None
    moves = []
    for one, other in zip(here, there, strict=True):
        if [_shape(a) for a in one.arrays] != [_shape(a) for a in other.arrays]:
            return None
        apart = [
            b.ctypes.data - a.ctypes.data for a, b in zip(one.arrays, other.arrays, strict=True)
        ]
        if any(distance % cells for distance in apart):
            return None
        moves.append([distance // cells for distance in apart])
    return moves


def _shape(array: Block) -> tuple[object, ...]:
    return array.shape, array.strides, array.dtype


class _Buffers:
    """Buffers that all tiles share: the same one for the same formula of each tile.

    They never move, as the loop over tiles writes to where they lay when it was told of them.
    """

    def __init__(self, sizes: Mapping[int, int]) -> None:
        self._arrays = {number: np.empty(size, np.uint8) for number, size in sizes.items()}

    def array(self, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """The buffer `number`, as cells of `shape`; an array of its own where it has fewer."""
        size = prod(shape) * dtype.itemsize
        own = self._arrays.get(number)
        if own is None or len(own) < size:
            return np.empty(shape, dtype)
        return own[:size].view(dtype).reshape(shape)


def _operations(
    part: FormulaPart,
    tile: ZRange,
    known: tuple[Held, InstructionSchedule],
    buffers: _Buffers,
    target: Block,
    unwritten: frozenset[int],
) -> Iterator[_Operation]:
    """Yield the formulas of one tile with their arrays; views are taken here.

    Those that are `unwritten` are computed by those that read them.
    """
    values, whole = known
    program, chosen = part
    schedule = program.schedule(tile)
    slots = _slots(part, schedule)
    local: dict[tuple[int, ZRange], Block | UnwrittenCells] = {}

    def cells(source: int, need: ZRange) -> Block | UnwrittenCells:
        source_schedule, source_blocks = (schedule, local) if source in chosen else (whole, values)
        held = first_of(
            filter(None, [source_schedule.box_in_memory(source, need, source_blocks)]),
            "box that holds a tile's",
        )
        place = need.index(held)
        found: Block | UnwrittenCells = source_blocks[source, held]
        return seen(found, lambda block: block[place])

    for work in schedule.works:
        if work.value not in chosen:
            continue
        instruction = program.instruction(work.value)
        blocks = [cells(source, need) for source, need in work.reads]
        if not instruction.operator.is_formula:
            view = instruction.operator
            arguments = view.arguments(instruction.types, work.box, work.boxes)
            kernel = partial(kernels_of("cpu")[view.kernel], None, **arguments)
            local[work.value, work.box] = seen(blocks[0], kernel)
            continue
        (formula,) = instruction.operator.formulas(instruction.types)
        made = written_out(formula, blocks)
        if work.value in unwritten:
            local[work.value, work.box] = made
            continue
        slot = slots[work.value, work.box]
        dtype = instruction.type.dtype
        out = target if work.value == part.goal else buffers.array(slot, work.box.shape, dtype)
        local[work.value, work.box] = out
        yield _Operation(made.expression, (*made.arrays, out))


def _slots(part: FormulaPart, schedule: InstructionSchedule) -> dict[tuple[int, ZRange], int]:
    """Return the number of the buffer that each formula writes; buffers are used again."""
    works = _formulas(part, schedule)
    last: dict[tuple[int, ZRange], int] = {}
    for number, (_, reads) in enumerate(works):
        for key in reads:
            last[key] = number
    slots: dict[tuple[int, ZRange], int] = {}
    free: list[int] = []
    count = 0
    for number, (work, reads) in enumerate(works):
        if free:
            slot = free.pop()
        else:
            slot, count = count, count + 1
        slots[work.value, work.box] = slot
        free += [slots[key] for key in reads if last[key] == number]
    return slots


def _formulas(
    part: FormulaPart, schedule: InstructionSchedule
) -> list[tuple[Work, set[tuple[int, ZRange]]]]:
    """The formulas among the works, each with those whose results it reads, itself or by views."""
    behind: dict[tuple[int, ZRange], set[tuple[int, ZRange]]] = {}
    formulas = []
    for work in schedule.works:
        if work.value not in part.values:
            continue
        reads: set[tuple[int, ZRange]] = set()
        for source, need in work.reads:
            if source in part.values:
                reads |= behind[source, schedule.holder(source, need)]
        is_formula = part.program.instruction(work.value).operator.is_formula
        key = work.value, work.box
        behind[key] = {key} if is_formula else reads
        if is_formula:
            formulas.append((work, reads))
    return formulas


def _slot_bytes(part: FormulaPart, schedule: InstructionSchedule) -> dict[int, int]:
    """Bytes that each buffer must hold."""
    slots = _slots(part, schedule)
    sizes: dict[int, int] = {}
    for work, _ in _formulas(part, schedule):
        slot = slots[work.value, work.box]
        size = work.box.size * part.program.types[work.value].dtype.itemsize
        sizes[slot] = max(sizes.get(slot, 0), size)
    return sizes


@lru_cache(maxsize=256)
def _tile(part: FormulaPart, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape of the tile with the least work among those whose values fit the cache."""
    best: tuple[float, tuple[int, ...]] | None = None
    program = part.program
    for sides in _candidates(shape, program.type.dtype.itemsize):
        tile = ZRange((0,) * len(sides), sides)
        schedule = program.schedule(tile)
        boxes = [work.box for work, _ in _formulas(part, schedule)]
        work = sum(box.size * (1 + ROW_CALL_CELLS / max(1, box.shape[-1])) for box in boxes)
        again = work / (len(boxes) * tile.size * (1 + ROW_CALL_CELLS / shape[-1]))
        size = sum(_slot_bytes(part, schedule).values())
        if size <= TILE_CACHE_BYTES and again <= MOST_TILED_WORK and (not best or again < best[0]):
            best = again, sides
    return best and best[1]


def _candidates(shape: tuple[int, ...], itemsize: int) -> Iterator[tuple[int, ...]]:
    """Shapes of tiles: trailing dimensions first, each as long as the room left for it."""
    rooms = [TILE_CACHE_BYTES // itemsize >> halvings for halvings in range(4)]
    widths = dict.fromkeys(min(width, shape[-1]) for width in (shape[-1], *TILE_WIDTHS))
    for width, room in product(widths, rooms):
        sides = [width]
        for extent in reversed(shape[:-1]):
            sides.insert(0, max(1, min(extent, room // prod(sides))))
        yield tuple(sides)

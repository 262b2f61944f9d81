"""What a plan reads, moves and asks of the scheduler, counted block by block.

This is the independent count that the planner's own cost is held against: it knows no cost model,
only which boxes the blocks of each step read (`Program.input_boxes`). Blocks of large steps are
looked at in an even sample.

Bytes move from the worker that holds a block to each other worker that reads it, once a worker.
Which worker computes a block is Dask's choice; here each step is laid out in the way that moves
least: in runs of C order, in tiles of the grid, or where most of a block's input is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import ZRange, block_range

MOST_BLOCKS = 20_000  # of a plan that are all looked at: .1 to .5 ms each
SAMPLED_BLOCKS = 1_500  # ... of larger plans
MOST_READERS = 300  # of a step that reads no other: only stored bytes are counted
MOST_REFERENCES = 300_000  # of one step's blocks to others that are listed
MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)  # odd, for hashes
SLICE_SAVES = 2**20  # bytes that cutting a block where it lies must save, as lowering has it


@dataclass
class Traffic:
    """What the blocks of one step take, scaled up where only some were looked at.

    `edges` counts dependencies between tasks, those of slices on their blocks included.
    """

    step: Any
    scale: float = 1.0
    read: dict[Node, float] = field(default_factory=dict)
    taken: dict[Node, float] = field(default_factory=dict)
    moved: dict[Node, float] = field(default_factory=dict)
    slices: float = 0.0
    edges: float = 0.0

    @property
    def tasks(self) -> float:
        return self.step.count + self.slices


@dataclass
class Ledger:
    """The traffic of all steps of a plan."""

    plan: Any
    steps: list[Traffic]

    @property
    def tasks(self) -> int:
        return round(sum(s.tasks for s in self.steps))

    @property
    def edges(self) -> int:
        return round(sum(s.edges for s in self.steps))

    @property
    def read(self) -> float:
        return sum(sum(s.read.values()) for s in self.steps)

    @property
    def moved(self) -> float:
        return sum(sum(s.moved.values()) for s in self.steps)

    @property
    def sampled(self) -> bool:
        return any(s.scale > 1 for s in self.steps)

    def read_of(self, node: Node) -> float:
        """Bytes read of one stored source; slots and copies of it are told by their type."""
        return sum(n for s in self.steps for x, n in s.read.items() if x.type == node.type)

    def idle_share(self) -> float:
        """The share of the predicted seconds that full last waves would save.

        Those are the cost model's seconds. A wave is full for nothing only where slots, not stores
        or the network, are what a step waits for, and where more tasks do not take as long.
        """
        steps = [s.step for s in self.steps]
        idle = sum(_idle(step, self.plan.resources) for step in steps)
        return idle / sum(step.cost.seconds for step in steps)


def _idle(step: Any, resources: Any) -> float:
    """Seconds that a step would save with blocks that fill the next number of waves.

    A product that has a worker to itself has all its threads.
    """
    cost = step.cost
    alone = step.program.multithreaded and cost.blocks <= resources.workers
    slots = resources.workers if alone else resources.slots
    filled = -(-cost.blocks // slots) * slots
    others = max(cost.network, cost.store)
    saved = max(cost.compute, others) - max(cost.compute * cost.blocks / filled, others)
    return max(0.0, saved - cost.overhead * (filled / cost.blocks - 1))


def ledger(plan: Any) -> Ledger:
    """Count what a planned graph (`dt.plan(...).core`) takes."""
    workers: dict[Node, np.ndarray] = {}
    found = []
    for node, step in plan.steps.items():
        found.append(_traffic(step, plan, workers))
        assert node in workers
    return Ledger(plan, found)


@dataclass
class _References:
    """Blocks and slices that blocks of a step read of one other step: columns, in parts.

    A key stands for a whole block, or for a slice of one.
    """

    held: Any
    sliced: bool
    parts: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    columns: tuple[np.ndarray, ...] = ()
    slices: int = 0

    def add(self, reader: int, boxes: Sequence[ZRange]) -> None:
        for box in boxes:
            block, key, size = _met(self.held, box, self.sliced)
            self.parts.append((np.full(len(block), reader), block, key, size))

    def close(self) -> None:
        self.columns = tuple(np.concatenate(part) for part in zip(*self.parts, strict=True))
        self.slices = int((np.unique(self.columns[2]) >= self.held.count).sum())


def _met(held: Any, box: ZRange, sliced: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blocks of the step `held` that meet `box`: numbers, keys and the bytes that are taken."""
    itemsize = held.node.type.dtype.itemsize
    number = np.zeros(1, dtype=np.int64)
    whole, part = np.full(1, itemsize), np.full(1, itemsize)
    mixed = np.zeros(1, dtype=np.uint64)
    met = block_range(held.cuts, box)
    for axis, (cut, numbers) in enumerate(zip(held.cuts, met, strict=True)):
        spans = np.array([cut.block(n) for n in numbers], dtype=np.int64).reshape(-1, 2)
        taken = np.clip(spans, box.lo[axis], box.hi[axis])
        number = np.add.outer(number * cut.count, np.array(numbers)).ravel()
        whole = np.multiply.outer(whole, spans[:, 1] - spans[:, 0]).ravel()
        part = np.multiply.outer(part, taken[:, 1] - taken[:, 0]).ravel()
        hashed = (taken.astype(np.uint64) * MIX).sum(axis=1, dtype=np.uint64)
        mixed = np.add.outer(mixed * MIX[0], hashed * MIX[1]).ravel()
    cut_there = (whole - part >= SLICE_SAVES) & sliced
    slices = held.count + (mixed >> np.uint64(2)).astype(np.int64)
    return number, np.where(cut_there, slices, number), np.where(cut_there, part, whole)


def _traffic(step: Any, plan: Any, workers: dict[Node, np.ndarray]) -> Traffic:
    looked = _looked_at(step, plan)
    found = Traffic(step, step.count / max(1, len(looked)))
    sliced = plan.resources.workers > 1
    references = {x: _References(plan.steps[x], sliced) for x in step.inputs if x in plan.steps}
    for index in looked:
        box = step.box(np.unravel_index(index, step.grid_shape) if step.grid_shape else ())
        boxes = step.program.schedule(box).boxes
        for node, size in _stored(step, boxes):
            found.read[node] = found.read.get(node, 0.0) + size * found.scale
        for x, held in references.items():
            held.add(index, boxes[step.inputs.index(x)])
    for x, held in references.items():
        held.close()
        found.taken[x] = float(held.columns[3].sum()) * found.scale
        found.slices += held.slices * found.scale
        found.edges += (len(held.columns[0]) + held.slices) * found.scale
    workers[step.node] = _place(step, references, plan, workers, found)
    return found


def _looked_at(step: Any, plan: Any) -> list[int]:
    """Numbers of the blocks that are looked at: all, or an even sample."""
    counts = [s.count for s in plan.steps.values() if not set(s.inputs).isdisjoint(plan.steps)]
    most = step.count if sum(counts) <= MOST_BLOCKS else SAMPLED_BLOCKS // len(counts)
    first = step.box((0,) * len(step.grid_shape))
    boxes = step.program.schedule(first).boxes
    met = sum(
        prod(map(len, block_range(plan.steps[x].cuts, b)))
        for x, found in zip(step.inputs, boxes, strict=False)
        if x in plan.steps
        for b in found
    )
    most = min(most if met else MOST_READERS, max(16, MOST_REFERENCES // max(1, met)))
    if step.count <= most:
        return list(range(step.count))
    return sorted({int(n) for n in np.linspace(0, step.count - 1, most)})


def _stored(step: Any, boxes: Any) -> Iterator[tuple[Node, int]]:
    """Sources read within a block, and the bytes of the stored chunks that it touches."""
    first = len(step.program.inputs)
    for value, instruction in enumerate(step.program.instructions, start=first):
        operator = instruction.operator
        if isinstance(operator, Source) and not operator.external:
            cells = sum(
                _whole_chunks(b, operator.chunks, instruction.type.shape) for b in boxes[value]
            )
            yield step.members[value - first], cells * instruction.type.dtype.itemsize


def _whole_chunks(box: ZRange, sides: tuple[int, ...] | None, shape: tuple[int, ...]) -> int:
    if sides is None or box.is_empty:
        return box.size
    spans = zip(box.lo, box.hi, sides, shape, strict=True)
    return prod(min(-(-hi // side) * side, n) - lo // side * side for lo, hi, side, n in spans)


def _place(
    step: Any, references: Any, plan: Any, workers: dict[Node, np.ndarray], found: Traffic
) -> np.ndarray:
    """The worker of each block, of the layouts that are tried the one that moves least."""
    count = plan.resources.workers
    columns = {x: r.columns for x, r in references.items()}
    best: tuple[float, np.ndarray, dict[Node, float]] | None = None
    for layout in _layouts(step, columns, workers, count):
        moved = {
            x: _moved(layout, workers[x], given, count) * found.scale
            for x, given in columns.items()
        }
        if best is None or sum(moved.values()) < best[0]:
            best = sum(moved.values()), layout, moved
        if best[0] == 0:
            break
    assert best is not None
    found.moved.update(best[2])
    return best[1]


def _moved(layout: np.ndarray, held: np.ndarray, columns: Any, count: int) -> float:
    """Bytes that go to other workers, each block or slice once to each of them."""
    reader, block, key, size = columns
    there = layout[reader]
    away = held[block] != there
    if not away.any():
        return 0.0
    order = np.lexsort((there[away], key[away]))
    keys, theirs = key[away][order], there[away][order]
    once = np.r_[True, (keys[1:] != keys[:-1]) | (theirs[1:] != theirs[:-1])]
    return float(size[away][order][once].sum())


def _layouts(step: Any, columns: Any, workers: Any, count: int) -> Iterator[np.ndarray]:
    """Ways to give the blocks of a step to workers evenly."""
    yield np.arange(step.count) * min(count, step.count) // step.count
    if len(columns) and count > 1:
        yield _followed(step.count, columns, workers, count)
        for tiles in _factors(count, step.grid_shape):
            worker = np.zeros(step.grid_shape, dtype=np.int64)
            for axis, (n, blocks) in enumerate(zip(tiles, step.grid_shape, strict=True)):
                along = np.arange(blocks) * n // blocks
                shape = [-1 if a == axis else 1 for a in range(len(tiles))]
                worker = worker * n + along.reshape(shape)
            yield worker.ravel()


def _factors(count: int, most: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Ways to write `count` as a product of one number for each dimension, none above `most`."""
    if not most:
        return
    if len(most) == 1:
        if count <= most[0]:
            yield (count,)
        return
    for n in range(1, min(count, most[0]) + 1):
        if count % n == 0:
            yield from ((n, *rest) for rest in _factors(count // n, most[1:]))


def _followed(blocks: int, columns: Any, workers: Any, count: int) -> np.ndarray:
    """Each block where most of its input is, of workers that have room; in turn if none has."""
    pairs = [
        (reader * count + workers[x][block], size)
        for x, (reader, block, _, size) in columns.items()
    ]
    wanted, at = np.unique(np.concatenate([p for p, _ in pairs]), return_inverse=True)
    there = np.bincount(at, np.concatenate([s for _, s in pairs]))
    readers, choices = np.divmod(wanted, count)
    order = np.lexsort((choices, -there, readers))
    room = np.full(count, -(-blocks // count))
    layout = np.full(blocks, -1, dtype=np.int64)
    for reader, choice in zip(readers[order].tolist(), choices[order].tolist(), strict=True):
        if layout[reader] < 0 and room[choice]:
            layout[reader] = choice
            room[choice] -= 1
    left = layout < 0
    layout[left] = np.repeat(np.arange(count), room)[: left.sum()]
    return layout

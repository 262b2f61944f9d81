"""Blocks that lie in memory in any way: in any order of axes, apart, backwards, repeated."""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np

from tests.kernels.cpu.reduction.leaf_cells import cells_of

SIDES = (1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 40, 64, 65, 100, 130, 300, 511, 513)
MOST = 60_000  # cells


def shape_of(random: Random, rank: int) -> tuple[int, ...]:
    """Sides about those at which kernels go another way, one of them long now and then."""
    shape = [random.choice(SIDES) for _ in range(rank)]
    while prod(shape) > MOST:
        shape = [max(1, n // 2) for n in shape]
    if prod(shape) < 200:
        shape[random.randrange(rank)] *= random.choice([1, 10, 50, 101])
    return tuple(shape)


def laid_out(random: Random, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Cells of a shape as a view of a larger array."""
    order = random.sample(range(len(shape)), len(shape))
    sides = [1 if random.random() < 0.15 else n for n in shape]
    steps = [random.choice([1, 1, 1, 1, 2, 3, -1, -2]) for _ in shape]
    whole = [sides[axis] * abs(steps[axis]) + random.choice([0, 0, 1, 3]) for axis in order]
    cells = cells_of(np.random.default_rng(random.getrandbits(32)), dtype, tuple(whole))
    cells = cells.transpose(np.argsort(order))
    for axis, (n, step) in enumerate(zip(sides, steps, strict=True)):
        cells = np.moveaxis(np.moveaxis(cells, axis, 0)[: n * abs(step)][::step], 0, axis)
    return np.broadcast_to(cells, shape)

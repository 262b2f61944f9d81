"""Programs of one process: arrays are assigned to, held, stored, written over and read back.

Whatever was done before, each array has the cells of its twin in NumPy, and each store what was
last written to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import dask
import numpy as np
import zarr

import dask_tapestry as dt

STEPS = 12
DTYPES = ("f8", "i4", "f4", "u1")


@dataclass
class Pair:
    """An array of this library, and NumPy's."""

    ours: Any
    theirs: np.ndarray


@dataclass
class State:
    """What a program holds: shape and dtype of all, pairs, stores with their cells, its text."""

    random: Random
    shape: tuple[int, ...]
    dtype: str
    pairs: list[Pair] = field(default_factory=list)
    stores: list[tuple[Any, np.ndarray]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def chunks(self) -> tuple[int, ...]:
        return tuple(self.random.randint(1, n) for n in self.shape)

    def store(self) -> tuple[Any, np.ndarray]:
        """A new store of random cells."""
        made = zarr.create_array(
            zarr.storage.MemoryStore(), shape=self.shape, chunks=self.chunks(), dtype=self.dtype
        )
        made[...] = cells = self.cells()
        self.stores.append((made, cells.copy()))
        return made, cells

    def cells(self) -> np.ndarray:
        seed = np.random.default_rng(self.random.getrandbits(32))
        return seed.integers(0, 50, self.shape).astype(self.dtype)

    def box(self) -> tuple[slice, ...]:
        starts = [self.random.randrange(n) for n in self.shape]
        ends = [self.random.randint(a + 1, n) for a, n in zip(starts, self.shape, strict=True)]
        return tuple(slice(a, b) for a, b in zip(starts, ends, strict=True))

    def same(self, found: Sequence[Any], expected: Sequence[np.ndarray]) -> None:
        """Check that arrays have the same cells."""
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype, "\n".join(self.text)
            assert np.array_equal(one, other), "\n".join([*self.text, f"{one}, not {other}"])


def _new(state: State, x: Pair, y: Pair) -> None:
    cells = state.cells()
    state.pairs.append(Pair(dt.from_array(cells.copy(), chunks=state.chunks()), cells))


def _opened(state: State, x: Pair, y: Pair) -> None:
    store, cells = state.store()
    state.pairs.append(Pair(dt.from_zarr(store), cells))


def _assigned(state: State, x: Pair, y: Pair) -> None:
    box = state.box()
    x.ours[box], x.theirs[box] = y.ours[box], y.theirs[box].copy()


def _masked(state: State, x: Pair, y: Pair) -> None:
    mask = state.cells() > 25
    x.ours[dt.asarray(mask)], x.theirs[mask] = 7, 7


def _added(state: State, x: Pair, y: Pair) -> None:
    x.ours += y.ours
    x.theirs += y.theirs


def _formula(state: State, x: Pair, y: Pair) -> None:
    state.pairs.append(Pair(x.ours * 2 + y.ours[::-1], x.theirs * 2 + y.theirs[::-1]))


def _held(state: State, x: Pair, y: Pair) -> None:
    x.ours = x.ours.persist()


def _cut(state: State, x: Pair, y: Pair) -> None:
    x.ours = x.ours.rechunk(state.chunks())


def _together(state: State, x: Pair, y: Pair) -> None:
    state.same(dt.compute(*[p.ours for p in state.pairs]), [p.theirs for p in state.pairs])


def _written_over(state: State, x: Pair, y: Pair) -> None:
    """A region of a store is written, twice; what was read of it is computed before."""
    if not state.stores:
        return
    for pair in state.pairs:
        pair.ours = dt.array(pair.ours.compute())
    at, box = state.random.randrange(len(state.stores)), state.box()
    store, cells = state.stores[at]
    if state.random.random() < 0.5:
        dt.to_zarr(x.ours[box], store, region=box)
    else:
        sink = dt.store(x.ours[box], store, regions=box, compute=False)
        sink.compute()
        sink.compute()
    cells[box] = x.theirs[box]
    state.same([store[...]], [cells])
    state.pairs.append(Pair(dt.from_zarr(store), cells.copy()))


def _two_writes(state: State, x: Pair, y: Pair) -> None:
    """Two lazy writes and values of what they write, computed as one."""
    targets = [zarr.storage.MemoryStore() for _ in range(2)]
    sinks = [
        dt.to_zarr(array, target, chunks=state.chunks(), compute=False)
        for array, target in zip([x.ours, x.ours + y.ours], targets, strict=True)
    ]
    *_, held = dask.compute(*sinks, y.ours)
    found = [zarr.open_array(target)[...] for target in targets]
    state.same([*found, held], [x.theirs, x.theirs + y.theirs, y.theirs])


WAYS: tuple[Callable[[State, Pair, Pair], None], ...] = (
    _new, _opened, _assigned, _assigned, _masked, _added, _formula, _held, _cut, _together,
    _written_over, _written_over, _two_writes,
)  # fmt: skip


def run(random: Random, steps: int = STEPS) -> list[str]:
    """Draw a program, run it and compare; return its text.

    Raises
    ------
    AssertionError
        With the program and how the results differ.
    """
    shape = tuple(random.randint(2, 8) for _ in range(random.randint(1, 3)))
    state = State(random, shape, random.choice(DTYPES))
    blank = Pair(None, np.empty(0))
    _new(state, blank, blank)
    _opened(state, blank, blank)
    for _ in range(steps):
        way, places = random.choice(WAYS), [random.randrange(len(state.pairs)) for _ in range(2)]
        state.text.append(f"{way.__name__.strip('_')} {places}")
        way(state, *[state.pairs[place] for place in places])
    _together(state, blank, blank)
    return state.text

"""Seeds of random arrays, and the streams that each call draws from one."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.operators.random.random_bits import Stream

Integers = Sequence[int] | np.ndarray[Any, np.dtype[np.integer[Any]]]
NumpyGenerator = np.random.BitGenerator | np.random.Generator | np.random.RandomState
Seed = (
    int | Integers | np.random.SeedSequence | NumpyGenerator | type[np.random.BitGenerator] | None
)
TAKEN_BYTES = 32  # of a generator of NumPy's, for a seed: more than the key has
_system_seeds: Final[set[Any]] = set()  # entropy that the system has given


class Draws:
    """The streams of random numbers of one seed, one for each call.

    {Parameters}
        seed: A `numpy.random.SeedSequence` or what it takes, or a generator of NumPy's, whose next
            bytes are the seed; None, or a class of NumPy's bit generators, for a seed of the
            system's.
        calls: Number of calls already made.
    """

    def __init__(self, seed: Seed = None, calls: int = 0) -> None:
        known_seed = seed
        if isinstance(seed, type) and issubclass(seed, np.random.BitGenerator):
            known_seed, seed = None, seed()
        if isinstance(seed, np.random.BitGenerator):
            seed = np.random.Generator(seed)
        if isinstance(seed, np.random.Generator | np.random.RandomState):
            seed = int.from_bytes(seed.bytes(TAKEN_BYTES), "little")
        if not isinstance(seed, np.random.SeedSequence):
            with reading("seed"):
                seed = np.random.SeedSequence(seed)
            if known_seed is None:
                _system_seeds.add(seed.entropy)
        self.seeds = seed
        self.is_seeded = not isinstance(seed.entropy, int) or seed.entropy not in _system_seeds
        first, second = self.seeds.generate_state(2, np.uint64)
        self.key = (int(first), int(second))
        self.calls = calls
        self._lock = Lock()

    def next(self) -> Stream:
        """The stream of the next call; two threads never get the same."""
        with self._lock:
            self.calls += 1
            return Stream(self.key, self.calls - 1, seeded=self.is_seeded)

    def copy(self) -> Draws:
        """Another one that gives the same streams from here on."""
        return Draws(self.seeds, self.calls)

    def __reduce__(self) -> tuple[Any, ...]:
        return Draws, (self.seeds, self.calls)

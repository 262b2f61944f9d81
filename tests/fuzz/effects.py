"""Effects: writes, points in time, and what follows them, whatever is read of it afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from random import Random
from typing import Any
from weakref import finalize

import numpy as np
import zarr

import dask_tapestry as dt
from tests.fuzz.selectors import narrow
from tests.fuzz.steps import Step, Write

Place = tuple[slice, ...]


class ZarrTarget:
    """A Zarr array that a write makes, in memory or in a folder of its own."""

    def __init__(self, random: Random, x: np.ndarray) -> None:
        self.store: Any = zarr.storage.MemoryStore()
        if random.random() < 0.3:
            self.store = zarr.storage.LocalStore(folder := tempfile.mkdtemp())
            finalize(self, shutil.rmtree, folder)
        sides = tuple(random.randint(1, max(1, n)) for n in x.shape)
        self.chunks: Any = random.choice(["auto", sides])
        self.text = f"Zarr, chunks {self.chunks}, {type(self.store).__name__}"

    def write(self, x: Any, **options: Any) -> Any:
        """Make the array anew."""
        options = {"compute": False, "overwrite": True} | options
        return dt.to_zarr(x, self.store, chunks=self.chunks, **options)

    def expected(self, x: np.ndarray) -> np.ndarray:
        """What is there after a write."""
        return x

    def read(self) -> Any:
        """What is there now."""
        try:
            return np.asarray(zarr.open_array(self.store, mode="r")[...])
        except FileNotFoundError:
            return None

    def untouched(self) -> bool:
        """Whether nothing was written."""
        return self.read() is None

    def clear(self) -> None:
        """Remove it."""
        zarr.core.sync.sync(self.store.clear())


class RegionTarget:
    """Part of an array that is there: NumPy's, or one of zarr's."""

    def __init__(self, random: Random, x: np.ndarray) -> None:
        kind = random.choice(["numpy", "zarr"])
        steps = [random.randint(1, 3) for _ in x.shape]
        starts = [random.randint(0, 2) for _ in x.shape]
        self.place: Place = tuple(
            slice(a, a + s * (n - 1) + 1 if n else a, s)
            for a, s, n in zip(starts, steps, x.shape, strict=True)
        )
        shape = tuple(p.stop + random.randint(0, 2) for p in self.place)
        self.array: Any = np.zeros(shape, x.dtype)
        if kind == "zarr":
            chunks = tuple(random.randint(1, max(1, n)) for n in shape)
            self.array = zarr.create_array(
                zarr.storage.MemoryStore(), shape=shape, chunks=chunks, dtype=x.dtype, fill_value=0
            )
        self.text = f"{kind} {shape} at {self.place}"

    def write(self, x: Any, **options: Any) -> Any:
        """Write into the place."""
        options = {"compute": False} | options
        return dt.store(x, self.array, regions=self.place, **options)

    def expected(self, x: np.ndarray) -> np.ndarray:
        """What is there after a write: zeros around."""
        made = np.zeros(self.array.shape, x.dtype)
        made[self.place] = x
        return made

    def read(self) -> Any:
        """What is there now."""
        return np.array(self.array[...])

    def untouched(self) -> bool:
        """Whether nothing was written, but zeros."""
        return not np.any(self.read() != np.zeros((), self.array.dtype))

    def clear(self) -> None:
        """Fill it with zeros."""
        self.array[...] = np.zeros((), self.array.dtype)


def target(random: Random, x: np.ndarray) -> Any:
    """Somewhere to write cells like these."""
    return random.choice([ZarrTarget, ZarrTarget, RegionTarget])(random, x)


# followers ---------------------------------------------------------------------------------


def _after(y: Any, after: Sequence[Any]) -> Any:
    """The same cells, by an operator that follows something else."""
    names = [f"d{axis}" for axis in range(y.ndim)]
    operator = dt.block_operator(
        index=dict.fromkeys(names, "parallel"), inputs={"x": names}, outputs={"z": names}
    )
    return operator(np.copy)(y, after=after)


def _stored(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """The stored array is what is read."""
    made = one.write(x, return_stored=True)
    writes.append(Write(None, ends[0], one))
    return made[0] if isinstance(made, tuple) else made


def _beside(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """Nothing follows the write: it is asked for."""
    writes.append(Write(one.write(x), ends[0], one))
    return y


def _followed(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """An operator follows the write."""
    writes.append(Write(None, ends[0], one))
    return _after(y, [one.write(x)])


def _chained(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """A second write follows the first; the second is asked for."""
    first = one.write(x)
    writes.append(Write(None, ends[0], one))
    writes.append(Write(other.write(y, after=[first]), ends[1], other))
    return y


def _twice(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """A second write of the same place follows, and then an operator."""
    last = one.write(x, after=[one.write(x[::-1] if x.ndim else x)])
    writes.append(Write(last, ends[0], one))
    return _after(y, [last])


def _pointed(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """An operator follows a point that is behind two writes and an array."""
    point = dt.sequence_point(one.write(x), dt.sequence_point(other.write(y)), x)
    writes.append(Write(None, ends[0], one))
    writes.append(Write(None, ends[1], other))
    return _after(y, [point])


def _array_first(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """A write follows an array, and an operator follows both."""
    last = one.write(x, after=[y])
    writes.append(Write(None, ends[0], one))
    return _after(y, [x, last])


def _point_alone(one: Any, other: Any, x: Any, y: Any, writes: list[Write], ends: Any) -> Any:
    """An operator follows an array; nothing is written."""
    return _after(y, [dt.sequence_point(x)])


WAYS = (_stored, _stored, _beside, _followed, _followed, _chained, _twice, _pointed, _array_first,
        _point_alone)  # fmt: skip


def effect(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A write, or several, and a value that follows."""
    way = random.choice(WAYS)
    text, read = narrow(random, xs[way is not _stored])
    one, other = target(random, xs[0]), target(random, xs[1])
    ends = one.expected(xs[0]), other.expected(xs[1])
    writes: list[Write] = []

    def call(xp: Any, x: Any, y: Any) -> Any:
        if xp is np:
            return read(xp, x if way is _stored else y)
        return read(xp, way(one, other, x, y, writes, ends))

    name = way.__name__.strip("_")
    shown = f"effect: x to {one.text} ({name}), y to {other.text}; reads {text}"
    return Step(shown, call, "same", writes=writes)

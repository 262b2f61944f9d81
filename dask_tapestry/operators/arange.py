"""Arange: evenly spaced values, a function of the coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.teg import Generator, Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Arange(Generator):
    """Cell i is ``first + places[i] * delta`` in `dtype`, as NumPy fills its ranges."""

    name = "arange"
    kernel = "arange"
    dtype: np.dtype[Any]
    first: bytes
    delta: bytes
    places: Progression
    written: str  # as the user gave it, for printing

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((self.places.count,), self.dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        start, step = self.places.start, self.places.step
        return {
            "first": np.frombuffer(self.first, self.dtype)[0],
            "delta": np.frombuffer(self.delta, self.dtype)[0],
            "places": range(start + step * box.lo[0], start + step * box.hi[0], step),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        (part,) = region
        start, step = self.places.start, self.places.step
        places = Progression(start + step * part.start, step * part.step, part.count)
        cut = Arange(self.dtype, self.first, self.delta, places, self.written)
        return Restriction(cut, (), region)

    def text(self) -> str:
        start, step, count = self.places.start, self.places.step, self.places.count
        whole = start == 0 and step == 1
        return self.written + ("" if whole else f", places {start}:+{step}x{count}")

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        start, step, count = self.places.start, self.places.step, self.places.count
        delta = np.frombuffer(self.delta, self.dtype)[0]
        first = np.frombuffer(self.first, self.dtype)[0]
        places = np.arange(start, start + step * count, step).astype(self.dtype)
        result: np.ndarray[Any, Any] = first + places * delta
        return result


def arange(start: float, stop: float | None, step: float, dtype: np.dtype[Any] | None) -> Tensor:
    """Return evenly spaced values in ``[start, stop)``, as `numpy.arange` does.

    Raises
    ------
    DTypeError
        For a dtype that has no numbers.
    """
    if stop is None:
        start, stop = type(start)(0), start
    if step == 0:
        raise ZeroDivisionError("step of arange must not be zero")
    kind = (
        np.dtype(dtype)
        if dtype is not None
        else np.result_type(*map(np.asarray, (start, stop, step)))
    )
    if kind.kind not in "iufc":
        raise DTypeError(f"arange has no values of dtype {kind}")
    count = max(0, ceil((stop - start) / step))
    with np.errstate(all="ignore"):
        first = np.asarray(start).astype(kind)
        delta = np.asarray(start + step).astype(kind) - first
    written = f"{start}, {stop}, {step}"
    places = Progression(0, 1, count)
    return apply(Arange(kind, first.tobytes(), delta.tobytes(), places, written))

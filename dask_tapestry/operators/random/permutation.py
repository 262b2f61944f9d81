"""Permutation: the numbers below an extent in random order, a function of the coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.random.random_bits import (
    RandomBits,
    Stream,
    coordinates_of_part,
    places_of,
)
from dask_tapestry.operators.tuning import LONGEST_TABLE, PERMUTATION_FLOPS
from dask_tapestry.teg import GeneratorOperator, Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange

LONGEST: Final = 2**63 - 1


@dataclass(frozen=True)
class Permutation(GeneratorOperator):
    """Cell i is ``p[places[i]]``, p being a random permutation of ``range(extent)``: int64.

    A short p is the argsort of random numbers, made once in each process; a long one is computed
    cell by cell, by a network of keyed hashes.
    """

    name = "permutation"
    kernel = "permutation"
    stream: Stream
    extent: int
    places: Progression

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((self.places.count,), np.dtype(np.int64))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "key": self.stream.key,
            "draw": (self.stream.call, self.stream.part),
            "extent": self.extent,
            "as_table": self.extent <= LONGEST_TABLE,
            "places": places_of(self.places, box.lo[0], box.hi[0]),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        places = coordinates_of_part(self.places, region[0])
        return Restriction(Permutation(self.stream, self.extent, places), (), region)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * PERMUTATION_FLOPS

    def text(self) -> str:
        held = self.places
        whole = held.is_whole(self.extent)
        where = "" if whole else f", places {held.start}:+{held.step}x{held.count}"
        return f"{self.extent}, draw={self.stream.call}.{self.stream.part}{where}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if self.extent > LONGEST_TABLE:
            return super().reference(*inputs)
        extent = (self.extent,)
        numbers = RandomBits(self.stream, extent, Region.whole(extent)).reference()
        held = self.places
        stop = max(held.stop, held.start)
        return np.argsort(numbers, kind="stable")[held.start : stop : held.step]


def permutation(extent: int, stream: Stream) -> Tensor:
    """Return the numbers ``0, 1, ..., extent - 1`` in random order.

    Raises
    ------
    ShapeError
        If there are more than int64 counts.
    """
    if extent > LONGEST:
        raise ShapeError(f"a permutation of {extent} numbers does not fit int64")
    return apply(Permutation(stream, extent, Progression(0, 1, extent)))

"""Random bits: a function of seed, call and coordinate; all random values are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import RANDOM_BITS_FLOPS
from dask_tapestry.teg import GeneratorOperator, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.region import Progression
from dask_tapestry.zspace import ZRange

BITS_DTYPE = np.dtype(np.uint64)
MOST_CELLS: Final = 2**128  # that two words of the generator's counter can number


class Stream(NamedTuple):
    """A stream of random numbers: the key of the seed, the number of the call, and of its part.

    `seeded` is false where the system chose the seed: another process draws others.
    """

    key: tuple[int, int]
    call: int
    part: int = 0
    seeded: bool = True


@dataclass(frozen=True)
class RandomBits(GeneratorOperator):
    """The cells `places` of a tensor of shape `frame`, uint64; cell c in C order is number c.

    The numbers are those of NumPy's `Philox` with the key of `stream` and the counter
    ``(0, part, call, page)``, page n for the cells from n * 2**64 on. So any block, slice or
    permutation of them can be computed anywhere.
    """

    name = "randombits"
    kernel = "randombits"
    category = "block"
    copies = True  # its blocks take memory, so they are cut to fit it
    fills = True
    stream: Stream
    frame: tuple[int, ...]
    places: Region

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.places.shape, BITS_DTYPE)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "key": self.stream.key,
            "draw": (self.stream.call, self.stream.part),
            "frame": self.frame,
            "places": tuple(map(places_of, self.places, box.lo, box.hi)),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        places = Region(map(coordinates_of_part, self.places, region))
        return Restriction(replace(self, places=places), (), region)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * RANDOM_BITS_FLOPS

    def text(self) -> str:
        whole = self.places.is_whole(self.frame)
        where = "" if whole else f", {self.places} of {self.frame}"
        return f"{self.places.shape}, draw={self.stream.call}.{self.stream.part}{where}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        counter = np.array([0, self.stream.part, self.stream.call, 0], np.uint64)
        generator = np.random.Philox(key=np.array(self.stream.key, np.uint64), counter=counter)
        whole = generator.random_raw(prod(self.frame)).reshape(self.frame)
        sides: Any = tuple(slice(p.start, max(p.stop, p.start), p.step) for p in self.places)
        picked: np.ndarray[Any, Any] = whole[(*sides, ...)]
        return picked


@dataclass(frozen=True)
class RandomFraction(RandomBits):
    """``((bits >> drop) + least) / 2**(64 - drop)`` of the same bits, in `dtype`."""

    name = "randomfraction"
    kernel = "randomfraction"
    drop: int
    least: float
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.places.shape, self.dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = super().arguments(inputs, box, boxes)
        return {**told, "drop": self.drop, "least": self.least, "dtype": self.dtype}

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        kept = (super().reference() >> np.uint64(self.drop)).astype(np.float64) + self.least
        return (kept * 2.0 ** (self.drop - 64)).astype(self.dtype)


def places_of(held: Progression, lo: int, hi: int) -> range:
    """The coordinates of cells ``lo:hi`` of a dimension that holds the progression `held`."""
    return range(held.start + held.step * lo, held.start + held.step * hi, held.step)


def coordinates_of_part(held: Progression, part: Progression) -> Progression:
    """The coordinates of `part`, which counts in steps of `held`."""
    return Progression(held.start + held.step * part.start, held.step * part.step, part.count)


def random_bits(shape: tuple[int, ...], stream: Stream) -> Tensor:
    """64 random bits for each cell of a tensor of `shape`.

    Raises
    ------
    ShapeError
        For more than 2**128 cells, as they would repeat.
    """
    _check(shape)
    return apply(RandomBits(stream, shape, Region.whole(shape)))


def random_fraction(
    shape: tuple[int, ...], stream: Stream, drop: int, dtype: np.dtype[Any], least: float = 0
) -> Tensor:
    """``((bits >> drop) + least) / 2**(64 - drop)`` of each cell's bits, in `dtype`.

    Raises
    ------
    ShapeError
        For more than 2**128 cells, as they would repeat.
    """
    _check(shape)
    whole = Region.whole(shape)
    return apply(RandomFraction(stream, shape, whole, drop, float(least), dtype))


def _check(shape: tuple[int, ...]) -> None:
    if prod(shape) > MOST_CELLS:
        raise ShapeError(f"random numbers of shape {shape} repeat after 2**128 cells")

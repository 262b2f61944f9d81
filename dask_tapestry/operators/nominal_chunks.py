"""Nominal chunks that a user gives to a value; a plan is free to cut it otherwise."""

from __future__ import annotations

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.view import View, ViewSelector, identity_axes
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.chunking import AxisChunks, Chunks, Known
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import Cuts


@dataclass(frozen=True)
class NominalChunks(ViewSelector):
    """The input, with `cuts` as its nominal chunks: those that `map_blocks` and its kind see.

    Along axes that are `canonical` nobody said them.
    """

    name = "nominalchunks"
    cuts: tuple[Cuts, ...]
    canonical: tuple[int, ...] = ()

    def view(self, x: TensorType) -> View:
        return View(x.shape, identity_axes(x.shape))

    @property
    def called(self) -> str:
        return ""

    @property
    def tells_chunks(self) -> bool:
        return True

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        free = self.canonical
        return tuple([AxisChunks(cuts, n not in free) for n, cuts in enumerate(self.cuts)])

    def text(self) -> str:
        return ", ".join(map(str, self.cuts))


def with_nominal_chunks(x: Tensor, cuts: tuple[Cuts, ...]) -> Tensor:
    """`x` with `cuts` as its nominal chunks."""
    return apply(NominalChunks(cuts), x)


def with_chunks_kept(x: Tensor, chunks: Chunks) -> Tensor:
    """`x` with nominal `chunks` of another value, said or not as they are there."""
    free = tuple([axis for axis, one in enumerate(chunks) if not one.said])
    return apply(NominalChunks(tuple([one.cuts for one in chunks]), free), x)


def without_nominal_chunks(x: Tensor) -> Tensor:
    """The value that was given nominal chunks; `x` itself if none were."""
    while isinstance(x.operator, NominalChunks):
        (x,) = x.inputs
    return x

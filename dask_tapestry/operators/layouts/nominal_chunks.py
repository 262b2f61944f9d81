"""Nominal chunks that a user gives to a value; a plan is free to cut it otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.views.view import View, ViewSelector, identity_axes
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known, canonical_axes, said_but
from dask_tapestry.teg.nominal import nominal_chunks
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
        return said_but(self.cuts, self.canonical)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0]

    def text(self) -> str:
        return ", ".join(map(str, self.cuts))


def with_nominal_chunks(x: Tensor, cuts: tuple[Cuts, ...]) -> Tensor:
    """`x` with `cuts` as its nominal chunks."""
    return apply(NominalChunks(cuts), x)


def with_chunks_kept(x: Tensor, chunks: Chunks) -> Tensor:
    """`x` with nominal `chunks` of another value, said or not as they are there."""
    if nominal_chunks(x) == chunks:
        return x
    return apply(NominalChunks(tuple([one.cuts for one in chunks]), canonical_axes(chunks)), x)


def without_nominal_chunks(x: Tensor) -> Tensor:
    """The value that was given nominal chunks; `x` itself if none were."""
    while isinstance(x.operator, NominalChunks):
        (x,) = x.inputs
    return x

"""Rechunk: the blocks in which a value is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.held_value import HeldValue
from dask_tapestry.teg import Progression, Region, Tensor, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import Cuts, ZRange


@dataclass(frozen=True)
class Rechunk(HeldValue):
    """The input, held in blocks that `cuts` gives, one for each dimension.

    As a result that it `hands_on` it is held by those who take its blocks.
    """

    name = "rechunk"
    cuts: tuple[Cuts, ...]
    hands_on: bool = False

    @property
    def layout(self) -> tuple[Cuts, ...]:
        return self.cuts

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        cuts = tuple(_restrict_cuts(c, part) for c, part in zip(self.cuts, region, strict=True))
        return Restriction(replace(self, cuts=cuts), (region,), region)

    def text(self) -> str:
        return ", ".join([*map(str, self.cuts), *["handed on"] * self.hands_on])


def rechunk(x: Tensor, cuts: tuple[Cuts, ...]) -> Tensor:
    """Ask that `x` be held in blocks cut by `cuts`."""
    return apply(Rechunk(cuts), x)


def handed_on(x: Tensor, cuts: tuple[Cuts, ...]) -> Tensor:
    """Ask for `x` in blocks cut by `cuts`, which others take one by one."""
    is_held_so = isinstance(x.operator, Rechunk) and x.operator.cuts == cuts and not x.after
    return apply(Rechunk(cuts, hands_on=True), x.inputs[0] if is_held_so else x)


def _restrict_cuts(cuts: Cuts, part: Progression) -> Cuts:
    """The edges of `cuts` in a progression of coordinates."""
    return cuts.window(part.start, part.step, part.count)

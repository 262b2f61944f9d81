"""WindowRank: the cell of one rank in every window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.windows.window_operator import WindowOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
Place = tuple[int, ...]


@dataclass(frozen=True)
class WindowRank(WindowOperator):
    """The cell of a rank among some places of a window; NaN if one of them is.

    Attributes
    ----------
    places
        Those that count; None for all.
    rank
        From 0, the smallest.
    """

    name = "windowrank"
    kernel = "windowrank"
    places: tuple[Place, ...] | None
    rank: int

    def _count(self) -> int:
        return self.cells() if self.places is None else len(self.places)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own = {"places": self.places, "rank": self.rank}
        return {**super().arguments(inputs, box, boxes), **own}

    def flops(self, inputs: Types, box: ZRange) -> int:
        """About what a network that sorts as it merges takes."""
        return box.size * self._count() * 4

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        tile = min(box.size, max(2**17, 2**11 * self._count(), 16 * self.cells()))
        return 2 * inputs[0].dtype.itemsize * tile

    def _what(self) -> str:
        return f", rank {self.rank} of {self._count()}"

    def reference(self, *inputs: Block) -> Block:
        places = tuple(np.ndindex(*self.window)) if self.places is None else self.places
        cells = np.sort(np.stack([self.cells_at(inputs[0], place) for place in places], -1), -1)
        found = cells[..., self.rank]
        if cells.dtype.kind == "f":
            found = np.where(np.isnan(cells[..., -1]), cells.dtype.type(np.nan), found)
        return found if found.dtype == self.dtype else from_double(found, self.dtype)


def window_rank(
    x: Tensor,
    window: Sequence[int],
    rank: int,
    places: Sequence[Place] | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Tensor:
    """The cell of a rank of each window of a real tensor that lies within it.

    Parameters
    ----------
    window
        Cells along each axis.
    places, rank
        As `WindowRank` has them.
    dtype
        Of the result; that of `x` by default.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    own = x.type.dtype if dtype is None else dtype
    some = None if places is None else tuple(places)
    return apply(WindowRank(tuple(window), (1,) * len(window), own, some, rank), x)

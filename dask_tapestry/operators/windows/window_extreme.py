"""WindowExtreme: minima and maxima over windows of any form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.windows.window_operator import WindowOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.casts import from_double, with_addend

Block = np.ndarray[Any, Any]
Place = tuple[int, ...]
Extreme = Literal["minimum", "maximum"]


@dataclass(frozen=True)
class WindowExtreme(WindowOperator):
    """The minimum or maximum over some places of a window; NaN if one of them is.

    With addends doubles are compared, of integers as `with_addend` has them.

    Attributes
    ----------
    places
        Those that count.
    addends
        What is added to each, in double precision; None for nothing.
    """

    name = "windowextreme"
    kernel = "windowextreme"
    fold: Extreme
    places: tuple[Place, ...]
    addends: tuple[float, ...] | None = None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own = {"fold": self.fold, "places": self.places, "addends": self.addends}
        return {**super().arguments(inputs, box, boxes), **own}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * len(self.places) * (1 if self.addends is None else 2)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 2 * 8 * min(box.size, max(2**15, 16 * self.cells()))

    def _what(self) -> str:
        return f", {self.fold} of {len(self.places)}"

    def reference(self, *inputs: Block) -> Block:
        cells = np.stack([self.cells_at(inputs[0], place) for place in self.places], -1)
        if self.addends is not None:
            added = [with_addend(cells[..., n], one, n == 0) for n, one in enumerate(self.addends)]
            cells = np.stack(added, -1)
        best = np.asarray(cells.min(-1) if self.fold == "minimum" else cells.max(-1))
        return best if best.dtype == self.dtype else from_double(best, self.dtype)


def window_extreme(
    x: Tensor,
    window: Sequence[int],
    fold: Extreme,
    places: Sequence[Place],
    addends: Sequence[float] | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Tensor:
    """The minimum or maximum of each window of a real tensor over some of its places.

    Parameters
    ----------
    window
        Cells along each axis.
    places, addends
        As `WindowExtreme` has them.
    dtype
        Of the result; that of `x` by default.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    own = x.type.dtype if dtype is None else dtype
    added = None if addends is None else tuple(addends)
    how = (tuple(window), (1,) * len(window), own, fold, tuple(places), added)
    return apply(WindowExtreme(*how), x)

"""Cells that a mask selects, before anybody counted them: all cells, and the mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from dask_tapestry.arrays.tuning import MASK_NODES
from dask_tapestry.operators.cells.elementwise import scalar_of
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

KINDS: Final = "biufcmM"  # of cells of which there is a one


class Selection(NamedTuple):
    """All cells of a tensor, of which a mask selects some.

    Attributes
    ----------
    cells
        With those that are not selected.
    mask
        As long as `cells` along its dimensions, of which the first is `dim` of the cells.
    """

    cells: Tensor
    mask: Tensor
    dim: int

    @property
    def dims(self) -> range:
        """The dimensions of the cells that the mask has: one of what is selected."""
        return range(self.dim, self.dim + self.mask.type.ndim)

    @property
    def where(self) -> Tensor:
        """The mask in the shape of the cells."""
        shape = self.cells.type.shape
        sides = [n if axis in self.dims else 1 for axis, n in enumerate(shape)]
        return broadcast(reshape(self.mask, tuple(sides)), shape)

    def axes_of(self, axes: Sequence[int]) -> tuple[int, ...]:
        """The dimensions of the cells that are those of what is selected."""
        more = len(self.dims) - 1
        before = [axis for axis in axes if axis < self.dim]
        return (*before, *self.dims, *[axis + more for axis in axes if axis > self.dim])

    @property
    def harmless(self) -> Tensor:
        """The cells, with ones instead of those that are not selected.

        What is computed of them must not fail or warn: nobody asked for it.
        """
        return where(self.where, self.cells, scalar_of(1, self.cells.type.dtype))

    def is_of(self, other: Selection) -> bool:
        """Whether the same cells of another tensor are selected."""
        mine, others = self.cells.type.shape, other.cells.type.shape
        return self.mask is other.mask and self.dim == other.dim and mine == others


def _is_read_by(x: Tensor, mask: Tensor) -> bool:
    """Whether a mask is computed of what `x` is a part of, by not too many operators."""
    while x.operator.is_selector and len(x.inputs) == 1:
        (x,) = x.inputs
    stack, seen = [mask], {mask}
    while stack and len(seen) < MASK_NODES:
        one = stack.pop()
        if one is x:
            return True
        new = [n for n in one.inputs if n not in seen]
        seen.update(new)
        stack += new
    return False


def selection_of(cells: Tensor, dim: int, mask: Tensor) -> Selection | None:
    """The selection of the cells that a mask selects; None where it is better counted first.

    Who counts a mask first reads no cells of lines that it leaves out, but the mask twice: it is
    better where a line has more cells, and the mask is not computed of them.
    """
    if cells.type.dtype.kind not in KINDS or not mask.type.ndim:
        return None
    if cells.type.size == mask.type.size or _is_read_by(cells, mask):
        return Selection(cells, mask, dim)
    return None

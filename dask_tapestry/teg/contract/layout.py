"""Layout of an operator's blocks: where they end and lie, and which chunks a user sees."""

from __future__ import annotations

from typing import ClassVar

from dask_tapestry.teg.chunking import Chunks, Known, common_chunks, declared_chunks, followed
from dask_tapestry.teg.contract.access import AccessContract
from dask_tapestry.teg.types import Types
from dask_tapestry.zspace import Cuts


class LayoutContract(AccessContract):
    """What is fixed of how the output is held.

    The planner asks for what a user has fixed (`layout`, `workers`), reductions ask for the grid in
    which data is stored, and ``x.chunks`` for nominal chunks. Most operators say nothing of this:
    chunks follow from demands.

    Class attributes
    ----------------
    holds
        Its value is always held between steps: of sinks, and in layouts that the user fixed.
    hands_on
        Others take the blocks of a result one by one, and hold what they need of them.
    workers
        Names of the workers that alone compute it; none for any.
    """

    holds: ClassVar[bool] = False
    hands_on: bool = False
    workers: tuple[str, ...] = ()

    @property
    def layout(self) -> tuple[Cuts, ...] | None:
        """Cuts in which the output must be held; None where the plan chooses."""
        return None

    @property
    def tells_chunks(self) -> bool:
        """Whether its nominal chunks are its own, whatever its inputs have."""
        return self.layout is not None

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Nominal chunks along the output's axes: its own, or what `follow` makes of `chunks`."""
        return self.follow(inputs, chunks) if self.layout is None else declared_chunks(self.layout)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """How `chunks` of inputs pass to the output, None where nothing tells; as demands do."""
        shape, shapes = self.infer(*inputs).shape, [x.shape for x in inputs]
        if self.is_formula and all(own == shape for own in shapes):
            return tuple([common_chunks(axis) for axis in zip(*chunks, strict=True)])
        return followed(lambda box: self.demand(inputs, box), shape, shapes, chunks)

    @property
    def stored_cuts(self) -> tuple[Cuts | None, ...] | None:
        """The grid of stored data, on which sums depend: of a source, or kept of one; else None."""
        return None

    @property
    def local_only(self) -> str | None:
        """Why only this process can read or write, or None where any can."""
        return None

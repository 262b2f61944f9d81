"""The contract of sinks: operators that bring data out of an expression."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from dask_tapestry.teg.operator import Operator, Types
from dask_tapestry.teg.regularity import Regularity, uniform_regularity
from dask_tapestry.teg.source import USUAL_CODEC
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.teg.types import TensorType
from dask_tapestry.zspace import ZRange


class Sink(Operator):
    """A block operator that writes a tensor; nothing prunes it.

    Its output stands for what was written: the input's type, but no cells.

    Attributes
    ----------
    pending
        Boxes of the output that are still to be written in the compute that it knows; None for all.
    codec
        The name of what encodes cells; ``"plain"`` where they are stored as they lie in memory.
    """

    category = "sink"
    copies = False
    kernel = "write"
    holds = True
    sets_format = True
    pending: tuple[ZRange, ...] | None = None
    codec: str = USUAL_CODEC

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,)

    def regularity(self, inputs: Types) -> Regularity | None:
        return uniform_regularity(inputs[0].ndim)

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,)

    def turns(self, inputs: Types) -> Turns | None:
        """Written piece by piece; pieces end where `chunks` do."""
        return CELL_BY_CELL

    @property
    def resumes(self) -> bool:
        """Whether it goes on where the same write was stopped."""
        return False

    @property
    @abstractmethod
    def chunks(self) -> tuple[int, ...]:
        """Sides of the pieces that must be written by one task each."""

    def slot(self, number: int, identity: str = "") -> Sink | None:
        """Slot `number`, which stands for it in a plan for any place of its kind, or None."""
        return None

    def meets(self, other: Sink) -> bool:
        """Whether both may write to one stored piece; one of the two must say so."""
        return False

    def for_run(self, run: str) -> Sink:
        """The sink as it writes in the compute `run`."""
        del run
        return self

    @abstractmethod
    def prepare(self, type_: TensorType, run: str) -> None:
        """Make the store ready; it says that it is incomplete until `finish`.

        A sink may be computed again, and Dask repeats a task whose worker was lost. `run` names the
        compute: within one, what has been written already is kept.
        """

    @abstractmethod
    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        """Store the cells `box`."""

    def abandon(self) -> str | None:
        """Say that a compute has failed; return what to tell of what it leaves, if anything."""
        return None

    @abstractmethod
    def finish(self) -> None:
        """Say that the store is complete."""

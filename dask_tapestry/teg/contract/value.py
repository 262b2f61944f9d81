"""Values of an operator: what is known of its cells before any is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from dask_tapestry.cells import Span
from dask_tapestry.teg.types import Types


class ValueContract:
    """What operators tell of the values of their cells.

    Class attributes
    ----------------
    repeats
        Computed again, in whatever blocks, its cells are the same, bit by bit.
    """

    repeats: ClassVar[bool] = False

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        """Between which integers its cells lie, if those of the inputs lie in `spans`.

        None where nothing but their dtype tells.
        """
        return None

"""AssertCondition: cells as they are, if a condition holds of all; else computing raises."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor


@dataclass(frozen=True)
class AssertCondition:
    """What is called on blocks: of the cells and of the condition.

    Attributes
    ----------
    message
        Text of the ValueError that is raised where the condition does not hold.
    """

    message: str

    def __call__(
        self, cells: np.ndarray[Any, Any], holds: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        if not holds.all():
            raise ValueError(self.message)
        return cells


def assert_condition(x: Tensor, holds: Tensor, message: str) -> Tensor:
    """Return `x`; a block of it cannot be computed unless `holds` is true for each of its cells.

    Parameters
    ----------
    holds
        Truth values, which broadcast to the cells of `x`.
    message
        What is said, in a ValueError, where one is false.
    """
    spread = broadcast(holds, x.type.shape)
    return called_on_cells(AssertCondition(message), x.type.dtype, [x, spread])

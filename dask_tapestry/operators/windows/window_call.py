"""WindowCall: a user's function of the cells of every window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.windows.window_operator import WindowOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
Place = tuple[int, ...]
CALL_FLOPS: Final = 5000  # of a call of a small NumPy function


@dataclass(frozen=True)
class WindowCall(WindowOperator):
    """What `function` returns for the doubles at some places of a window.

    Attributes
    ----------
    places
        Those that it gets, in their order.
    function
        Of an array of one dimension.
    """

    name = "windowcall"
    kernel = "windowcall"
    transparent = False  # a user's function is called once for a window
    is_window = False
    places: tuple[Place, ...]
    function: UserFunction

    @property
    def label(self) -> str:
        return self.function.label

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own = {"places": self.places, "function": self.function}
        return {**super().arguments(inputs, box, boxes), **own}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * (CALL_FLOPS + len(self.places))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 8 * min(box.size * len(self.places), max(2**16, 2**8 * len(self.places))) + 2**16

    def _what(self) -> str:
        return f", {self.function.name}"

    def reference(self, *inputs: Block) -> Block:
        cells = np.stack([self.cells_at(inputs[0], place) for place in self.places], -1)
        found = np.empty(cells.shape[:-1])
        for at in np.ndindex(*found.shape):
            found[at] = self.function(cells[at].astype(np.float64))
        return from_double(found, self.dtype)


def window_call(
    x: Tensor,
    window: Sequence[int],
    places: Sequence[Place],
    given: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]],
    dtype: np.dtype[Any],
) -> Tensor:
    """What a function returns for each window of a real tensor.

    Parameters
    ----------
    window
        Cells along each axis.
    places
        Those that the function gets.
    given
        The function, and its further arguments and keywords.
    dtype
        Of the result.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    held = UserFunction.of(_called, *given)
    function = replace(held, name=name_of(given[0]))
    return apply(WindowCall(tuple(window), (1,) * len(window), dtype, tuple(places), function), x)


def _called(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], cells: Block
) -> Any:
    return function(cells, *arguments, **keywords)

"""VectorFunction: a user's function of `numpy.pad`, which writes into vectors along an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.lanes import LaneOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class VectorFunction(LaneOperator):
    """The input after `function` has written into each vector along `axis`.

    It is called with the vector, the `widths` of the padding before and after, and the axis.
    """

    name = "vectorfunction"
    kernel = "vectors"
    axis: int
    widths: tuple[int, int]
    function: UserFunction

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "function": self.function,
            "axis": self.axis,
            "widths": self.widths,
            "part": self.part(box),
        }

    def text(self) -> str:
        return f"{self.function.name}, axis={self.axis}, widths={self.widths}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        changed = np.array(inputs[0])
        lanes = np.moveaxis(changed, self.axis, -1)
        for place in np.ndindex(lanes.shape[:-1]):
            self.function(lanes[(*place, Ellipsis)], np.asarray(self.widths), self.axis)
        return changed


def pad_vectors(
    x: Tensor,
    function: Callable[..., Any],
    axis: int,
    widths: tuple[int, int],
    options: Mapping[str, Any],
) -> Tensor:
    """Let ``function(vector, widths, axis, options)`` write into the vectors along `axis`."""
    return called_on_vectors(x, _written, axis, widths, function, dict(options))


def called_on_vectors(
    x: Tensor, function: Callable[..., Any], axis: int, widths: tuple[int, int], *first: Any
) -> Tensor:
    """Let ``function(*first, vector, widths, axis)`` write into the vectors along `axis`."""
    return apply(VectorFunction(axis, widths, UserFunction.of(function, *first)), x)


def _written(
    function: Callable[..., Any],
    options: dict[str, Any],
    vector: np.ndarray[Any, Any],
    widths: np.ndarray[Any, Any],
    axis: int,
) -> None:
    function(vector, widths, axis, options)

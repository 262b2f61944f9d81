"""Functions of blocks that are held in arrays of another library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class FormattedFunction:
    """A function that is given each block in the format that its array has.

    Attributes
    ----------
    takes
        For each block, its format; None for NumPy's arrays.
    """

    function: Callable[..., Any]
    takes: tuple[BlockFormat | None, ...]

    def __call__(self, *blocks: Any, **told: Any) -> Any:
        given = [_held(*pair) for pair in zip(blocks, self.takes, strict=True)]
        return self.function(*given, **told)


def _held(block: Any, wanted: BlockFormat | None) -> Any:
    """A block, or lists of them, in a format."""
    if isinstance(block, list):
        return [_held(one, wanted) for one in block]
    return block if wanted is None else wanted.of_block(block)


def taking_formats(
    function: UserFunction, tensors: Sequence[Tensor], devices: bool = False
) -> UserFunction:
    """The function, given blocks of tensors in the formats that these have.

    Parameters
    ----------
    devices
        Whether blocks on a device are given as they are, or brought to the host.
    """
    takes = tuple([x.format if devices or not _lies_there(x.format) else None for x in tensors])
    if not any(takes):
        return function
    return replace(UserFunction.of(FormattedFunction(function, takes)), name=function.name)


def callable_here(function: UserFunction) -> Callable[..., Any]:
    """A function that can be tried in this process, on NumPy's arrays if it has no device's."""
    formatted = function.function
    if isinstance(formatted, FormattedFunction) and any(map(_lies_there, formatted.takes)):
        try:
            import_module("cupy")
        except ImportError:
            takes = tuple([None if _lies_there(one) else one for one in formatted.takes])
            return FormattedFunction(formatted.function, takes)
    return function


def _lies_there(known: BlockFormat | None) -> bool:
    return known is not None and known.on_device


def takes_formats(function: UserFunction) -> bool:
    """Whether a function is given blocks in formats."""
    return isinstance(function.function, FormattedFunction)

"""Functions of texts whose results are single cells, one for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.measured_texts import longest, text_dtype
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells


@dataclass(frozen=True)
class OfTexts:
    """A function of `numpy.strings` or `numpy.char`, with arguments in place, called on blocks.

    {Attributes}
        name: Of the function.
        arguments: What is given; None where a block comes.
        kwargs: Names and values.
        part: Of several results, the number of the one that is wanted.
    """

    name: str
    arguments: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()
    part: int | None = None

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *blocks: Any) -> Any:
        given = iter(blocks)
        arguments = [next(given, None) if one is None else one[0] for one in self.arguments]
        made = function_of(self.name)(*arguments, **dict(self.kwargs))
        return np.asarray(made if self.part is None else made[self.part])


def function_of(name: str) -> Callable[..., Any]:
    """NumPy's function of a name."""
    found: Callable[..., Any] = getattr(np.strings, name, None) or getattr(np.char, name)
    return found


def text_call(name: str, *operands: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """Call a function whose results have a dtype that follows from those of the operands.

    {Parameters}
        name: Of the function of NumPy's.
        *operands: Arrays, which broadcast, and single texts and numbers, which stay as they are.
        dtype: Of the results; by default found by a call of empty texts.
        **kwargs: What goes along with each call.
    {Raises} DTypeError: For operands that NumPy's function refuses.
    """
    called, given = _call_of(name, operands, kwargs)
    with reading(name):
        kind = np.dtype(dtype) if dtype is not None else called(*_empty(given)).dtype
    return Array(called_on_cells(called, kind, [one.node for one in given]))


def measured_call(
    name: str, *operands: Any, kind: str | None = None, part: int | None = None, **kwargs: Any
) -> Array:
    """Call a function whose results are as long as cells make them; the longest is found now.

    {Parameters}
        name, *operands, **kwargs: As of `text_call`.
        kind: Of the results: ``"U"`` for texts, ``"S"`` for bytes; by default the first operand's.
        part: Of several results, the number of the one that is wanted.
    {Raises} DTypeError: If the first operand is no array of texts of a fixed length.
    """
    called, given = _call_of(name, operands, kwargs, part)
    if given[0].dtype.kind not in "SU":
        raise DTypeError(f"{name} takes texts of a fixed length, not {given[0].dtype}")
    sized = text_dtype(kind or given[0].dtype.kind, longest(given, called))
    return Array(called_on_cells(called, sized, [one.node for one in given]))


def _call_of(
    name: str, operands: tuple[Any, ...], kwargs: dict[str, Any], part: int | None = None
) -> tuple[OfTexts, list[Array]]:
    """A function for blocks, and the arrays that it takes; the first operand is always one."""
    arrays = [
        asarray(one) if not number or not _is_plain(one) else None
        for number, one in enumerate(operands)
    ]
    places = tuple((o,) if a is None else None for a, o in zip(arrays, operands, strict=True))
    called = OfTexts(name, places, tuple(kwargs.items()), part)
    return called, [one for one in arrays if one is not None]


def _is_plain(value: Any) -> bool:
    """Whether an operand is one text or number, for all cells."""
    return value is None or isinstance(value, str | bytes | int | float | np.generic)


def _empty(arrays: list[Array]) -> list[np.ndarray[Any, Any]]:
    return [np.zeros(1, one.dtype) for one in arrays]

"""Conversion of arrays to Python's numbers and lists: `float(x)`, `tolist`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from dask_tapestry.arrays.core.method_stubs import ArrayMethods
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, ShapeError
from dask_tapestry.operators.generators.symbol import known_while_traced
from dask_tapestry.teg import Tensor

T = TypeVar("T")


class PythonConversion(ArrayMethods):
    """Conversions to Python's numbers, lists and text, and ``in``; they compute."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def node(self) -> Tensor: ...
        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def size(self) -> int: ...
        @property
        def ndim(self) -> int: ...
        @property
        def dtype(self) -> np.dtype[Any]: ...
        def compute(self, **kwargs: Any) -> Any: ...

    def _scalar(self, convert: Callable[..., T]) -> T:
        if self.ndim:
            raise ArgumentTypeError(
                f"only arrays without dimensions can be converted to {convert.__name__}, this has "
                f"the shape {self.shape}: x.item() takes the only cell, x[0] the first one"
            )
        known = known_while_traced(self.node)
        return convert(np.asarray(self).reshape(())[()] if known is None else known)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ArgumentError(
                f"the truth value of an array of {self.size} cells is ambiguous: use any() or "
                "all(), and `&` and `|` instead of `and` and `or`"
            )
        return bool(self.reshape(())._scalar(bool))

    def __int__(self) -> int:
        return int(self._scalar(int))

    def __float__(self) -> float:
        return float(self._scalar(float))

    def __complex__(self) -> complex:
        return complex(self._scalar(complex))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.ndim:
            raise ArgumentTypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self._scalar(int))

    def __contains__(self, value: object) -> bool:
        return bool((self == value).any())

    def __format__(self, text: str) -> str:
        """Format the value of an array without dimensions as a number; others as `repr` does."""
        return format(self.item(), text) if text and not self.ndim else format(repr(self), text)

    def item(self, *index: int | tuple[int, ...]) -> Any:
        """Return one element as a Python scalar; computes it.

        {Parameters} *index: A coordinate for each dimension, or a tuple of them, or one place in C
            order; without, the only element.
        {Returns} bool, int, float, complex, ...: What `numpy.ndarray.item` returns.
        {Raises} ShapeError: If there are several elements and none is named.
        """
        key: Any = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        chosen = self.ravel()[key[0]] if len(key) == 1 else self[key] if key else self
        if chosen.size != 1:
            raise ShapeError("can only convert an array of size 1 to a Python scalar")
        return np.asarray(chosen).item()

    def tobytes(self, order: Literal["C", "F", "A"] = "C") -> bytes:
        """Return the bytes of the cells, in this machine's byte order; computes them.

        {Parameters} order: In which the cells follow each other: the last index fastest (``"C"``
            and ``"A"``), or the first (``"F"``).
        {Returns} bytes: `nbytes` of them.
        """
        return np.asarray(self).tobytes("F" if order == "F" else "C")

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python scalars; computes them.

        {Returns} list or scalar: As deep as the array has dimensions.
        """
        return np.asarray(self).tolist()

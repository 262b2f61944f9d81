"""Lazy arrays among the further arguments of a user's function: computed once, and given whole.

A function called on blocks must not be given a lazy array: each call would compute it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import name_of


@dataclass(frozen=True)
class Numbered:
    """Stands for an array, by its number."""

    number: int


class Arguments(NamedTuple):
    """Further arguments of a function.

    {Attributes}
        args, options: By place and by name, with `Numbered` for each lazy array in them, however
            nested.
        arrays: Those arrays.
    """

    args: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]
    arrays: tuple[Array, ...]

    def call_after(self, function: Callable[..., Any], blocks: int) -> Callable[..., Any]:
        """A function of so many blocks, and then of the arrays."""
        if not (self.args or self.options):
            return function
        return WithArguments(function, blocks, self.args, self.options)


def arguments_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """Return further arguments and the lazy arrays among them.

    {Examples}
    >>> arguments_of([2, [dt.ones(3)]], {"deg": 1}).args
    (2, [Numbered(number=0)])
    """
    arrays: list[Array] = []
    marked = tuple(_marked(one, arrays) for one in args)
    options = tuple((name, _marked(one, arrays)) for name, one in kwargs.items())
    return Arguments(marked, options, tuple(arrays))


@dataclass(frozen=True)
class WithArguments:
    """A function of blocks with further arguments, of which arrays come after the blocks."""

    function: Callable[..., Any]
    blocks: int
    args: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __call__(self, *given: Any) -> Any:
        arrays = given[self.blocks :]
        args, options = with_arrays((self.args, dict(self.options)), arrays)
        return self.function(*given[: self.blocks], *args, **options)


def _marked(value: Any, arrays: list[Array]) -> Any:
    """A value with numbers for its lazy arrays, which are added to `arrays`."""
    if hasattr(value, "__dask_graph__") and hasattr(value, "numblocks"):
        arrays.append(asarray(value))
        return Numbered(len(arrays) - 1)
    if type(value) in (list, tuple):
        return type(value)(_marked(one, arrays) for one in value)
    if type(value) is dict:
        return {key: _marked(one, arrays) for key, one in value.items()}
    return value


def with_arrays(value: Any, arrays: Sequence[Any]) -> Any:
    """A value with arrays in place of their numbers.

    Examples
    --------
    >>> with_arrays([2, {"x": Numbered(0)}], ["cells"])
    [2, {'x': 'cells'}]
    """
    if isinstance(value, Numbered):
        return arrays[value.number]
    if type(value) in (list, tuple):
        return type(value)(with_arrays(one, arrays) for one in value)
    if type(value) is dict:
        return {key: with_arrays(one, arrays) for key, one in value.items()}
    return value

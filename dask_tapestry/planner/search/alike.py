"""Alike programs: those that differ in data, in constants and a little in extents.

The months of a climatology, the lags of a series and the steps of a loop are programs of one kind.
The first one is searched; others begin from what was found for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.planner.search.tuning import ALIKE_EXTENTS, SMALL_NUMBER
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node, Source, TensorType
from dask_tapestry.zspace import ZAffineMap

T = TypeVar("T")

DATA: Final = (bytes, float, complex, np.generic, np.ndarray)  # no grid depends on what it is


@lru_cache(maxsize=2048)
def likeness(program: Program) -> object:
    """What a program has in common with those that are alike, but for extents."""
    steps = [
        (type(one.operator), _parameters(one.operator), one.inputs, _kind(one.type))
        for one in program.instructions
    ]
    return tuple(map(_kind, program.inputs)), tuple(steps)


def operator_likeness(node: Node) -> object:
    """What an operator has in common with others that take as much of inputs of the same shapes.

    Sums and means along an axis of several formulas of an array are alike, whatever their cells.
    """
    return _measures(node.operator), tuple([t.shape for t in node.input_types])


def _measures(value: Any) -> object:
    """The numbers that a parameter is made of, as they are: axes, extents, sizes."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, tuple):
        return tuple(map(_measures, value))
    if isinstance(value, CellExpression) or not is_dataclass(value):
        return None
    return type(value), tuple([_measures(getattr(value, field.name)) for field in fields(value)])


def extents(program: Program, held: Held) -> tuple[int, ...]:
    """The extents of a program's values, and the numbers of blocks in which inputs are held."""
    own = [n for type_ in program.types for n in type_.shape]
    return (*own, *[cut.count for cuts in held if cuts is not None for cut in cuts])


def are_near(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether numbers are about as large as others, each by itself.

    Examples
    --------
    >>> are_near((1230, 721), (1200, 721)), are_near((1230, 721), (14610, 721))
    (True, False)
    """
    if len(one) != len(other):
        return False
    return all(
        a == b or max(a, b) <= ALIKE_EXTENTS * min(a, b) for a, b in zip(one, other, strict=True)
    )


def one_of_each(
    programs: Iterable[tuple[T, Program, Held]], most: int = 1
) -> Iterator[tuple[T, list[T]]]:
    """The first `most` of things whose programs are alike, each with all that are.

    Parameters
    ----------
    programs
        Things, each with its program and the cuts in which the inputs of that are held.
    """
    kinds: dict[object, list[tuple[tuple[int, ...], list[T]]]] = {}
    groups: list[list[T]] = []
    for thing, program, held in programs:
        size = extents(program, held)
        known = kinds.setdefault((likeness(program), program.type), [])
        group = next((some for other, some in known if are_near(size, other)), None)
        if group is None:
            group = []
            known.append((size, group))
            groups.append(group)
        group.append(thing)
    for group in groups:
        yield from ((thing, group) for thing in group[:most])


def _kind(type_: TensorType) -> object:
    return type_.dtype, type_.ndim


def _parameters(operator: Any) -> object:
    if isinstance(operator, Source):
        return operator.chunks, operator.is_plain, operator.codec
    if not is_dataclass(operator):
        return ()
    return tuple([_rough(getattr(operator, field.name)) for field in fields(operator)])


def _rough(value: Any) -> object:
    """A parameter, without what is data and how large numbers are."""
    if value is None or isinstance(value, bool | str | np.dtype):
        return value
    if isinstance(value, int):
        return value if abs(value) < SMALL_NUMBER else SMALL_NUMBER
    if isinstance(value, CellExpression):
        return value.parameters, tuple([step[:3] for step in value.steps])
    if isinstance(value, ZAffineMap):
        return value.matrix
    if isinstance(value, tuple):
        return tuple(map(_rough, value))
    if isinstance(value, DATA) or not is_dataclass(value):
        return type(value)
    return type(value), tuple([_rough(getattr(value, field.name)) for field in fields(value)])

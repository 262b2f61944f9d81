"""Tables of constraints by number, and the error that names all that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from dask_tapestry.errors import ConstraintError

Call = TypeVar("Call")
Constraint = Callable[[Call], str | None]


def numbered(
    table: dict[int, Constraint[Call]], number: int
) -> Callable[[Constraint[Call]], Constraint[Call]]:
    """Declare constraint `number`: a function that says how a call breaks it, or None."""

    def declared(constraint: Constraint[Call]) -> Constraint[Call]:
        table[number] = constraint
        return constraint

    return declared


def check(
    operator: str,
    table: Mapping[int, Constraint[Call]],
    call: Call,
    only: Iterable[int] | None = None,
) -> None:
    """Raise `ConstraintError` that names all constraints which a call breaks.

    {Parameters}
        operator: Its name, for the error.
        only: Numbers of the constraints to check; all by default.
    """
    numbers = sorted(table if only is None else only)
    found = [(number, table[number](call)) for number in numbers]
    broken = [f"(C{number}) {text}" for number, text in found if text is not None]
    if broken:
        raise ConstraintError(f"{operator} breaks\n  " + "\n  ".join(broken))


def is_unique(dims: Sequence[int]) -> bool:
    """Whether no number is there twice."""
    return len(set(dims)) == len(dims)


def is_sorted(dims: Sequence[int]) -> bool:
    """Whether numbers ascend."""
    return list(dims) == sorted(dims)


def invalid_dims(dims: Sequence[int], rank: int) -> list[int]:
    """The numbers that are not dimensions of a tensor of `rank`."""
    return [dim for dim in dims if not 0 <= dim < rank]


def repeated(names: str, dims: Sequence[int]) -> str | None:
    """What is said of dimensions of which two are one."""
    return None if is_unique(dims) else f"{names} {list(dims)} are not unique"


def unsorted(name: str, dims: Sequence[int]) -> str | None:
    """What is said of dimensions that do not ascend."""
    return None if is_sorted(dims) else f"{name} {list(dims)} are not sorted"


def not_ascending(name: str, dims: Sequence[int]) -> str | None:
    """What is said of dimensions that do not ascend, each above the one before."""
    ascend = is_unique(dims) and is_sorted(dims)
    return None if ascend else f"{name} {list(dims)} are not unique and sorted"


def strange(name: str, dims: Sequence[int], rank: int, whose: str = "") -> str | None:
    """What is said of numbers that are no dimensions of a tensor of `rank`."""
    wrong = invalid_dims(dims, rank)
    owner = f"{whose} " if whose else ""
    return f"{name} {wrong} are none of {owner}{rank}" if wrong else None


def unlike_extents(
    names: str,
    shapes: tuple[Sequence[int], Sequence[int]],
    batching: tuple[Sequence[int], Sequence[int]],
) -> str | None:
    """What is said of the batching dimensions of two tensors whose extents are not the same."""
    extents = [
        (shapes[0][a], shapes[1][b])
        for a, b in zip(*batching, strict=False)
        if 0 <= a < len(shapes[0]) and 0 <= b < len(shapes[1])
    ]
    if all(a == b for a, b in extents):
        return None
    return f"batching dimensions of {names} differ: {extents}"


def vectors_of(shape: Sequence[int], vector_dim: int) -> tuple[int, ...]:
    """Extents of indices but for that along which vectors lie."""
    return tuple(n for dim, n in enumerate(shape) if dim != vector_dim)


def vector_length(shape: Sequence[int], vector_dim: int) -> int | None:
    """Numbers in a vector: one where indices have no dimension for vectors.

    None where there is no such dimension at all.
    """
    if vector_dim < 0:
        return None
    return shape[vector_dim] if vector_dim < len(shape) else 1


def combined(
    vectors: Sequence[int], window: Sequence[int], window_dims: Sequence[int]
) -> tuple[int, ...] | None:
    """Extents of vectors and, at `window_dims`, of windows; None if these are none of theirs."""
    rank = len(vectors) + len(window)
    if (
        invalid_dims(window_dims, rank)
        or not is_unique(window_dims)
        or len(window) != len(window_dims)
    ):
        return None
    rows, sides = iter(vectors), iter(window)
    return tuple(next(sides) if axis in window_dims else next(rows) for axis in range(rank))

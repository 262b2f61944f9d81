"""Einsum: the summation convention, read from subscripts and contracted two tensors at a time."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.products.tensordot import (
    arranged,
    contracted,
    summed,
    with_diagonals,
)
from dask_tapestry.teg import Tensor

ELLIPSIS = "..."
Path = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Subscripts:
    """Labels of each operand's dimensions and of the result's.

    A dimension of an ellipsis is labelled by its number from the right, as ``...0``.
    """

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]


def parse(text: str, ndims: Sequence[int], summing: bool = False) -> Subscripts:
    """Read subscripts such as ``"ij,jk->ik"`` for operands of `ndims` dimensions.

    Parameters
    ----------
    summing
        Whether a result without ellipsis sums over the operands' ellipsis dimensions.

    Raises
    ------
    ShapeError
        If the subscripts are malformed or do not fit the operands.

    Examples
    --------
    >>> parse("...ij,jk", (3, 2))
    Subscripts(operands=(('...0', 'i', 'j'), ('j', 'k')), result=('...0', 'i', 'k'))
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        few = "more operands provided to einstein sum function than specified in the subscripts"
        many = "fewer operands provided to einstein sum function than specified in the subscripts"
        raise ShapeError(f"{few if len(terms) < len(ndims) else many} string")
    operands = tuple(
        _labels(_symbols(term, f"operand {n}"), ndim, n)
        for n, (term, ndim) in enumerate(zip(terms, ndims, strict=True))
    )
    lead = max((_ellipsis(labels) for labels in operands), key=len, default=())
    if not arrow:
        return Subscripts(operands, (*lead, *_appearing_once(operands)))
    symbols = _symbols(right, "the output")
    if lead and ELLIPSIS not in symbols and not summing:
        raise ShapeError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    result = [i for symbol in symbols for i in (lead if symbol == ELLIPSIS else (symbol,))]
    _check_result(result, operands)
    return Subscripts(operands, tuple(result))


def _symbols(term: str, where: str) -> list[str]:
    """Letters, and at most one ellipsis."""
    dots = term.count(".")
    if dots and (dots != 3 or ELLIPSIS not in term):
        raise ShapeError(
            "einstein sum subscripts string contains a '.' that is not part of an ellipsis "
            f"('...') in {where}"
        )
    head, ellipsis, tail = term.partition(ELLIPSIS)
    for letter in (*head, *tail):
        if not (letter.isascii() and letter.isalpha()):
            raise ShapeError(
                f"invalid subscript {letter!r} in einstein sum subscripts string, subscripts must "
                "be letters"
            )
    return [*head, *([ellipsis] if ellipsis else []), *tail]


def _labels(symbols: list[str], ndim: int, number: int) -> tuple[str, ...]:
    named = len(symbols) - (ELLIPSIS in symbols)
    if named > ndim:
        raise ShapeError(
            "einstein sum subscripts string contains too many subscripts for operand "
            f"{number}: it has {ndim} dimensions"
        )
    if named < ndim and ELLIPSIS not in symbols:
        raise ShapeError(
            "operand has more dimensions than subscripts given in einstein sum, but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    dots = [f"...{place}" for place in reversed(range(ndim - named))]
    return tuple(i for symbol in symbols for i in (dots if symbol == ELLIPSIS else (symbol,)))


def _ellipsis(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if label.startswith(ELLIPSIS))


def _appearing_once(operands: Sequence[Sequence[str]]) -> list[str]:
    """Labels of the result without an arrow: those that appear once, in alphabetical order."""
    every = [i for labels in operands for i in labels if not i.startswith(ELLIPSIS)]
    return sorted(i for i in set(every) if every.count(i) == 1)


def _check_result(result: Sequence[str], operands: Sequence[Sequence[str]]) -> None:
    for label in result:
        if result.count(label) > 1:
            raise ShapeError(
                f"einstein sum subscripts string includes output subscript {label!r} multiple times"
            )
        if not label.startswith(ELLIPSIS) and not any(label in labels for labels in operands):
            raise ShapeError(
                f"einstein sum subscripts string included output subscript {label!r} which never "
                "appeared in an input"
            )


def label_sizes(subscripts: Subscripts, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """Extent of each label; dimensions of length one broadcast.

    Raises
    ------
    ShapeError
        If two extents do not fit.
    """
    sizes: dict[str, int] = {}
    for number, (labels, shape) in enumerate(zip(subscripts.operands, shapes, strict=True)):
        for label, n in zip(labels, shape, strict=True):
            if sizes.get(label, 1) not in (1, n) and n != 1:
                raise ShapeError(
                    "operands could not be broadcast together with remapped shapes: size of label "
                    f"{label!r} for operand {number} ({n}) does not match previous terms "
                    f"({sizes[label]})"
                )
            sizes[label] = n if sizes.get(label, 1) == 1 else sizes[label]
    return sizes


def einsum(subscripts: Subscripts, tensors: Sequence[Tensor], path: Path) -> Tensor:
    """Contract `tensors`, of one dtype, in the order of `path`.

    Parameters
    ----------
    path
        Numbers of the operands to contract next, among those left; the product goes to the end.
    """
    operands = [
        with_diagonals(x, labels) for x, labels in zip(tensors, subscripts.operands, strict=True)
    ]
    for places in path:
        chosen = [operands[place] for place in sorted(places)]
        operands = [x for place, x in enumerate(operands) if place not in set(places)]
        while len(chosen) > 1:
            wanted = {i for x in (*operands, *chosen[2:]) for i in x.labels} | set(
                subscripts.result
            )
            chosen[:2] = [contracted(chosen[0], chosen[1], wanted)]
        operands += chosen
    return arranged(summed(operands[0], subscripts.result), subscripts.result)

"""Labels as codes: the number of the group of each cell, -1 for a cell that is in none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.predicates import notnull
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.arrays.sorting.search import digitize, searchsorted
from dask_tapestry.arrays.sorting.unique import unique
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.io.sources.numpy_source import constant

Codes = np.ndarray[Any, Any] | Array
Values = np.ndarray[Any, Any]
TEXT: Final = "SUT"  # kinds of dtypes


class Labels(NamedTuple):
    """Labels of cells, as the numbers of their groups.

    {Attributes}
        codes: Number of the group of each cell in C order of `counts`, or -1; NumPy's where known.
        counts: Number of groups of each of several labels.
        groups: The labels that the groups have; bins where they are bins.
        occur: Whether each group is known to have a cell, as its label was found in one.
    """

    codes: Codes
    counts: tuple[int, ...]
    groups: tuple[Any, ...]
    occur: bool


def codes_of(labels: Sequence[ArrayLike], expected: Sequence[Any]) -> Labels:
    """Return the codes of labels, which are broadcast to one shape.

    {Parameters}
        labels: Arrays; those that are not in memory are computed only if their groups are not
            `expected`.
        expected: For each the groups, in order: labels, an `IntervalIndex` of adjoining bins, or
            None for all that occur but NaN and NaT, sorted.
    {Raises}
        ArgumentError: If a group is expected twice, or bins do not adjoin.
        DTypeError: If labels have no order.
        ShapeError: If labels cannot be broadcast.
    """
    pairs = [
        _codes(number, _in_memory_or_lazy(label), wanted)
        for number, (label, wanted) in enumerate(zip(labels, expected, strict=True))
    ]
    groups = tuple(group for _, group in pairs)
    counts = tuple(len(group) for group in groups)
    try:
        np.broadcast_shapes(*[codes.shape for codes, _ in pairs])
    except ValueError as error:
        raise ShapeError(f"labels of shapes {[c.shape for c, _ in pairs]}: {error}") from error
    whole, inside = _joined([codes for codes, _ in pairs], counts)
    occur = len(pairs) == 1 and expected[0] is None
    return Labels(_chosen(inside, whole) if len(pairs) > 1 else whole, counts, groups, occur)


def _joined(codes: Sequence[Any], counts: Sequence[int]) -> tuple[Any, Any]:
    """One number of all codes of a cell, and whether none is -1.

    It begins with the first codes, not with zeros: an array in memory of the shape of labels that
    are not is as large as they are.
    """
    whole: Any = codes[0]
    inside: Any = whole >= 0
    for more, count in zip(codes[1:], counts[1:], strict=True):
        whole = whole * count + more
        inside = inside & (more >= 0)
    return whole, inside


def shape_of(number: int, label: ArrayLike) -> tuple[int, ...]:
    """The shape of the labels of this number.

    {Raises} ShapeError: If they are lists of different lengths.
    """
    if not hasattr(label, "shape"):
        try:
            label = np.asarray(label)
        except ValueError as error:
            raise ShapeError(f"labels[{number}] of groupby_reduce: {error}") from error
    shape: tuple[int, ...] = tuple(label.shape)
    return shape


def _in_memory_or_lazy(label: Any) -> Codes:
    """The label as an array, NumPy's if it is in memory."""
    return asarray(label) if hasattr(label, "__dask_graph__") else np.asarray(label)


def _chosen(inside: Any, codes: Any) -> Codes:
    found: Codes = np.where(inside, codes, -1) if _is_known(codes) else where(inside, codes, -1)
    return found


def _is_known(codes: object) -> bool:
    return isinstance(codes, np.ndarray)


def _codes(number: int, label: Codes, expected: Any) -> tuple[Codes, Any]:
    if expected is not None and hasattr(expected, "closed"):
        return _bin_codes(label, expected), expected
    if expected is None:
        groups = _groups(number, label)
        return _places(label, groups, np.arange(len(groups))), groups
    groups = np.asarray(expected)
    if groups.ndim != 1:
        raise ShapeError(f"expected groups are a vector, not of shape {groups.shape}")
    if groups.size and not _may_be_equal(label.dtype, groups.dtype):
        raise DTypeError(
            f"expected_groups of dtype {groups.dtype} cannot be among labels[{number}] of dtype "
            f"{label.dtype}"
        )
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    if (ordered[1:] == ordered[:-1]).any():
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        raise ArgumentError(f"expected_groups has duplicate labels: {twice[:3]}")
    return _places(label, ordered, order), groups


def _may_be_equal(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether values of two dtypes can be equal: text and numbers cannot, objects are anything."""
    return "O" in (one.kind, other.kind) or (one.kind in TEXT) is (other.kind in TEXT)


def _groups(number: int, label: Codes) -> Values:
    """The labels that occur, sorted, without NaN and NaT."""
    if isinstance(label, Array):
        label = np.asarray(unique(label))
    try:
        found = np.unique(label)
    except TypeError as error:
        raise DTypeError(f"labels {number} have no order: {error}") from error
    known: Values = found[found == found]  # NaN and NaT are not
    return known


def _places(label: Codes, ordered: Values, numbers: Values) -> Codes:
    """The numbers of labels, which are looked up in a sorted table; -1 for what is not in it."""
    if not len(ordered):
        return np.full(label.shape, -1)
    if isinstance(label, np.ndarray):
        try:
            at = np.searchsorted(ordered, label).clip(0, len(ordered) - 1)
        except TypeError as error:
            raise DTypeError(f"labels have no order: {error}") from error
        codes: Values = np.where(ordered[at] == label, numbers[at], -1)
        return codes
    if _count_on(ordered, label.dtype) and (numbers == np.arange(len(numbers))).all():
        first, last, whole = int(ordered[0]), int(ordered[-1]), label.astype(np.int64)
        return where((whole >= first) & (whole <= last), whole - first, -1)
    known, own = Array(constant(ordered)), Array(constant(numbers))  # equal ones are one value
    place = searchsorted(known, label).clip(0, len(ordered) - 1)
    return where(take(known, place) == label, take(own, place), -1)


def _count_on(ordered: Values, labels: np.dtype[Any]) -> bool:
    """Whether groups are integers one after the other that int64 has, as it has all labels."""
    if ordered.dtype.kind not in "iu" or labels.kind not in "iu" or labels == np.uint64:
        return False
    first, last = int(ordered[0]), int(ordered[-1])
    return last - first == len(ordered) - 1 and last <= np.iinfo(np.int64).max


def _bin_codes(label: Codes, bins: Any) -> Codes:
    """The numbers of the bins that labels lie in."""
    left, right = np.asarray(bins.left), np.asarray(bins.right)
    if bins.closed not in ("left", "right") or (left[1:] != right[:-1]).any():
        raise ArgumentError(
            f"bins must adjoin, ascend, and be closed on the left or the right, not {bins}"
        )
    edges = np.append(left, right[-1:])
    is_right = bins.closed == "right"
    if isinstance(label, np.ndarray):
        codes = np.digitize(label, edges, right=is_right) - 1
        return np.where((codes < len(left)) & (label == label), codes, -1)
    lazy = digitize(label, edges, right=is_right) - 1
    return where((lazy < len(left)) & notnull(label), lazy, -1)

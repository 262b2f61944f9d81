"""The dtype in which a user's monoid combines cells, and its identity in that dtype."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError, SignatureError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.infer_meta import tried
from dask_tapestry.operators.tuning import MOST_STATE_BYTES


@dataclass(frozen=True)
class Fieldwise:
    """A function of structured cells: of each field, or of two tuples of all fields."""

    function: Callable[..., Any]
    each: bool

    def __call__(self, a: Any, b: Any) -> Any:
        left = tuple(a[name] for name in a.dtype.names)
        right = tuple(b[name] for name in b.dtype.names)
        if self.each:
            return tuple(self.function(x, y) for x, y in zip(left, right, strict=True))
        return self.function(left, right)


@dataclass(frozen=True)
class FieldByField:
    """A function of structured cells: of each field another one."""

    functions: tuple[Callable[..., Any], ...]

    def __call__(self, a: Any, b: Any) -> Any:
        pairs = zip(self.functions, a.dtype.names, strict=True)
        return tuple(function(a[name], b[name]) for function, name in pairs)


def folded_dtype(
    combine: Callable[..., Any],
    identity: Any,
    dtype: np.dtype[Any],
    levels: int,
    declared: frozenset[str | None] = frozenset(),
) -> np.dtype[Any]:
    """The dtype in which cells of `dtype` are combined.

    It holds the cells, the identity as NumPy's promotion has it, and what `combine` makes of such
    cells. Strings may grow at each of `levels` of the tree.

    Parameters
    ----------
    declared
        Fields whose dtype stays; None stands for cells without fields.

    Raises
    ------
    DTypeError
        If strings would grow without end.
    """
    names: tuple[str | None, ...] = dtype.names or (None,)
    kinds = [_base(dtype, name) for name in names]
    empties = identities(identity, len(names))
    free = [name not in declared for name in names]
    kinds = [_holding(k, e) if f else k for k, e, f in zip(kinds, empties, free, strict=True)]
    for level in count():
        combined = _combined(combine, _joined(dtype, kinds))
        joined = zip(kinds, combined, free, strict=True)
        wider = [_wider(k, m, level < levels) if f else k for k, m, f in joined]
        if wider == kinds:
            break
        if max(kind.itemsize for kind in wider) > MOST_STATE_BYTES:
            raise DTypeError(
                f"combine makes {combined[0]} of two {kinds[0]}, and so on: the result is too long "
                "for cells of a fixed dtype"
            )
        kinds = wider
    return _joined(dtype, kinds)


def identities(identity: Any, number: int) -> tuple[Any, ...]:
    """The identity of each of `number` fields: its own, or one for all.

    Raises
    ------
    SignatureError
        If there are more or fewer.
    """
    if not isinstance(identity, tuple):
        return (identity,) * number
    if len(identity) != number:
        raise SignatureError(f"the identity is {len(identity)} values, the cells are of {number}")
    return identity


def identity_cell(identity: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The identity as a cell of `dtype`.

    Raises
    ------
    DTypeError
        If the dtype does not hold it.
    """
    cell = np.zeros((), dtype)
    empties = identities(identity, len(dtype.names or (None,)))
    if dtype.names is None:
        cell[...] = _exact(empties[0], dtype)
    for name, one in zip(dtype.names or (), empties, strict=False):
        cell[name] = _exact(one, _base(dtype, name))
    return cell


def _base(dtype: np.dtype[Any], name: str | None) -> np.dtype[Any]:
    kinds: Any = dtype
    return dtype if name is None else kinds[name].base


def _joined(dtype: np.dtype[Any], kinds: list[np.dtype[Any]]) -> np.dtype[Any]:
    """`dtype` with other dtypes of its fields, or of its cells."""
    if dtype.names is None:
        return kinds[0]
    fields: Any = dtype
    named = zip(dtype.names, kinds, strict=True)
    return np.dtype([(name, kind, fields[name].shape) for name, kind in named])


def _holding(dtype: np.dtype[Any], identity: Any) -> np.dtype[Any]:
    """The dtype of cells and identity together; a Python number follows the cells if it fits."""
    own: np.dtype[Any] = np.asarray(identity).dtype
    numbers = dtype.kind in "biufc" and own.kind in "biufc"
    if not numbers and dtype.kind != own.kind:
        return dtype
    if not numbers or type(identity) not in (bool, int, float, complex):
        return np.promote_types(dtype, own)
    kind = np.result_type(dtype, identity)
    return kind if _fits(identity, kind) else np.promote_types(kind, own)


def _fits(number: complex, dtype: np.dtype[Any]) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.asarray(number, dtype)) or not np.isfinite(number))
    except OverflowError:
        return False


def _exact(identity: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The identity in `dtype`: the same number, or the nearest of a fraction."""
    own = np.asarray(identity)
    try:
        with np.errstate(all="ignore"):
            cell = own.astype(dtype)
            near = own.dtype.kind in "fcmM" and np.can_cast(own.dtype, dtype, "same_kind")
            holds = bool(np.isfinite(cell) or not np.isfinite(own) if near else cell == own)
    except (TypeError, ValueError, OverflowError):
        holds = False
    if not holds:
        raise DTypeError(f"the identity {identity!r} is no {dtype}")
    return cell


def _combined(combine: Callable[..., Any], dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
    """Dtypes that `combine` returns; those of the cells where it refuses a trial."""
    names: tuple[str | None, ...] = dtype.names or (None,)
    same = [_base(dtype, name) for name in names]
    cells = np.ones(1, dtype)
    try:
        results = tried(combine, [[cells, cells]], "combine")
    except SignatureError:  # it may refuse ones but take the real cells
        return same
    if dtype.names is None:
        return [np.asarray(results).dtype]
    if isinstance(results, dict):
        results = tuple(results.get(name) for name in names)
    if not isinstance(results, tuple | list) or len(results) != len(names):
        raise SignatureError(
            f"combine returned {type(results).__name__}, not a tuple of {len(names)} arrays"
        )
    return [np.asarray(one).dtype for one in results]


def _wider(cells: np.dtype[Any], made: np.dtype[Any], longer: bool) -> np.dtype[Any]:
    if cells.kind != made.kind and not (cells.kind in "biufc" and made.kind in "biufc"):
        return cells
    if cells.kind in "US" and not longer:
        return cells
    return np.promote_types(cells, made)

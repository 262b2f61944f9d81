"""The errors a user can meet: each is a `TapestryError` and the builtin that NumPy users expect."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


class TapestryError(Exception):
    """Base of every error raised by dask_tapestry.

    Examples
    --------
    >>> issubclass(ShapeError, TapestryError) and issubclass(ShapeError, ValueError)
    True
    """


class ShapeError(TapestryError, ValueError):
    """Shapes do not fit together, or a shape is not one."""


class AxisError(ShapeError, np.exceptions.AxisError):
    """An axis is not among the dimensions of an array."""

    __str__ = Exception.__str__  # NumPy's needs attributes that are lost on the way from a worker


class DTypeError(TapestryError, TypeError):
    """A dtype is unknown, or an operator has no loop for the dtypes it was given."""


class ValueRangeError(TapestryError, OverflowError):
    """A Python integer does not fit into the dtype it must take."""


class IndexingError(TapestryError, IndexError):
    """An index is out of bounds or of a kind that cannot index."""


class SignatureError(TapestryError, ValueError):
    """A block operator's signature does not match the shapes of its tensors."""


class ConstraintError(TapestryError, ValueError):
    """A graph breaks a named constraint of the graph language."""


class PlanError(TapestryError, RuntimeError):
    """No legal plan exists, or a plan fails its verification."""


class MemoryLimitError(PlanError, MemoryError):
    """One block of an operator cannot be made small enough for the memory limit."""


class StoreError(TapestryError, OSError, ValueError):
    """A store is missing, corrupt, incomplete, or does not fit what is read or written."""


class ComputeError(TapestryError):
    """A block could not be computed.

    What is raised is of this type and of the type of the error that stopped the block, so that
    ``except ValueError`` works as for NumPy. Its text names operator, box and the user's line.
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class StoreNotFoundError(StoreError, FileNotFoundError):
    """There is no array where a store was expected."""


def compute_error(error: Exception, where: str) -> Exception:
    """Return `error` as a `ComputeError` of its own type too, its text ending in `where`.

    Examples
    --------
    >>> raised = compute_error(ValueError("no"), "while computing add")
    >>> isinstance(raised, ValueError), isinstance(raised, ComputeError)
    (True, True)
    >>> print(raised)
    no
    while computing add
    """
    said = error.args[0] if len(error.args) == 1 else error
    return _compute_error(type(error), f"{said}\n{where}")


def _compute_error(kind: type[Exception], text: str) -> Exception:
    return _compute_error_type(kind)(text)  # type: ignore[arg-type]  # a type is hashable


@lru_cache(maxsize=128)
def _compute_error_type(kind: type[Exception]) -> type[Exception]:
    """`ComputeError` and `kind` in one; `ComputeError` alone where `kind` is made otherwise."""
    if issubclass(kind, TapestryError):
        return kind
    try:
        made = type("ComputeError", (ComputeError, kind), {"__reduce__": _reduce, "kind": kind})
        made("text")
    except TypeError:
        return ComputeError
    return made


def _reduce(self: Any) -> tuple[Any, ...]:
    return _compute_error, (self.kind, str(self))

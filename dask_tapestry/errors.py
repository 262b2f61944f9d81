"""The errors a user can meet: each derives from `TapestryError` and from the builtin NumPy users expect."""

from __future__ import annotations

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


class StoreNotFoundError(StoreError, FileNotFoundError):
    """There is no array where a store was expected."""

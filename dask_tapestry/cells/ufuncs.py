"""The functions a cell expression may call, and the dtypes each of them works in."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np

from dask_tapestry.errors import DTypeError

Operand = np.dtype[np.generic] | type  # a dtype, or int, float, complex: a weak scalar

UFUNCS: Final = MappingProxyType(
    {
        ufunc.__name__: ufunc
        for ufunc in vars(np).values()
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None
    }
)

CHEAP: Final = frozenset(
    "add subtract multiply negative positive absolute minimum maximum fmin fmax equal not_equal "
    "less less_equal greater greater_equal logical_and logical_or logical_xor logical_not "
    "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift sign signbit isnan isinf "
    "isfinite conjugate square rint floor ceil trunc cast where constant coordinate".split()
)
ELEMENTARY_FLOPS: Final = 16  # a division counts as many as a transcendental: both dwarf an add


def flops(function: str) -> int:
    """Operations one call of `function` counts for in the cost model."""
    return 1 if function in CHEAP else ELEMENTARY_FLOPS


@lru_cache(maxsize=4096)
def loop_dtypes(
    function: str, operands: tuple[Operand, ...], result: np.dtype[np.generic] | None = None
) -> tuple[np.dtype[np.generic], ...]:
    """Dtypes of the inputs and outputs of the NumPy loop that serves `operands`.

    The promotion is NumPy's own (NEP 50): Python's int, float and complex are weak.

    Parameters
    ----------
    function
        The ufunc's name, a key of `UFUNCS`.
    operands
        One dtype for each input, or a Python scalar's type.
    result
        The dtype that the outputs must have, if it is not NumPy's choice.

    Raises
    ------
    DTypeError
        If the ufunc has no loop for these operands.

    Examples
    --------
    >>> [d.name for d in loop_dtypes("add", (np.dtype("int8"), np.dtype("float32")))]
    ['float32', 'float32', 'float32']
    >>> [d.name for d in loop_dtypes("add", (np.dtype("int8"), int))]
    ['int8', 'int8', 'int8']
    """
    ufunc = UFUNCS[function]
    if len(operands) != ufunc.nin:
        raise DTypeError(f"{function} takes {ufunc.nin} operands, not {len(operands)}")
    try:
        types = (*operands, *[None] * ufunc.nout)
        if result is None:
            return ufunc.resolve_dtypes(types)
        signature = (*[None] * ufunc.nin, *[result] * ufunc.nout)
        return ufunc.resolve_dtypes(types, signature=signature)
    except TypeError as error:
        names = ", ".join(getattr(o, "name", None) or o.__name__ for o in operands)  # type: ignore[union-attr]
        raise DTypeError(f"{function} has no loop for ({names}): {error}") from None

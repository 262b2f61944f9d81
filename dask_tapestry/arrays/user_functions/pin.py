"""Values that are computed as they are written: `pin`."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators.layouts.pin import pin as pin_tensor

__all__ = ["pin"]


def pin(x: ArrayLike) -> Array:
    """Return `x` without its operator's signature: computed as one block, as it is written.

    It is not cut, not restricted to what is read of it, and not expanded. Its inputs are planned as
    ever.

    Source: Tapestry whitepaper, "Signature Nodes".

    {Parameters} {x.given}
    {Returns} Array: The same value.
    {See Also} block_operator, plan
    {Examples}
    >>> x = dt.pin(dt.ones((1000, 1000)).sum(axis=0))
    >>> x, x[:5].plan().cost["tasks"]
    (dt.Array<pin, float64[1000], 1 block of (1000,)>, 2)
    """
    return Array(pin_tensor(asarray(x).node))

"""Functions of whole matrices: what they share.

LAPACK computes them, by NumPy, for all the matrices that a block has. A matrix is whole in one
block; stacks of matrices are cut. The last bits depend on the number of threads that LAPACK has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.user_functions.gufunc_signature import parse
from dask_tapestry.arrays.user_functions.gufuncs import call_on_core
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, LinAlgError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.matrices.whole_matrix import FASTER, with_panels
from dask_tapestry.operators.user.user_operator import NO_SCRATCH, ScratchBytes
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blas_threads import threads_each

KINDS: Final = "fdFD"


@dataclass(frozen=True)
class OneThread:
    """A function while which LAPACK has one thread."""

    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __call__(self, *blocks: Any) -> Any:
        with threads_each(1):
            return self.function(*blocks)


def matrices(*arrays: ArrayLike, square: bool = False) -> tuple[Array, ...]:
    """Arrays of matrices in their common dtype, one of those that LAPACK has.

    Raises
    ------
    LinAlgError
        If one has less than two dimensions, or with `square` if its matrices are not square.
    DTypeError
        If LAPACK does not compute with such numbers.
    """
    arrays_given = [asarray(a) for a in arrays]
    for x in arrays_given:
        if x.ndim < 2:
            raise LinAlgError(
                f"{x.ndim}-dimensional array given. Array must be at least two-dimensional"
            )
        if square and x.shape[-1] != x.shape[-2]:
            raise LinAlgError(f"Last 2 dimensions of the array must be square: {x.shape}")
    kind = lapack_dtype(*[x.dtype for x in arrays_given])
    return tuple([Array(astype(x.node, kind)) for x in arrays_given])


def lapack_dtype(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which LAPACK computes with cells of some dtypes.

    Examples
    --------
    >>> import numpy as np
    >>> lapack_dtype(np.dtype("i4"), np.dtype("f4"))
    dtype('float64')
    """
    for dtype in dtypes:
        if dtype.kind not in "biu" and dtype.char not in KINDS:
            raise DTypeError(f"array type {dtype_name(dtype)} is unsupported in linalg")
    real = [dtype if dtype.kind in "fc" else np.dtype(np.float64) for dtype in dtypes]
    return np.result_type(*real)


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part of cells."""
    return np.dtype(dtype.char.lower())


def apply_whole(
    function: Callable[..., Any],
    signature: str,
    *arrays: Array,
    dtypes: tuple[np.dtype[Any], ...],
    sizes: Mapping[str, int] | None = None,
    order: tuple[tuple[str, ...], float],
    panels: Callable[..., Tensor] | None = None,
    copies: int = 1,
) -> tuple[Array, ...]:
    """`function` of whole matrices, for each of all that lie along other dimensions.

    Parameters
    ----------
    signature
        Core dimensions, as of a gufunc.
    dtypes
        Of the outputs.
    sizes
        Lengths of core dimensions that no input has.
    order
        Names of core dimensions and a factor: the product of all is the number of operations.
    panels
        Function of the tensors and of a number of columns, that computes the only output in panels
        of so many columns of the first, for what no worker holds.
    copies
        Of the first matrix that the function has, besides what it reads and returns.
    """
    read = parse(signature)
    loops = max(x.ndim - len(c) for x, c in zip(arrays, read.inputs, strict=True))
    names, factor = order
    costs = (("flops", (((*[f"loop {d}" for d in range(loops)], *names), factor * FASTER),)),)
    kinds = {str(number): dtype for number, dtype in enumerate(dtypes)}
    tensors = [x.node for x in arrays]
    call = UserFunction.of(OneThread(function) if loops else function)
    is_alone = not loops  # one of many matrices is not worth several threads
    scratch = NO_SCRATCH if loops else _copies_of(arrays[0], copies)
    made = call_on_core(call, read, tensors, kinds, sizes or {}, costs, is_alone, scratch)
    if panels is not None:
        made = (with_panels(made[0], panels),)
    return tuple([Array(one) for one in made])


def _copies_of(matrix: Array, count: int) -> ScratchBytes:
    taken = count * matrix.nbytes
    return ScratchBytes(taken, taken)

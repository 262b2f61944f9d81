"""Einstein summation: `einsum`, and the order in which it contracts, `einsum_path`."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, one_of, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import CASTINGS, Casting, as_dtype, promoted
from dask_tapestry.arrays.core.memory_arguments import check_order
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.tuning import MOST_OPERANDS_ORDERED
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.products.einsum_subscripts import einsum as einsum_tensors
from dask_tapestry.operators.products.einsum_subscripts import label_sizes, parse
from dask_tapestry.operators.products.tensordot import working_dtype
from dask_tapestry.teg import Tensor

__all__ = ["einsum", "einsum_path"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # for the labels 0, 1, 2...
ANY_SIZE: Final = 2**62  # cells of a product


Term = ArrayLike | Sequence[int | EllipsisType]
Optimize = bool | Literal["greedy", "optimal"] | Sequence[Any]


class EinsumCall(NamedTuple):
    """The arguments of einsum: subscripts as text, and the arrays."""

    text: str
    tensors: tuple[Tensor, ...]


@implements(np.einsum)
def einsum(
    *operands: Term,
    optimize: Optimize = False,
    dtype: DTypeLike | None = None,
    casting: Casting = "safe",
    order: str = "K",
    out: Array | None = None,
) -> Array:
    """Sum products over the labels that the result lacks, as `numpy.einsum`.

    Arrays are contracted two at a time, mostly as matrix products, in an order that takes few
    operations.

    {Parameters}
        *operands: Subscripts such as ``"ij,jk->ik"`` and the arrays, or each array followed by the
            list of its labels, and last the list of the result's.
        optimize: How to choose the order, as for `numpy.einsum_path`, or a path that it returned;
            with False it is chosen all the same.
        dtype, casting: Dtype in which to compute, and what conversions to it are allowed.
        order: As NumPy's, without effect: an `Array` has no order of its own.
        out: An array that takes the result's value.
    {Returns} Array: One dimension for each label of the result, in `dtype` or the common dtype.
    {Raises}
        ShapeError: If the subscripts are malformed, or extents do not fit.
        ArgumentError: For another order.
        DTypeError: If the dtype has no sums of products, or `casting` forbids the conversion.
    {See Also} einsum_path, tensordot, matmul
    {Examples}
    >>> dt.einsum("ij,jk->ik", dt.ones((2, 3)), dt.ones((3, 2))).compute()
    array([[3., 3.],
           [3., 3.]])
    >>> dt.einsum("ii->i", dt.arange(4).reshape(2, 2)).compute()
    array([0, 3])
    """
    check_order(order)
    call = _parsed_call(operands)
    shapes = [x.type.shape for x in call.tensors]
    subscripts = parse(call.text, [len(shape) for shape in shapes], summing=bool(optimize))
    label_sizes(subscripts, shapes)
    result = _result_dtype(call.tensors, dtype, casting)
    sums = len(shapes) > 1 or set(subscripts.operands[0]) != set(subscripts.result)
    work = working_dtype(result) if sums else result
    tensors = [astype(x, work) for x in call.tensors]
    path = _contraction_path(call, optimize if optimize is not False else None)[0][1:]
    value = Array(astype(einsum_tensors(subscripts, tensors, path), result))
    return assigned_to_out(out, value, casting)


@implements(np.einsum_path)
def einsum_path(*operands: Term, optimize: Optimize = "greedy") -> tuple[list[Any], str]:
    """Return the order in which `einsum` contracts arrays, as `numpy.einsum_path`.

    Nothing is computed.

    {Parameters}
        *operands: As of `einsum`.
        optimize: ``"greedy"``, ``"optimal"``, or True: optimal for up to five arrays, greedy for
            more.
    {Returns}
        path : list: ``"einsum_path"``, then the places of the arrays to contract in turn.
        text : str: A table of the contractions.
    {Raises} ShapeError: If the subscripts are malformed, or extents do not fit.
    {See Also} einsum
    {Examples}
    >>> a, b, c = dt.ones((2, 9)), dt.ones((9, 9)), dt.ones((9, 2))
    >>> dt.einsum_path("ij,jk,kl->il", a, b, c)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    call = _parsed_call(operands)
    shapes = [x.type.shape for x in call.tensors]
    label_sizes(parse(call.text, [len(shape) for shape in shapes], summing=True), shapes)
    return _contraction_path(call, optimize)


def _parsed_call(operands: Sequence[Any]) -> EinsumCall:
    """The arguments in one form, whichever of the two was given."""
    if not operands:
        raise ShapeError(
            "must specify the einstein sum subscripts string and at least one operand, or at least "
            "one operand and its corresponding subscripts list"
        )
    if isinstance(operands[0], str):
        if len(operands) < 2:
            raise ShapeError(
                "must specify the einstein sum subscripts string and at least one operand"
            )
        return EinsumCall(operands[0], tuple(asarray(x).node for x in operands[1:]))
    terms = [_letters(labels) for labels in operands[1::2]]
    tensors = tuple(asarray(x).node for x in operands[: len(operands) // 2 * 2 : 2])
    arrow = f"->{_letters(operands[-1])}" if len(operands) % 2 else ""
    return EinsumCall(",".join(terms) + arrow, tensors)


def _letters(labels: Sequence[int | EllipsisType]) -> str:
    """Subscripts for a list of labels."""
    letters = []
    for label in labels:
        if label is Ellipsis:
            letters.append("...")
            continue
        try:
            number = integer(label)
        except TypeError:
            raise DTypeError("each subscript must be either an integer or an ellipsis") from None
        if not 0 <= number < len(LETTERS):
            raise ShapeError(f"subscript is not within the valid range [0, {len(LETTERS)})")
        letters.append(LETTERS[number])
    return "".join(letters)


def _result_dtype(
    tensors: Sequence[Tensor], dtype: DTypeLike | None, casting: Casting
) -> np.dtype[Any]:
    types = [x.type.dtype for x in tensors]
    one_of("casting", casting, CASTINGS)
    try:
        result = promoted(*types) if dtype is None else as_dtype(dtype)
    except TypeError as error:
        raise DTypeError(f"einsum: {error}") from None
    for number, kind in enumerate(types):
        if not np.can_cast(kind, result, casting):
            raise DTypeError(
                f"operand {number} of einsum could not be cast from {kind.name} to {result.name} "
                f"according to the rule {casting!r}"
            )
    return result


def _contraction_path(call: EinsumCall, optimize: Optimize | None) -> tuple[list[Any], str]:
    """NumPy's path, found on arrays that take no memory.

    A product of two may be larger than they are, as it may be computed in parts: NumPy would rather
    take all operands at once, and very many operations.
    """
    if optimize is None or optimize is True:
        kind = "optimal" if len(call.tensors) <= MOST_OPERANDS_ORDERED else "greedy"
        optimize = (kind, ANY_SIZE)
    empty = [np.broadcast_to(np.empty((), bool), x.type.shape) for x in call.tensors]
    with reading("optimize"):
        path, text = np.einsum_path(call.text, *empty, optimize=optimize)
    return path, str(text)

"""WholeMatrix: a function of whole matrices, with a form in panels for what no worker holds.

In the small case LAPACK has the matrix in one block. In panels of columns, each narrow enough for a
worker, most of the work is products of a panel and what it is applied to, which is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from math import ceil, prod
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_operator import ScratchBytes, UserOperator
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.teg import Form, Kind, Operator, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Types

FASTER: Final = 1 / 20  # of the time that other functions take for an operation
LEAST_CELLS: Final = 2**22  # of a matrix that has a form in panels: any worker holds 32 MiB
PANELS: Final = (4, 8, 16, 32)  # the last are some hundred steps
WORTH_PLANNING: Final = 20.0  # seconds: panels take seconds to plan


@dataclass(frozen=True)
class WholeMatrix(UserOperator):
    """A function of whole matrices, that can be computed in panels.

    Attributes
    ----------
    panels
        Function of the inputs' tensors and of a number of columns, that returns the same value.
    columns
        Of the matrix, or its rows if they are fewer.
    """

    name = "wholematrix"
    hands_over = True  # what LAPACK has made is a new array
    panels: UserFunction | None = None
    columns: int = 0

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Axes that no input has are cut as those of the matrix, of which a factor is a part."""
        shape, told = self.infer(*inputs).shape, super().follow(inputs, chunks)
        pairs = zip(shape, told, chunks[0], strict=False)
        return tuple([of.refilled(n) if own is None else own for n, own, of in pairs])

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        widths = [-(-self.columns // n) for n in PANELS if n <= self.columns]
        return (Form("panels", tuple(widths), in_panels, WORTH_PLANNING, 1),) if widths else ()


@dataclass(frozen=True)
class HeldCopy(UserOperator):
    """A copy that is held, however cheap it were to copy again."""

    name = "heldcopy"
    holds = True
    forms = Operator.forms


@stand_in
def in_panels(node: Tensor, width: int) -> Tensor:
    """``wholematrix(x) -> the same of panels of so many columns``."""
    whole = node.operator
    assert isinstance(whole, WholeMatrix)
    assert whole.panels is not None
    made: Tensor = whole.panels(*node.inputs, width)
    return made


def is_large(matrix: TensorType) -> bool:
    """Whether a type is that of one matrix that a worker may not hold."""
    return matrix.ndim == 2 and matrix.size >= LEAST_CELLS


def with_panels(whole: Tensor, panels: Callable[..., Tensor]) -> Tensor:
    """The value of a function of a large matrix, which can be computed by `panels` too."""
    operator, matrix = whole.operator, whole.inputs[0].type
    is_stack = any(x.type.ndim > 2 for x in whole.inputs)
    if is_stack or not is_large(matrix) or not isinstance(operator, UserOperator):
        return whole
    large = WholeMatrix(
        **_arguments_of(operator), panels=UserFunction.of(panels), columns=min(matrix.shape)
    )
    return apply(large, *whole.inputs, after=whole.after)


def _arguments_of(operator: UserOperator) -> dict[str, Any]:
    """All that an operator was made of."""
    return {field.name: getattr(operator, field.name) for field in fields(UserOperator)}


def call_on_matrices(
    function: Callable[..., Any],
    inputs: Sequence[tuple[Tensor, str]],
    outputs: Mapping[str, np.dtype[Any]],
    order: tuple[str, float],
    cut: str = "",
    sizes: Mapping[str, int] | None = None,
    copies: float = 1.5,
) -> tuple[Tensor, ...]:
    """`function` of whole matrices, or of some of their columns.

    Parameters
    ----------
    inputs
        Each with a letter for each of its dimensions.
    outputs
        The dtype of each, by the letters of its dimensions.
    order
        Letters and a factor: the product of their lengths and the factor is the number of
        operations.
    cut
        Letters of dimensions along which it may be cut.
    sizes
        Lengths of dimensions that no input has.
    copies
        Of a block of the first output, that it takes besides: by default one of what LAPACK changes
        and half of one for products.
    """
    letters = dict.fromkeys("".join([*[named for _, named in inputs], *outputs]))
    kinds = [(d, Kind.PARALLEL if d in cut else Kind.ATOMIC) for d in letters]
    index = tuple([(d, kind, (sizes or {}).get(d)) for d, kind in kinds])
    call = UserFunction.of(function)
    names = [str(number) for number in range(len(outputs))]
    written = SignatureSpec(
        call.label,
        index,
        tuple([(f"in{n}", tuple(named)) for n, (_, named) in enumerate(inputs)]),
        tuple(zip(names, map(tuple, outputs), strict=True)),
    )
    dims, factor = order
    costs = (("flops", ((tuple(dims), factor * FASTER),)),)
    dtypes = dict(zip(names, outputs.values(), strict=True))
    tensors = [x for x, _ in inputs]
    lengths = {d: n for x, named in inputs for d, n in zip(named, x.type.shape, strict=True)}
    scratch = _scratch({**(sizes or {}), **lengths}, outputs, copies)
    return call_blocks(call, written, tensors, dtypes, costs, scratch=scratch)


def _scratch(
    lengths: Mapping[str, int], outputs: Mapping[str, np.dtype[Any]], copies: float
) -> ScratchBytes:
    """Copies of a block of the first output."""
    dims, dtype = next(iter(outputs.items()))
    cells, points = prod([lengths[d] for d in dims]), prod(lengths.values())
    most = copies * cells * dtype.itemsize
    return ScratchBytes(most / max(1, points), ceil(most))


def spread(x: Tensor) -> Tensor:
    """A copy of a matrix or a vector, held in blocks of its own: many may keep what one has made.

    A part of it alone would keep all of it in the memory of that worker.
    """
    dims = "mn"[: x.type.ndim]
    parts, outputs = [(x, dims)], {dims: x.type.dtype}
    (made,) = call_on_matrices(_copied, parts, outputs, (dims, 1.0), cut=dims, copies=0)
    assert isinstance(made.operator, UserOperator)
    return apply(HeldCopy(**_arguments_of(made.operator)), *made.inputs)


def _copied(block: Any) -> Any:
    return np.array(block)

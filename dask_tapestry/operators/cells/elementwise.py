"""Elementwise: cell expressions over tensors of one shape; every NumPy ufunc is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.cells import (
    UFUNCS,
    CellBuilder,
    CellExpression,
    CellStep,
    Signature,
    Span,
    loop_dtypes,
    span_of_expression,
)
from dask_tapestry.cells.expression import constant_step
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.references import Cell, one_cell
from dask_tapestry.errors import DTypeError, ValueRangeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cellwise import CellwiseOperator, common_shape
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.node import form_of_token
from dask_tapestry.teg.operator import Formats, Types
from dask_tapestry.teg.token import OpenToken
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat
from dask_tapestry_kernels.devices import kernels_of

Scalar = bool | int | float | complex | Cell
Operand = Tensor | Scalar

SIMPLE_POWERS: Final[dict[complex, str]] = {
    2: "square",
    1: "positive",
    0.5: "sqrt",
    -1: "reciprocal",
}
SIMPLE_POWERS_OF: Final = {  # codes of the dtypes for which NumPy does so
    "square": "bBhHiIlLqQefdFD", "positive": "bBhHiIlLqQefd", "sqrt": "fdFD",
    "reciprocal": "efdFD",
}  # fmt: skip
CELLS: Final = (np.generic, np.ndarray)  # types of scalars that have a dtype
PROBES: Final = (1, 3)  # cells that a fill value may meet
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})


@dataclass(frozen=True)
class Elementwise(CellwiseOperator):
    """Cell o is `expression` of the inputs' cells o: of their shape and the expression's dtype.

    Source: Tapestry whitepaper, "Cell Expressions".
    """

    name = "elementwise"
    kernel = "map"
    any_cells = True
    any_format = True
    transparent = True
    is_formula = True
    repeats = True
    expression: CellExpression

    @property
    def called(self) -> str:
        """The function that is applied last; see `Operator.called`."""
        steps = [
            s.function for s in self.expression.steps if s.function not in ("cast", "constant")
        ]
        return steps[-1].partition(".")[0] if steps else self.name

    def infer(self, *inputs: TensorType) -> TensorType:
        shape, dims = common_shape(inputs, "cell expression")
        return TensorType(shape, self.expression.dtype, dims)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return span_of_expression(self.expression, spans)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        return (self.expression,)

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> Elementwise:
        return Elementwise(*formulas)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"expression": self.expression}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * self.expression.flops

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        """The format of the inputs that have one; its fill value is computed of theirs.

        None where this depends on other inputs, as of a sum with cells of NumPy's.
        """
        block_format = next((form for form in formats if form is not None), None)
        if block_format is None or any(x.dtype.kind not in "biufc" for x in inputs):
            return None
        probes = [
            np.asarray(PROBES if form is None else [form.fill] * 2).astype(x.dtype)
            for x, form in zip(inputs, formats, strict=True)
        ]
        with np.errstate(all="ignore"):
            kernel = kernels_of("cpu")[self.kernel]
            first, second = kernel(None, *probes, expression=self.expression)
        same = first == second or (first != first and second != second)
        return block_format.filled(first.item()) if same else None

    def text(self) -> str:
        return str(self.expression)


def elementwise(
    function: str,
    *operands: Operand,
    output: int = 0,
    dtype: np.dtype[Any] | None = None,
    signature: Signature | None = None,
) -> Tensor:
    """Apply a ufunc cell by cell, with NumPy's promotion (NEP 50) and broadcasting.

    Parameters
    ----------
    function
        The ufunc's name.
    *operands
        Tensors and scalars, at least one tensor; Python scalars take the tensors' dtype.
    output
        Which result, for a ufunc with several.
    dtype
        Of the results, which chooses the loop; by default NumPy's choice.
    signature
        Of the loop, instead of `dtype`; see `loop_dtypes`.

    Raises
    ------
    ArgumentError
        If `signature` is none of the ufunc.
    DTypeError
        If the ufunc has no loop for these dtypes.
    ShapeError
        If the shapes do not broadcast.
    ValueRangeError
        If a Python integer does not fit the dtype it must take.
    """
    if function in COMPARISONS:
        operands = tuple([_clamp_comparand(operands, o) for o in operands])
    types = tuple([_promotes_as(o) for o in operands])
    count = UFUNCS[function].nin
    if dtype is not None:
        signature = (*[None] * count, *[dtype] * UFUNCS[function].nout)
    loop = loop_dtypes(function, types, signature)
    if function == "power" and (simple := _simple_power(operands[1], loop[2])):
        return cell_call(simple, operands[:1], loop[:1], loop[2])
    name = function if UFUNCS[function].nout == 1 else f"{function}.{output}"
    return cell_call(name, operands, loop[:count], loop[count + output])


def _simple_power(exponent: Operand, dtype: np.dtype[Any]) -> str | None:
    """The function that NumPy computes for a power with a constant exponent, if any."""
    if isinstance(exponent, Tensor) or dtype.kind not in "iufc":
        return None
    with reading("exponent"):
        name = SIMPLE_POWERS.get(complex(exponent))
    return name if dtype.char in SIMPLE_POWERS_OF.get(name or "", "") else None


def cell_call(
    function: str, operands: Sequence[Operand], loop: Sequence[np.dtype[Any]], dtype: np.dtype[Any]
) -> Tensor:
    """Apply `function`, whose loop takes the dtypes `loop` and yields `dtype`, cell by cell."""
    tensors = list(dict.fromkeys([o for o in operands if isinstance(o, Tensor)]))
    values = tuple(
        [
            tensors.index(o) if isinstance(o, Tensor) else constant_step(scalar_of(o, wanted))
            for o, wanted in zip(operands, loop, strict=True)
        ]
    )
    dtypes = tuple([t.type.dtype for t in tensors])
    shape = broadcast_shape([t.type.shape for t in tensors], f"operands of {function}")
    operator, form = _call_of(function, dtypes, values, tuple(loop), dtype)
    return apply(operator, *[broadcast(t, shape) for t in tensors], form=form)


@lru_cache(maxsize=1024)  # a loop writes the same calls again and again
def _call_of(
    function: str,
    parameters: tuple[np.dtype[Any], ...],
    values: tuple[int | CellStep, ...],
    loop: tuple[np.dtype[Any], ...],
    dtype: np.dtype[Any],
) -> tuple[Elementwise, str]:
    """The operator that calls `function` on parameters, by number, and constants, and its form."""
    told = dict.fromkeys([v.value or b"" for v in values if isinstance(v, CellStep)])
    holes = {value: _HOLES[number] for number, value in enumerate(told)}
    opened = tuple(
        [v.with_value(holes[v.value or b""]) if isinstance(v, CellStep) else v for v in values]
    )
    called = _open_call(function, parameters, opened, loop, dtype)
    filled = {hole: value for value, hole in holes.items()}
    operator = Elementwise(called.expression.with_constants(filled))
    return operator, form_of_token(called.token.filled(*[filled[hole] for hole in called.holes]))


_HOLES: Final = tuple([b"constant %d" % number for number in range(8)])  # no ufunc has so many


class _OpenCall(NamedTuple):
    """A call with holes in place of the values of its constants.

    Attributes
    ----------
    expression
        It, whose constants hold names of holes.
    token
        Of operators that have values in the holes.
    holes
        Their names, in order.
    """

    expression: CellExpression
    token: OpenToken
    holes: tuple[bytes, ...]


@lru_cache(maxsize=1024)  # loops write the same calls with other constants, too
def _open_call(
    function: str,
    parameters: tuple[np.dtype[Any], ...],
    values: tuple[int | CellStep, ...],
    loop: tuple[np.dtype[Any], ...],
    dtype: np.dtype[Any],
) -> _OpenCall:
    """The call of `function` on parameters, by number, and holes that are named in constants."""
    builder = CellBuilder(parameters)
    numbers = [
        builder.step(value) if isinstance(value, CellStep) else builder.cast(value, wanted)
        for value, wanted in zip(values, loop, strict=True)
    ]
    expression = builder.finish(builder.call(function, numbers, dtype))
    holes = tuple([step.value for step in expression.steps if step.value is not None])
    return _OpenCall(expression, OpenToken(Elementwise(expression), holes), holes)


def astype(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Convert every cell to `dtype`, as `numpy.ndarray.astype` does.

    Raises
    ------
    DTypeError
        If NumPy has no such conversion, as of cells of several fields to numbers.
    """
    if dtype.kind in "US" and not dtype.itemsize:  # as many characters as the longest cell needs
        dtype = np.zeros((), x.type.dtype).astype(dtype).dtype
    if x.type.dtype == dtype:
        return x
    if not np.can_cast(x.type.dtype, dtype, "unsafe"):
        raise DTypeError(f"cells of {x.type.dtype} have no value as cells of {dtype}")
    builder = CellBuilder([x.type.dtype])
    return apply(Elementwise(builder.finish(builder.cast(0, dtype))), x)


def _promotes_as(operand: Operand) -> np.dtype[Any] | type:
    if isinstance(operand, Tensor):
        return operand.type.dtype
    if isinstance(operand, CELLS):
        return operand.dtype
    return np.dtype(bool) if isinstance(operand, bool) else type(operand)


def result_dtype(*operands: Operand) -> np.dtype[Any]:
    """The dtype to which operands promote together, as NumPy's (NEP 50)."""
    types = [_promotes_as(o) for o in operands]
    with reading("operands"):
        dtype: np.dtype[Any] = np.result_type(*[t() if isinstance(t, type) else t for t in types])
    return dtype


def scalar_of(value: Scalar, dtype: np.dtype[Any]) -> Cell:
    """`value` as a scalar of `dtype`."""
    if type(value) is int and dtype.kind in "iuf":
        return _integer_as(value, dtype)
    return _as_scalar(value, dtype)


@lru_cache(maxsize=256)
def _integer_as(value: int, dtype: np.dtype[Any]) -> Cell:
    """`scalar_of` of an integer, of which a loop has the same few again and again."""
    return _as_scalar(value, dtype)


def _as_scalar(value: Scalar, dtype: np.dtype[Any]) -> Cell:
    if isinstance(value, int) and dtype.kind in "ium":
        bounds = np.iinfo("int64" if dtype.kind == "m" else dtype)
        if not bounds.min <= value <= bounds.max:
            raise ValueRangeError(f"Python integer {value} out of bounds for {dtype_name(dtype)}")
    if isinstance(value, int) and not isinstance(value, bool) and dtype.kind in "fc":
        value = float(value)  # as NumPy does, which rounds twice
    if type(value) is float and dtype == np.float64:
        return np.float64(value)
    if dtype.hasobject:
        return one_cell(np.asarray(value).item(), dtype)
    with np.errstate(all="ignore"), reading("a number"):
        scalar: np.generic = np.asarray(value).astype(dtype).flat[0]
    return scalar


def _clamp_comparand(operands: Sequence[Operand], value: Operand) -> Operand:
    """Replace a Python integer outside the tensors' integer range by an infinity.

    NumPy compares such integers by value; so does a comparison with an infinity.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    dtypes = [o.type.dtype for o in operands if isinstance(o, Tensor)]
    if not all(dtype.kind in "iu" for dtype in dtypes):
        return value
    bounds = np.iinfo(np.result_type(*dtypes))
    if bounds.min <= value <= bounds.max:
        return value
    return np.float64(np.inf if value > 0 else -np.inf)

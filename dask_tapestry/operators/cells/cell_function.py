"""CellFunction: a function of cells that is no formula, such as a ufunc of another library."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cellwise import CellwiseOperator, common_shape
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.functions.infer_meta import dtype_of, tried
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.tuning import USER_CELL_FLOPS
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class CellFunction(CellwiseOperator):
    """Cell o is `function` of the inputs' cells o; `function` is called on whole blocks.

    Source: Tapestry whitepaper, "Cell Expressions".

    Attributes
    ----------
    function
        Takes a block of each input and returns one of their shape; several results are fields.
    dtype
        Of the cells.
    """

    name = "cellfunction"
    kernel = "call"
    any_cells = True
    fills = False
    function: UserFunction
    dtype: np.dtype[Any]

    @property
    def label(self) -> str:
        return self.function.label

    def infer(self, *inputs: TensorType) -> TensorType:
        shape, dims = common_shape(inputs, "cell function")
        return TensorType(shape, self.dtype, dims)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "function": self.function,
            "shape": box.shape,
            "keep": tuple(slice(0, n) for n in box.shape),
            "dtype": self.dtype,
            "parts": None,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * USER_CELL_FLOPS

    def text(self) -> str:
        return self.function.name

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(self.function(*inputs), self.dtype)


@dataclass(frozen=True)
class Cells:
    """A function of cells with its scalar arguments in place.

    Its results are arrays, of one cell too, for which NumPy's ufuncs return the cell itself.

    Attributes
    ----------
    function
        A ufunc.
    scalars
        For each argument its value, or None where a block comes.
    """

    function: Callable[..., Any]
    scalars: tuple[Any, ...]

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = _python_function(self.function)
        return (
            (Cells, (self.function, self.scalars))
            if parts is None
            else (_load, (*parts, self.scalars))
        )

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return (_python_function(self.function) or self.function, self.scalars)

    def __call__(self, *blocks: Any) -> Any:
        given = iter(blocks)
        arguments = [next(given) if one is None else one[0] for one in self.scalars]
        results = self.function(*arguments)
        if self.returns == 1:
            return _as_array(results, self.gives_objects)
        return tuple(_as_array(one, self.gives_objects) for one in results)

    @property
    def returns(self) -> int:
        """The number of results."""
        return int(getattr(self.function, "nout", 1))

    @property
    def gives_objects(self) -> bool:
        """Whether results are Python objects, as those of `numpy.frompyfunc` are."""
        return _python_function(self.function) is not None


def _python_function(ufunc: Any) -> tuple[Callable[..., Any], int, int] | None:
    """The function that ``numpy.frompyfunc`` made a ufunc of, with its inputs and outputs.

    Such a ufunc cannot be pickled, and has no name for its function, which it refers to first.
    """
    if not isinstance(ufunc, np.ufunc) or set("".join(ufunc.types)) != set("O->"):
        return None
    functions = [one for one in gc.get_referents(ufunc) if callable(one)]
    return (functions[0], ufunc.nin, ufunc.nout) if functions else None


def _load(
    function: Callable[..., Any], count: int, results: int, scalars: tuple[Any, ...]
) -> Cells:
    return Cells(np.frompyfunc(function, count, results), scalars)


def _as_array(result: Any, objects: bool) -> np.ndarray[Any, Any]:
    """A block of what a ufunc returned; of one cell that is the cell itself."""
    if isinstance(result, np.ndarray):
        return result
    if not objects:
        return np.asarray(result)
    cell = np.empty((), object)
    cell[()] = result
    return cell


@dataclass(frozen=True)
class PackedTuple:
    """The tuple of its arguments, to be kept as the fields of one."""

    def __call__(self, *blocks: Any) -> tuple[Any, ...]:
        return blocks


def cell_function(
    function: Callable[..., Any], operands: Sequence[Tensor | Any]
) -> tuple[Tensor, ...]:
    """Apply a ufunc that is none of NumPy's cell by cell; its results, of dtypes that are learnt.

    Parameters
    ----------
    operands
        Tensors, which broadcast, and scalars.

    Raises
    ------
    SignatureError
        If the function takes no cells of these dtypes.
    DTypeError
        If its results have no fixed dtype.
    """
    tensors = [one for one in operands if isinstance(one, Tensor)]
    scalars = tuple(None if isinstance(one, Tensor) else (one,) for one in operands)
    cells = Cells(function, scalars)
    made = tried(cells, [[((1,), x.type.dtype) for x in tensors]], cells.__name__)
    results = made if isinstance(made, tuple) else (made,)
    kinds = [dtype_of(one, cells.__name__) for one in results]
    kind = np.dtype([(f"f{n}", k) for n, k in enumerate(kinds)]) if len(kinds) > 1 else kinds[0]
    value = _applied(UserFunction.of(cells), kind, tensors)
    return tuple(field(value, name) for name in kind.names or ()) or (value,)


def packed(tensors: Sequence[Tensor]) -> Tensor:
    """The cells of several tensors, which broadcast, as fields of the cells of one."""
    kind = np.dtype([(f"value{n}", x.type.dtype) for n, x in enumerate(tensors)])
    return _applied(UserFunction.of(PackedTuple()), kind, tensors)


def called_on_cells(
    function: Callable[..., Any], dtype: np.dtype[Any], tensors: Sequence[Tensor]
) -> Tensor:
    """Cells of `dtype` that `function` makes of blocks of tensors, which broadcast."""
    return _applied(UserFunction.of(function), dtype, tensors)


def _applied(function: UserFunction, kind: np.dtype[Any], tensors: Sequence[Tensor]) -> Tensor:
    shape = broadcast_shape([x.type.shape for x in tensors], f"operands of {function.name}")
    return apply(CellFunction(function, kind), *[broadcast(x, shape) for x in tensors])

"""Block functions: a user's function and its written signature, applied to tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells.references import packed
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.functions.formatted_function import taking_formats
from dask_tapestry.operators.functions.infer_meta import dtype_of, is_small, tried
from dask_tapestry.operators.functions.monoid_dtype import folded_dtype
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.tuning import TRIAL_WHOLE_CELLS
from dask_tapestry.operators.user.exact_cover import not_tiled_once
from dask_tapestry.operators.user.user_monoid import (
    Combination,
    Fold,
    Monoid,
    combination,
    empty_cell,
    fold_operator,
    levels_of,
)
from dask_tapestry.operators.user.user_operator import (
    NO_SCRATCH,
    Costs,
    Finalize,
    ScratchBytes,
    UserOperator,
    cut_dimension,
)
from dask_tapestry.operators.user.user_outputs import UserOutputs
from dask_tapestry.operators.user.user_signature import (
    WHOLE,
    Form,
    SignatureSpec,
    absorbed_output,
    solve,
)
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import IndexDim, Kind, Node, Operator, Tensor, apply
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class Composed:
    """One function after another."""

    outer: Any
    inner: Any

    def __call__(self, *args: Any) -> Any:
        return self.outer(self.inner(*args))


@dataclass(frozen=True)
class Reordered:
    """A function whose results' axes are put in another order."""

    function: Any
    orders: tuple[tuple[int, ...], ...]

    def __call__(self, *args: Any) -> Any:
        results = self.function(*args)
        return tuple(np.transpose(r, o) for r, o in zip(results, self.orders, strict=True))


@dataclass(frozen=True)
class NamedResults:
    """A function that returns several values, by name or in order; this one: in order."""

    function: Any
    names: tuple[str, ...]

    def __call__(self, *args: Any) -> Any:
        results = self.function(*args)
        return tuple(results[n] for n in self.names) if isinstance(results, dict) else results

    @property
    def thread_body(self) -> Any:
        """The body of threads that it computes, whose results are in order; else None."""
        return getattr(getattr(self.function, "function", None), "thread_body", None)


@dataclass(frozen=True)
class TupleFinalize:
    """A monoid's `finalize`, of one result or of a tuple of them."""

    function: Any
    count: int

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __call__(self, *results: Any) -> Any:
        return self.function(results[0] if self.count == 1 else results)


@dataclass(frozen=True)
class Applied:
    """A signature with its extents."""

    written: SignatureSpec
    index: tuple[IndexDim, ...]
    reads: tuple[IndexProjection, ...]

    @property
    def space(self) -> ZRange:
        """The index space."""
        return ZRange((0,) * len(self.index), tuple(dim.extent for dim in self.index))

    def writes(self, form: Form) -> IndexProjection:
        """Projection of an output."""
        return absorbed_output(form, self.index)


def applied(written: SignatureSpec, tensors: Sequence[Tensor]) -> tuple[Applied, list[Tensor]]:
    """The signature with its extents, and the tensors without what it never reads."""
    index, reads = solve(written, [x.type.shape for x in tensors])
    space = ZRange((0,) * len(index), tuple(dim.extent for dim in index))
    trimmed, moved = [], []
    for x, projection in zip(tensors, reads, strict=True):
        box = projection.of_range(space)
        if space.is_empty or box == x.type.box:
            trimmed.append(x)
            moved.append(projection)
        else:
            trimmed.append(basic_slice(x, box.slices()))
            moved.append(projection.translate(tuple(-lo for lo in box.lo)))
    return Applied(written, index, tuple(moved)), trimmed


def call_blocks(
    function: UserFunction,
    written: SignatureSpec,
    tensors: Sequence[Tensor],
    dtypes: Mapping[str, np.dtype[Any]],
    costs: Costs = (),
    after: Sequence[Node] = (),
    finalizes: bool = False,
    scratch: ScratchBytes = NO_SCRATCH,
    multithreaded: bool = True,
) -> tuple[Tensor, ...]:
    """Outputs of a block function, without what is applied to folded results.

    Parameters
    ----------
    dtypes
        Of the outputs; what is missing is learnt by calling the function on a few cells.
    finalizes
        Whether it is computed in the step of the results that it takes.
    scratch
        What calling the function takes besides blocks.
    multithreaded
        Whether the function may start threads, where a block has a worker to itself.

    Raises
    ------
    SignatureError
        If signature and shapes do not fit, or the function returns something else than declared.
    """
    shaped, trimmed = applied(written, tensors)
    names = tuple(name for name, _ in written.outputs)
    several = len(names) > 1
    if isinstance(written.monoid, Monoid) and written.monoid.map is not None:
        function = UserFunction.of(Composed(written.monoid.map, function))
    if several:
        function = replace(UserFunction.of(NamedResults(function, names)), name=written.owner)
    function = taking_formats(function, trimmed)
    kinds, block_format = _kinds(function, shaped, trimmed, dtypes)
    _check_tiles(shaped)
    if several and written.monoid is None and not finalizes:
        node = _outputs_node(function, shaped, trimmed, kinds, costs, after, scratch, multithreaded)
        return outputs(node)
    if not several:
        writes, dtype = shaped.writes(written.outputs[0][1]), kinds[names[0]]
    else:
        function, writes, dtype = _joint_fold(function, shaped, kinds)
    declared = frozenset(dtypes if several else (None,) if dtypes else ())
    dtype = _held(shaped, dtype, declared)
    cut = cut_dimension(shaped.index, shaped.reads) if written.monoid is not None else None
    folding = None if cut is None else _folding(written.monoid, dtype)
    kind = Finalize if finalizes else UserOperator
    fields = (function, shaped.index, shaped.reads, writes, dtype, folding, cut, costs)
    operator = kind(*fields, scratch=scratch, multithreaded=multithreaded, format=block_format)
    node = _nothing(operator, shaped, trimmed, after) or apply(
        operator, *trimmed, after=tuple(after)
    )
    return _separate_outputs(node, shaped) if several else (node,)


def _held(made: Applied, dtype: np.dtype[Any], declared: frozenset[str | None]) -> np.dtype[Any]:
    """The dtype that also holds what a user's monoid makes of partial results."""
    monoid = made.written.monoid
    if not isinstance(monoid, Monoid):
        return dtype
    cells = prod(dim.extent for dim in made.index if dim.kind is Kind.REDUCTION)
    combine = combination(monoid, dtype)
    return folded_dtype(combine, monoid.identity, dtype, levels_of(cells), declared)


def _folding(monoid: Combination | None, dtype: np.dtype[Any]) -> str | Fold:
    if isinstance(monoid, str) and dtype.names is None:
        return monoid
    return fold_operator(monoid or "sum", 0, dtype)


def _nothing(
    operator: UserOperator, applied: Applied, tensors: Sequence[Tensor], after: Sequence[Node]
) -> Tensor | None:
    """The monoid's identity, where a folded dimension is empty; else None."""
    empty = any(dim.kind is Kind.REDUCTION and not dim.extent for dim in applied.index)
    type_ = operator.infer(*[x.type for x in tensors])
    if not empty or not type_.size:
        return None
    cell = empty_cell(applied.written.monoid or "sum", operator.dtype)
    return apply(Full(type_, packed(cell)), after=tuple(after))


def _kinds(
    function: UserFunction,
    applied: Applied,
    tensors: Sequence[Tensor],
    declared: Mapping[str, np.dtype[Any]],
) -> tuple[dict[str, np.dtype[Any]], BlockFormat | None]:
    """Dtypes of the outputs, and the format of the only one, if nothing folds it."""
    outputs = applied.written.outputs
    if all(name in declared for name, _ in outputs):
        return dict(declared), None
    attempts = [
        (index, shapes)
        for longest in (None, TRIAL_WHOLE_CELLS)
        if is_small(shapes := _trial_shapes(applied, index := _trial_index(applied, longest)))
    ]
    samples = [
        [(shape, x.type.dtype) for shape, x in zip(shapes, tensors, strict=True)]
        for _, shapes in attempts
    ]
    result = tried(function, samples, applied.written.owner)
    results = result if len(outputs) > 1 else (result,)
    if not isinstance(results, tuple | list) or len(results) != len(outputs):
        raise applied.written.error(
            f"it returned {type(result).__name__}, not {len(outputs)} arrays"
        )
    dtypes, block_format = {}, None
    may_be_foreign = len(outputs) == 1 and applied.written.monoid is None
    for (name, form), block in zip(outputs, results, strict=True):
        rank = form.out_ndim if isinstance(form, IndexProjection) else len(form)
        if np.ndim(block) != rank:
            raise applied.written.error(
                f"output {name} has {rank} dimensions, and it returned shape {np.shape(block)}"
            )
        block_format = BlockFormat.of(block) if may_be_foreign else None
        dtype = block.dtype if block_format is not None else None
        dtypes[name] = declared.get(name) or dtype or dtype_of(block, applied.written.owner)
    return dtypes, block_format


def _trial_index(made: Applied, longest: int | None) -> tuple[IndexDim, ...]:
    """An index space of one step, with all of atomic dimensions or a few cells of them."""
    return tuple(
        replace(dim, extent=(min(dim.extent, longest or dim.extent) if dim.kind in WHOLE else 1))
        for dim in made.index
    )


def _trial_shapes(made: Applied, index: tuple[IndexDim, ...]) -> list[tuple[int, ...]]:
    space = ZRange((0,) * len(index), tuple(dim.extent for dim in index))
    return [absorbed_output(f, index).of_range(space).shape for _, f in made.written.inputs]


def _check_tiles(made: Applied) -> None:
    """Raise unless each output is written exactly once."""
    for name, form in made.written.outputs:
        wrong = not_tiled_once(made.index, made.writes(form))
        if wrong is not None:
            raise made.written.error(f"output {name} is not written exactly once: {wrong}")


def _outputs_node(
    function: UserFunction,
    applied: Applied,
    tensors: Sequence[Tensor],
    dtypes: Mapping[str, np.dtype[Any]],
    costs: Costs,
    after: Sequence[Node],
    scratch: ScratchBytes,
    multithreaded: bool,
) -> Tensor:
    """Several outputs, each with its own projection of the parallel dimensions."""
    parallel = [d for d, dim in enumerate(applied.index) if dim.kind is Kind.PARALLEL]
    windows = []
    for name, form in applied.written.outputs:
        writes = applied.writes(form)
        rows = [[row[d] for d in parallel] for row in writes.matrix]
        points = IndexProjection(rows, writes.offset, writes.shape, in_ndim=len(parallel))
        windows.append(OutputWindow(name, dtypes[name], points))
    names = tuple(applied.index[d].name for d in parallel)
    operator = UserOutputs(
        function,
        applied.index,
        applied.reads,
        applied.writes(names),
        outputs_dtype(tuple(windows)),
        costs=costs,
        scratch=scratch,
        multithreaded=multithreaded,
        numbers=tuple(range(len(windows))),
        returned=len(windows),
    )
    return apply(operator, *tensors, after=tuple(after))


def _axes(made: Applied, form: Form) -> tuple[list[int], list[int]]:
    """Numbers of an output's parallel axes, in the order of the index, and of the others."""
    names = list(form) if isinstance(form, tuple) else []
    parallel = [names.index(d) for d in made.written.of_kind(Kind.PARALLEL)]
    return parallel, [axis for axis in range(len(names)) if axis not in parallel]


def _joint_fold(
    function: UserFunction, applied: Applied, dtypes: Mapping[str, np.dtype[Any]]
) -> tuple[UserFunction, IndexProjection, np.dtype[Any]]:
    """Several folded outputs as one: they are tuples, so a field each, over the parallel dims."""
    extent = {dim.name: dim.extent for dim in applied.index}
    fields, orders = [], []
    for name, form in applied.written.outputs:
        parallel, inner = _axes(applied, form)
        names = form if isinstance(form, tuple) else ()
        sides = tuple(extent[names[axis]] for axis in inner)
        fields.append((name, dtypes[name], sides))
        orders.append((*parallel, *inner))
    if any(order != tuple(range(len(order))) for order in orders):
        function = replace(UserFunction.of(Reordered(function, tuple(orders))), name=function.name)
    writes = applied.writes(applied.written.of_kind(Kind.PARALLEL))
    return function, writes, np.dtype(fields)


def _separate_outputs(node: Tensor, made: Applied) -> tuple[Tensor, ...]:
    outputs = []
    for name, form in made.written.outputs:
        parallel, inner = _axes(made, form)
        order = (*parallel, *inner)
        back = tuple(order.index(axis) for axis in range(len(order)))
        value = field(node, name)
        outputs.append(value if back == tuple(range(len(back))) else permute(value, back))
    return tuple(outputs)


def finalized(
    function: UserFunction,
    written: SignatureSpec,
    results: Sequence[Tensor],
    names: Sequence[tuple[str, Form]],
    tensors: Sequence[Tensor],
    dtypes: Mapping[str, np.dtype[Any]],
    outputs: tuple[tuple[str, Form], ...],
    extents: Mapping[str, int],
) -> tuple[Tensor, ...]:
    """Apply a function to folded results and further tensors, in the step that yields them."""
    dims = written.of_kind(Kind.PARALLEL, Kind.ATOMIC, Kind.SEQUENTIAL)
    if all(isinstance(form, tuple) for _, form in written.outputs):
        follow = {d for _, form in written.outputs if isinstance(form, tuple) for d in form}
        dims = tuple(dim for dim in dims if dim in follow)
    index = tuple((name, written.kind(name), extents[name]) for name in dims)
    inputs = tuple((n, _following_dims(written, dims, f)) for n, f in (*written.outputs, *names))
    then = SignatureSpec(
        written.owner,
        index,
        inputs,
        tuple((n, _following_dims(written, dims, f)) for n, f in outputs),
    )
    return call_blocks(function, then, (*results, *tensors), dtypes, finalizes=True)


def _following_dims(written: SignatureSpec, kept: Sequence[str], form: Form) -> Form:
    """A form as it follows the dimensions `kept` alone; the others do not move it."""
    if not isinstance(form, IndexProjection):
        return form
    numbers = [number for number, name in enumerate(written.names) if name in kept]
    rows = [[row[number] for number in numbers] for row in form.matrix]
    return IndexProjection(rows, form.offset, form.shape, form.stride, len(numbers))


def calls(operator: Operator, name: str) -> bool:
    """Whether an operator calls a user's function of this name on blocks."""
    return isinstance(operator, UserOperator) and operator.function.name == name

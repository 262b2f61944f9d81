"""Generalized ufuncs (gufuncs), applied along all dimensions but their core: `apply_gufunc`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, cast, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading, refuse_unknown
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.user_functions.declared_dtype import dtype_of_meta
from dask_tapestry.arrays.user_functions.functions_of_ours import of_blocks
from dask_tapestry.arrays.user_functions.gufunc_signature import (
    AxesOf,
    Core,
    GufuncSignature,
    core_axes,
    parse,
)
from dask_tapestry.arrays.user_functions.lazy_arguments import arguments_of
from dask_tapestry.errors import ArgumentTypeError, SignatureError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_operator import NO_SCRATCH, Costs, ScratchBytes
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Kind, Tensor
from dask_tapestry.zspace import IndexProjection

__all__ = ["apply_gufunc", "as_gufunc", "gufunc"]

Axes = Sequence[int | tuple[int, ...]] | None
Dtypes = DTypeLike | Sequence[DTypeLike] | None
Metas = ArrayLike | Sequence[ArrayLike] | None


class GufuncOptions(TypedDict, total=False):
    """The arguments that a `gufunc` passes on to `apply_gufunc`."""

    vectorize: bool
    axes: Axes
    axis: int | None
    keepdims: bool
    output_sizes: Mapping[str, int] | None
    output_dtypes: Dtypes
    allow_rechunk: bool
    meta: Metas


@checked
def apply_gufunc(
    func: Callable[..., Any],
    signature: str,
    *args: ArrayLike,
    axes: Axes = None,
    axis: int | None = None,
    keepdims: bool = False,
    output_dtypes: Dtypes = None,
    output_sizes: Mapping[str, int] | None = None,
    vectorize: bool | None = None,
    allow_rechunk: bool = False,
    meta: Metas = None,
    **kwargs: Any,
) -> Any:
    """Apply a function of core dimensions along all others, as `dask.array.apply_gufunc`.

    The other dimensions, which come before the core ones, broadcast and are cut at will; each block
    holds all of a core dimension.

    {Parameters}
        func: Called with blocks whose last axes are the core dimensions.
        signature: Core dimensions, such as ``"(i),(i)->()"``.
        *args: Arrays, one for each input of the signature.
        axes: For each input and output its core axes; by default the last ones.
        axis: The only core axis of all arrays, instead of `axes`.
        keepdims: Keep core dimensions that outputs lack, with length 1.
        output_dtypes: Dtypes of the outputs; by default learnt by calling `func`.
        output_sizes: Lengths of core dimensions that no input has.
        vectorize: `func` takes core dimensions alone: call it through `numpy.vectorize`.
        allow_rechunk: Accepted for Dask's sake; core dimensions are never cut.
        meta: Arrays like the outputs, instead of `output_dtypes`.
        **kwargs: Further arguments for `func`; a lazy array among them is computed once, and given
            whole.
    {Returns} Array or tuple of Array: The outputs, with the other dimensions first; a tuple if
        there are several.
    {Raises} SignatureError: If signature, axes and arrays do not fit together, or dtypes cannot be
        learnt.
    {See Also} gufunc, as_gufunc, map_blocks, block_operator

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6.0).reshape(2, 3)
    >>> mean, largest = dt.apply_gufunc(lambda a: (a.mean(-1), a.max(-1)), "(i)->(),()", x)
    >>> mean.compute(), largest.compute()
    (array([1., 4.]), array([2., 5.]))
    """
    del allow_rechunk
    parsed = parse(signature)
    if len(parsed.inputs) != len(args):
        raise SignatureError(
            f"{signature} takes {len(parsed.inputs)} arrays, {len(args)} are given"
        )
    if meta is not None and output_dtypes is not None:
        raise SignatureError("give one of meta and output_dtypes")
    dtypes = _dtypes(parsed, _meta_dtypes(meta) if meta is not None else output_dtypes)
    ins, outs = core_axes(parsed, axes, axis, keepdims)
    tensors = [_core_last(asarray(a).node, at) for a, at in zip(args, ins, strict=True)]
    func = of_blocks(func)
    if vectorize:
        otypes = [dtypes[n] for n in sorted(dtypes)] if len(dtypes) == len(parsed.outputs) else None
        func = np.vectorize(func, signature=re.sub(r"\s+", "", signature), otypes=otypes)
    further = arguments_of((), kwargs)
    call = replace(UserFunction.of(further.call_after(func, len(args))), name=name_of(func))
    whole = parsed.with_whole([a.ndim for a in further.arrays])
    tensors += [a.node for a in further.arrays]
    results = call_on_core(call, whole, tensors, dtypes, output_sizes or {})
    arrays = []
    for result, core, at in zip(results, parsed.outputs, outs, strict=True):
        kept = unsqueeze(result, tuple(range(-len(at), 0))) if keepdims else result
        arrays.append(Array(_core_back(kept, at if keepdims or core else ())))
    return tuple(arrays) if parsed.several else arrays[0]


def call_on_core(
    call: UserFunction,
    read: GufuncSignature,
    tensors: Sequence[Tensor],
    dtypes: Mapping[str, np.dtype[Any]],
    sizes: Mapping[str, int],
    costs: Costs = (),
    multithreaded: bool = True,
    scratch: ScratchBytes = NO_SCRATCH,
) -> tuple[Tensor, ...]:
    """Apply a function along the core dimensions, which are last, as its signature tells.

    {Parameters}
        dtypes: Of the outputs by their numbers, as strings; what is missing is learnt by a call.
        sizes: Lengths of core dimensions that no input has.
        costs: Of an index point, whose dimensions are ``"loop 0"`` and so on, and the core ones.
        multithreaded: Whether the function may start threads, where a block has a worker to itself.
        scratch: What calling the function takes besides blocks.
    """
    written = _written(call.name, read, tensors, sizes)
    return call_blocks(
        call, written, tensors, dtypes, costs, scratch=scratch, multithreaded=multithreaded
    )


def _meta_dtypes(meta: ArrayLike | Sequence[ArrayLike]) -> Dtypes:
    """The dtype of an array, or those of several."""
    if isinstance(meta, tuple | list):
        return [dtype_of_meta(one) for one in meta]
    return dtype_of_meta(cast(ArrayLike, meta))


def _dtypes(read: GufuncSignature, declared: Dtypes) -> dict[str, np.dtype[Any]]:
    """Dtypes of the outputs by their numbers, as strings; none if they are to be learnt."""
    if declared is None:
        return {}
    kinds: list[Any] = list(declared) if isinstance(declared, tuple | list) else [declared]
    count = len(read.outputs)
    if len(kinds) != count or (read.several and not isinstance(declared, tuple | list)):
        raise SignatureError(f"{count} outputs need {count} dtypes, not {declared!r}")
    return {str(n): as_dtype(kind) for n, kind in enumerate(kinds)}


def _core_last(x: Tensor, axes: AxesOf) -> Tensor:
    """`x` with its core axes last, in order."""
    ndim = x.type.ndim
    if len(axes) > ndim:
        raise SignatureError(f"{x.type} has fewer dimensions than the core dimensions {axes}")
    last = [normalize_axis(a, ndim) for a in axes]
    order = (*[a for a in range(ndim) if a not in last], *last)
    return x if order == tuple(range(ndim)) else permute(x, order)


def _core_back(x: Tensor, axes: AxesOf) -> Tensor:
    """`x`, whose core axes are last, with these moved to `axes`."""
    ndim = x.type.ndim
    places = [normalize_axis(a, ndim) for a in axes]
    loops = iter(range(ndim - len(places)))
    order = tuple(
        ndim - len(places) + places.index(a) if a in places else next(loops) for a in range(ndim)
    )
    return x if order == tuple(range(ndim)) else permute(x, order)


def _written(
    owner: str, read: GufuncSignature, tensors: Sequence[Tensor], sizes: Mapping[str, int]
) -> SignatureSpec:
    """The signature of an operator over the loop and core dimensions."""
    shapes = [x.type.shape for x in tensors]
    loops = [shape[: len(shape) - len(c)] for shape, c in zip(shapes, read.inputs, strict=True)]
    deepest = max(map(len, loops), default=0)
    extents = _loop_extents(owner, loops, deepest)
    with reading("output_sizes"):
        core: dict[str, int] = dict(sizes)
    for shape, names in zip(shapes, read.inputs, strict=True):
        for name, n in zip(names, shape[len(shape) - len(names) :], strict=True):
            if core.setdefault(name, n) != n:
                raise SignatureError(f"{owner}: core dimension {name} is {core[name]} and {n}")
    missing = {d for c in read.outputs for d in c} - set(core)
    if missing:
        raise SignatureError(f"{owner}: give output_sizes of {sorted(missing)}")
    names = tuple(core)
    index = (
        *[(f"loop {d}", Kind.PARALLEL, n) for d, n in enumerate(extents)],
        *[(name, Kind.ATOMIC, core[name]) for name in names],
    )
    inputs = tuple(
        (str(number), _projection(shape, len(loop), deepest, extents, c, names))
        for number, (shape, loop, c) in enumerate(zip(shapes, loops, read.inputs, strict=True))
    )
    loop_names = tuple(f"loop {d}" for d in range(deepest))
    outputs = tuple((str(n), (*loop_names, *c)) for n, c in enumerate(read.outputs))
    return SignatureSpec(owner, index, inputs, outputs)


def _loop_extents(owner: str, loops: Sequence[tuple[int, ...]], deepest: int) -> tuple[int, ...]:
    """Lengths of the loop dimensions, broadcast."""
    try:
        return np.broadcast_shapes((1,) * deepest, *loops)
    except ValueError:
        raise SignatureError(
            f"{owner}: loop dimensions {', '.join(map(str, loops))} do not broadcast"
        ) from None


def _projection(
    shape: tuple[int, ...],
    loops: int,
    deepest: int,
    extents: tuple[int, ...],
    core: Core,
    names: tuple[str, ...],
) -> IndexProjection:
    """Projection of an input: loop dimensions end together, and those of length 1 repeat."""
    ndim = deepest + len(names)
    rows = []
    for axis in range(loops):
        d = deepest - loops + axis
        moves = shape[axis] == extents[d]
        rows.append([int(moves and d == other) for other in range(ndim)])
    rows += [[int(other == deepest + names.index(c)) for other in range(ndim)] for c in core]
    return IndexProjection(rows, (0,) * len(rows), (1,) * len(rows), in_ndim=ndim)


@final
class gufunc:  # noqa: N801  # Dask's name
    """A function with a gufunc signature, as `dask.array.gufunc`; call it with the arrays.

    {Parameters}
        pyfunc: The function.
        signature: Core dimensions, such as ``"(i),(i)->()"``.
        vectorize, axes, axis, keepdims, output_sizes, output_dtypes, allow_rechunk, meta: As for
            `apply_gufunc`.
    {See Also} apply_gufunc, as_gufunc

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> outer = dt.gufunc(np.outer, signature="(i),(j)->(i,j)", vectorize=True)
    >>> outer(dt.ones((5, 2)), dt.ones(3)).shape
    (5, 2, 3)
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any],
        *,
        signature: str | None = None,
        vectorize: bool = False,
        axes: Axes = None,
        axis: int | None = None,
        keepdims: bool = False,
        output_sizes: Mapping[str, int] | None = None,
        output_dtypes: Dtypes = None,
        allow_rechunk: bool = False,
        meta: Metas = None,
    ) -> None:
        if signature is None:
            raise ArgumentTypeError("gufunc needs a signature")
        self.pyfunc, self.signature = pyfunc, signature
        self.options = GufuncOptions(
            vectorize=vectorize,
            axes=axes,
            axis=axis,
            keepdims=keepdims,
            output_sizes=output_sizes,
            output_dtypes=output_dtypes,
            allow_rechunk=allow_rechunk,
            meta=meta,
        )
        self.__doc__ = pyfunc.__doc__ or type(self).__doc__
        self.__name__ = UserFunction.of(pyfunc).name

    def __call__(self, *args: ArrayLike, allow_rechunk: bool = False, **kwargs: Any) -> Any:
        del allow_rechunk
        return apply_gufunc(self.pyfunc, self.signature, *args, **self.options, **kwargs)


def as_gufunc(
    signature: str | None = None, **kwargs: Unpack[GufuncOptions]
) -> Callable[..., gufunc]:
    """Return a decorator that makes a function a `gufunc`, as `dask.array.as_gufunc`.

    {Parameters}
        signature: Core dimensions, such as ``"(i),(i)->()"``.
        **kwargs: Further arguments of `gufunc`.
    {Returns} callable: Takes a function and returns a `gufunc`.
    {Raises} TypeError: If `gufunc` does not take the arguments.
    {See Also} gufunc, apply_gufunc
    {Examples}
    >>> @dt.as_gufunc("(i)->()", output_dtypes=float)
    ... def spread(a):
    ...     return a.max(-1) - a.min(-1)
    >>> spread(dt.asarray([[1.0, 4.0], [2.0, 2.0]])).compute()
    array([3., 0.])
    """
    refuse_unknown("as_gufunc", kwargs, GufuncOptions.__annotations__)

    def decorate(pyfunc: Callable[..., Any]) -> gufunc:
        return gufunc(pyfunc, signature=signature, **kwargs)

    return decorate

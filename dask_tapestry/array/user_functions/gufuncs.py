"""Generalized ufuncs: functions of core dimensions, looped over all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.errors import SignatureError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.block_function import call_blocks
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.unsqueeze import unsqueeze
from dask_tapestry.operators.user_function import UserFunction
from dask_tapestry.operators.user_signature import Written
from dask_tapestry.teg import Kind, Tensor
from dask_tapestry.zspace import IndexProjection

__all__ = [
    "apply_gufunc",
    "as_gufunc",
    "gufunc",
]

Core = tuple[str, ...]
AxesOf = tuple[int, ...]
LIST = r"\((?:\w+(?:,\w+)*,?)?\)"


class GufuncSignature(NamedTuple):
    """Core dimensions of inputs and outputs."""

    inputs: tuple[Core, ...]
    outputs: tuple[Core, ...]

    @property
    def several(self) -> bool:
        """Whether a tuple of outputs comes back."""
        return len(self.outputs) > 1


def parse(signature: str) -> GufuncSignature:
    """Read a signature such as ``"(i,j),(j)->(i)"``.

    Raises
    ------
    SignatureError
        If it is none.
    """
    if not isinstance(signature, str):
        raise TypeError(f"the signature is a string, not {type(signature).__name__}")
    text = re.sub(r"\s+", "", signature)
    if not re.fullmatch(rf"(?:{LIST}(?:,{LIST})*,?)?->{LIST}(?:,{LIST})*", text):
        raise SignatureError(f"not a valid gufunc signature: {signature}")
    before, after = text.split("->")
    ins, outs = (
        tuple(tuple(re.findall(r"\w+", one)) for one in re.findall(LIST, side))
        for side in (before, after)
    )
    return GufuncSignature(ins, outs)


def apply_gufunc(
    func: Callable[..., Any],
    signature: str,
    *args: Any,
    axes: Sequence[Any] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    output_dtypes: Any = None,
    output_sizes: Mapping[str, int] | None = None,
    vectorize: bool | None = None,
    allow_rechunk: bool = False,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """Apply a function of core dimensions along all others, as `dask.array.apply_gufunc`.

    Loop dimensions, those before the core ones, are parallel and broadcast; `func` gets all of a
    core dimension.

    Parameters
    ----------
    func
        Called with blocks whose last axes are the core dimensions.
    signature
        Core dimensions, such as ``"(i),(i)->()"``.
    axes, axis, keepdims
        Where core dimensions are, as for NumPy's generalized ufuncs.
    output_dtypes, meta
        Dtypes of the outputs, or arrays like them; by default learnt by calling `func`.
    output_sizes
        Lengths of core dimensions that no input has.
    vectorize
        `func` takes core dimensions only; call it through `numpy.vectorize`.
    allow_rechunk
        Accepted for Dask's sake: core dimensions are never cut.
    **kwargs
        For `func`.

    Raises
    ------
    SignatureError
        If signature, axes and arrays do not fit together.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> x = dt.arange(6.0).reshape(2, 3)
    >>> mean, largest = dt.apply_gufunc(lambda a: (a.mean(-1), a.max(-1)), "(i)->(),()", x)
    >>> mean.compute(), largest.compute()
    (array([1., 4.]), array([2., 5.]))
    """
    del allow_rechunk
    read = parse(signature)
    if len(read.inputs) != len(args):
        raise SignatureError(f"{signature} takes {len(read.inputs)} arrays, {len(args)} are given")
    if meta is not None and output_dtypes is not None:
        raise SignatureError("give one of meta and output_dtypes")
    dtypes = _dtypes(read, _kinds(meta) if meta is not None else output_dtypes)
    ins, outs = core_axes(read, axes, axis, keepdims)
    tensors = [_core_last(asarray(a).node, at) for a, at in zip(args, ins, strict=True)]
    if vectorize:
        otypes = [dtypes[n] for n in sorted(dtypes)] if len(dtypes) == len(read.outputs) else None
        func = np.vectorize(func, signature=re.sub(r"\s+", "", signature), otypes=otypes)
    call = UserFunction.of(func).bind(kwargs)
    written = _written(call.name, read, tensors, output_sizes or {})
    results = call_blocks(call, written, tensors, dtypes)
    made = []
    for result, core, at in zip(results, read.outputs, outs, strict=True):
        kept = unsqueeze(result, tuple(range(-len(at), 0))) if keepdims else result
        made.append(Array(_core_back(kept, at if keepdims or core else ())))
    return tuple(made) if read.several else made[0]


def _kinds(meta: Any) -> Any:
    if isinstance(meta, tuple | list):
        return [_kinds(one) for one in meta]
    return getattr(meta, "dtype", None) or np.asarray(meta).dtype


def _dtypes(read: GufuncSignature, given: Any) -> dict[str, np.dtype[Any]]:
    """Dtypes of the outputs, named by number; none if they are to be learnt."""
    if given is None:
        return {}
    kinds = list(given) if isinstance(given, tuple | list) else [given]
    count = len(read.outputs)
    if len(kinds) != count or (read.several and not isinstance(given, tuple | list)):
        raise SignatureError(f"{count} outputs need {count} dtypes, not {given!r}")
    return {str(n): as_dtype(kind) for n, kind in enumerate(kinds)}


def core_axes(
    read: GufuncSignature, axes: Sequence[Any] | None, axis: int | None, keepdims: bool
) -> tuple[list[AxesOf], list[AxesOf]]:
    """Axes of the core dimensions in each input and output.

    Raises
    ------
    SignatureError
        If they do not fit the signature.
    """
    filled = [core for core in read.inputs if core]
    if axes is not None and axis is not None:
        raise SignatureError("give one of axis and axes")
    if keepdims and (any(read.outputs) or len(set(read.inputs)) > 1):
        raise SignatureError("keepdims takes outputs without core dimensions and like inputs")
    if axis is not None:
        if not isinstance(axis, int):
            raise SignatureError(f"axis is an integer, not {axis!r}")
        if any(len(core) != 1 or core != filled[0] for core in filled):
            raise SignatureError("axis takes one core dimension, the same of all arrays")
    cores = [*read.inputs, *read.outputs]
    if axes is None:
        every = [(axis,) if core and axis is not None else _last(core) for core in cores]
    else:
        if not isinstance(axes, list):
            raise SignatureError("axes is a list, an entry for each array")
        every = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
        if len(every) == len(read.inputs) and not any(read.outputs):
            every += [()] * len(read.outputs)
    if len(every) != len(cores):
        raise SignatureError(f"axes has {len(every)} entries for {len(cores)} arrays")
    ins, outs = every[: len(read.inputs)], every[len(read.inputs) :]
    if keepdims:
        outs = [ins[0]] * len(outs)
    for number, (at, core) in enumerate(zip([*ins, *outs], cores, strict=True)):
        if len(at) != len(core) and not (keepdims and number >= len(ins)):
            raise SignatureError(f"axes of array {number}: {at} for core dimensions {core}")
    return ins, outs


def _last(core: Core) -> AxesOf:
    return tuple(range(-len(core), 0))


def _core_last(x: Tensor, axes: AxesOf) -> Tensor:
    """`x` with the core axes last, in order."""
    ndim = x.type.ndim
    if len(axes) > ndim:
        raise SignatureError(f"{x.type} has fewer dimensions than the core dimensions {axes}")
    last = [normalize_axis(a, ndim) for a in axes]
    order = (*[a for a in range(ndim) if a not in last], *last)
    return x if order == tuple(range(ndim)) else permute(x, order)


def _core_back(x: Tensor, axes: AxesOf) -> Tensor:
    """`x`, whose core axes are last, with these at `axes`."""
    ndim = x.type.ndim
    places = [normalize_axis(a, ndim) for a in axes]
    loops = iter(range(ndim - len(places)))
    order = tuple(
        ndim - len(places) + places.index(a) if a in places else next(loops) for a in range(ndim)
    )
    return x if order == tuple(range(ndim)) else permute(x, order)


def _written(
    owner: str, read: GufuncSignature, tensors: Sequence[Tensor], sizes: Mapping[str, int]
) -> Written:
    """The signature over loop and core dimensions."""
    shapes = [x.type.shape for x in tensors]
    loops = [shape[: len(shape) - len(c)] for shape, c in zip(shapes, read.inputs, strict=True)]
    deepest = max(map(len, loops), default=0)
    extents = _loop_extents(owner, loops, deepest)
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
    return Written(owner, index, inputs, outputs)


def _loop_extents(owner: str, loops: Sequence[tuple[int, ...]], deepest: int) -> tuple[int, ...]:
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
    """An input's projection: loop dimensions aligned at the last, those of length one repeated."""
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
    """A function bound to a gufunc signature, as `dask.array.gufunc`.

    Parameters
    ----------
    pyfunc
        The function.
    signature, vectorize, axes, axis, keepdims, output_sizes, output_dtypes, allow_rechunk, meta
        As for `apply_gufunc`.

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
        axes: Sequence[Any] | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        output_sizes: Mapping[str, int] | None = None,
        output_dtypes: Any = None,
        allow_rechunk: bool = False,
        meta: Any = None,
    ) -> None:
        if signature is None:
            raise TypeError("gufunc needs a signature")
        self.pyfunc, self.signature = pyfunc, signature
        self.options = {
            "vectorize": vectorize,
            "axes": axes,
            "axis": axis,
            "keepdims": keepdims,
            "output_sizes": output_sizes,
            "output_dtypes": output_dtypes,
            "allow_rechunk": allow_rechunk,
            "meta": meta,
        }
        self.__doc__ = pyfunc.__doc__ or type(self).__doc__
        self.__name__ = UserFunction.of(pyfunc).name

    def __call__(self, *args: Any, allow_rechunk: bool = False, **kwargs: Any) -> Any:
        options = self.options | {"allow_rechunk": allow_rechunk}
        return apply_gufunc(self.pyfunc, self.signature, *args, **options, **kwargs)


def as_gufunc(signature: str | None = None, **kwargs: Any) -> Callable[..., gufunc]:
    """Return a decorator that makes a function a `gufunc`, as `dask.array.as_gufunc`.

    Parameters
    ----------
    signature, **kwargs
        As for `gufunc`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> @dt.as_gufunc("(i)->()", output_dtypes=float)
    ... def spread(a):
    ...     return a.max(-1) - a.min(-1)
    >>> spread(dt.asarray([[1.0, 4.0], [2.0, 2.0]])).compute()
    array([3., 0.])
    """
    known = {
        "vectorize",
        "axes",
        "axis",
        "keepdims",
        "output_sizes",
        "output_dtypes",
        "allow_rechunk",
        "meta",
    }
    if set(kwargs) - known:
        raise TypeError(f"as_gufunc has no arguments {sorted(set(kwargs) - known)}")

    def decorate(pyfunc: Callable[..., Any]) -> gufunc:
        return gufunc(pyfunc, signature=signature, **kwargs)

    return decorate

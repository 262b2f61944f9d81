"""Functions of blocks that get the slices of the array in which their block lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.user.user_signature import SignatureSpec, solve, unread_dims
from dask_tapestry.teg import Kind, Tensor

DONE: Final = np.dtype(bool)  # of the cell that a sink leaves for each index point
NAMED: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class SliceAwareFunction:
    """A function of blocks that takes parts of dimensions by name, as slices.

    It gets the coordinates of the parts as its last blocks.

    Attributes
    ----------
    function
        Of the blocks before them.
    dims
        Names of the dimensions; the function takes those in `told`.
    told
        Names that it takes.
    sinks
        Whether it returns nothing; then a cell for each index point says that it was called.
    """

    function: UserFunction
    dims: tuple[str, ...]
    told: frozenset[str]
    sinks: bool

    @property
    def __name__(self) -> str:
        return self.function.name

    def __call__(self, *blocks: Any) -> Any:
        count = len(blocks) - len(self.dims)
        given, lines = blocks[:count], blocks[count:]
        parts = dict(zip(self.dims, lines, strict=True))
        named = {name: _slice(parts[name]) for name in self.dims if name in self.told}
        result = self.function(*given, **named)
        return np.ones([len(line) for line in lines], DONE) if self.sinks else result


def _slice(line: Any) -> slice:
    """The coordinates of a part, as the slice that takes it."""
    first, count = int(line[0]), len(line)
    step = int(line[1]) - first if count > 1 else 1
    return slice(first, first + step * (count - 1) + 1, step if step != 1 else None)


def placed(
    function: UserFunction, written: SignatureSpec, tensors: Sequence[Tensor]
) -> tuple[UserFunction, SignatureSpec, list[Tensor]]:
    """The function, its signature and its inputs, with those that tell where a block lies.

    They are told of dimensions that no input follows; of a sink, of each that can be cut.
    """
    sinks = not written.outputs
    dims = written.of_kind(Kind.PARALLEL) if sinks else unread_dims(written)
    if not dims and not sinks:
        return function, written, list(tensors)
    index, _ = solve(written, [x.type.shape for x in tensors])
    extents = {dim.name: dim.extent for dim in index}
    told = frozenset(dims) & takes(function.function, dims) if sinks else frozenset(dims)
    wrapped = UserFunction.of(SliceAwareFunction(function, dims, told, sinks))
    whole = replace(
        written,
        index=tuple((name, kind, extents[name]) for name, kind, _ in written.index),
        inputs=(*written.inputs, *((f"part of {name}", (name,)) for name in dims)),
        outputs=written.outputs or (("done", dims),),
    )
    lines = [coordinates((extents[name],), 0) for name in dims]
    return wrapped, whole, [*tensors, *lines]


def takes(function: Any, names: Sequence[str]) -> frozenset[str]:
    """The `names` that a function takes as parameters; all of them if its signature is unknown."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return frozenset(names)
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        return frozenset(names)
    return frozenset(names) & {one.name for one in parameters if one.kind in NAMED}

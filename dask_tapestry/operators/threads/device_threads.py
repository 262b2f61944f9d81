"""Bodies of threads on a device: each step of a body for all threads at once, by its kernels.

What is cells of formulas and views stays a formula until a fold, a scan, a product or a result
reads it. A fold takes its formula with it, so that no cells of it are written to memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final, Protocol

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression, identity
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.threads.batched_operators import batched, called_whole
from dask_tapestry.operators.threads.fused_threads import (
    ThreadFormula,
    fused,
    is_fused,
    joined_formula,
    spread,
)
from dask_tapestry.operators.threads.thread_slice import ThreadSlice, check_inside
from dask_tapestry.teg import Node, TensorType
from dask_tapestry_kernels.devices import lacking

Block = Any  # an array on a device
INT64: Final = np.dtype(np.int64)


class DeviceMemory(Protocol):
    """Memory of a device, as its kernels know it."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """Memory that is not cleared."""

    def strided(self, block: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
        """The cells so many bytes behind the first one of a block: a view."""

    def to_host(self, block: Any) -> np.ndarray[Any, Any]:
        """A copy of a block on the host."""

    def launch(self) -> None:
        """Have what kernels were asked for under way, before memory is asked for again."""


class ThreadDevice:
    """A device that computes bodies of threads, whose ids are the first `rank` dimensions.

    Parameters
    ----------
    kernels
        Its kernels by name.
    gpu
        Its memory.
    """

    def __init__(
        self, kernels: Mapping[str, Callable[..., Block]], gpu: DeviceMemory, rank: int
    ) -> None:
        self.kernels, self.gpu, self.rank = kernels, gpu, rank

    def value(self, node: Node, inputs: Sequence[ThreadFormula]) -> ThreadFormula:
        """The values of a node for all threads, of those of its inputs."""
        if is_fused(node):
            return fused(node, inputs, self.rank, self.kernels["view"])
        if isinstance(node.operator, ThreadSlice):
            return ThreadFormula.of(self._sliced(node, [self.cells(x) for x in inputs]))
        operator = node.operator
        if isinstance(operator, Reduce):
            cells = joined_formula(operator.cells or identity(inputs[0].expression.dtype), inputs)
            folded = cells.expression
            own = replace(operator, cells=None if folded == identity(folded.dtype) else folded)
            return ThreadFormula.of(self._called(node, own, cells.blocks))
        return ThreadFormula.of(self._called(node, operator, [self.cells(x) for x in inputs]))

    def cells(self, formula: ThreadFormula) -> Block:
        """The cells of a formula in memory: of one block alone, the block."""
        if formula.expression == identity(formula.expression.dtype):
            return formula.blocks[0]
        return self.kernels["map"](None, *self.alike(formula.blocks), expression=formula.expression)

    def alike(self, blocks: Sequence[Block]) -> list[Block]:
        """Blocks repeated along ids where others differ between threads."""
        lead = broadcast_shape([tuple(x.shape[: self.rank]) for x in blocks])
        shapes = [(*lead, *x.shape[self.rank :]) for x in blocks]
        pairs = zip(blocks, shapes, strict=True)
        return [self.gpu.strided(x, shape, spread(x, shape)) for x, shape in pairs]

    def _called(self, node: Node, operator: Any, blocks: Sequence[Block]) -> Block:
        """What the kernel of an operator yields for all threads."""
        given = self.alike(blocks)
        types = tuple([TensorType(tuple(x.shape), x.dtype) for x in given])
        for_all = batched(operator, node.input_types, types[0].shape[: self.rank])
        assert for_all is not None
        return called_whole(for_all, types, self.kernels)(given)

    def _sliced(self, node: Node, inputs: Sequence[Block]) -> Block:
        """Slices whose starts are known only now; that they are inside is looked at on the host."""
        operator, (x, *starts) = node.operator, inputs
        assert isinstance(operator, ThreadSlice)
        rank, inner = self.rank, len(operator.sizes)
        check_inside(operator, [self.gpu.to_host(block) for block in starts], x.shape[rank:])
        lead = broadcast_shape([tuple(block.shape[:rank]) for block in inputs])
        shape = (*lead, *operator.sizes)
        if not prod(shape):
            return self.gpu.empty(shape, x.dtype)
        moving = [dim for dim in range(rank) if x.shape[dim] > 1]
        indices = [self._line(x.shape[dim], 1, dim, rank + inner) for dim in moving]
        for axis, start in enumerate(starts):
            cells = self._line(
                operator.sizes[axis], operator.strides[axis], axis + rank, rank + inner
            )
            own = (*start.shape, *[1] * inner)
            begin = self.gpu.strided(start, own, (*start.strides, *[0] * inner))
            whole = broadcast_shape([own, tuple(cells.shape)])
            given = [
                self.gpu.strided(block, whole, spread(block, whole)) for block in (begin, cells)
            ]
            indices.append(self.kernels["map"](None, *given, expression=_sum_of(start.dtype)))
        table_axes = [*moving, *range(rank, rank + inner)]
        sides = [x.shape[axis] for axis in table_axes]
        table = self.gpu.strided(x, sides, [x.strides[axis] for axis in table_axes])
        take_options = {"axes": tuple(range(len(table_axes))), "at": 0, "extents": tuple(sides)}
        taken_cells = self.kernels["take"](
            None, table, *indices, origin=(0,) * len(table_axes), **take_options
        )
        return self.gpu.strided(taken_cells, shape, spread(taken_cells, shape))

    def _line(self, count: int, pace: int, dim: int, rank: int) -> Block:
        """So many multiples of a number along one of `rank` dimensions."""
        told = {"first": np.int64(0), "delta": np.int64(pace), "dtype": INT64}
        line = self.kernels["arange"](None, places=range(count), **told)
        sides = [count if d == dim else 1 for d in range(rank)]
        return self.gpu.strided(
            line, sides, [INT64.itemsize if d == dim else 0 for d in range(rank)]
        )


def _sum_of(dtype: np.dtype[Any]) -> CellExpression:
    """A start and what follows it, as int64."""
    builder = CellBuilder((dtype, INT64))
    return builder.finish(builder.call("add", (builder.cast(0, INT64), 1), INT64))


def why_not_there(node: Node, device: str) -> str | None:
    """Why a kind of device cannot compute a node for many threads; None if it can.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> why_not_there(dt.cumsum(dt.ones(3)).node, "cuda") is None
    True
    >>> why_not_there(dt.ndimage.spline_filter1d(dt.ones(8)).node, "cuda")
    'no splinefilter for many threads'
    """
    operator = node.operator
    if is_fused(node):
        kernel = "map"
    elif isinstance(operator, ThreadSlice):
        kernel = "take"
    elif batched(operator, node.input_types, ()) is None:
        return f"no {operator.name} for many threads"
    else:
        kernel = operator.kernel
    why = lacking(device, kernel, [x.dtype for x in node.input_types], node.type.dtype)
    return None if why is None else f"{why} for {operator.name}"

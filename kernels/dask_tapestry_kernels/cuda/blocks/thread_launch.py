"""Steps of bodies of threads, gathered to one launch as far as a thread's own loop computes them.

What stands for the kernels of formulas, folds and scans writes down what they are asked, and hands
out memory that will have it. They are launched together when another kernel, or the host, asks for
cells. Steps of many cells a thread are left to the kernels, which share them among threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.copies import copy_cells
from dask_tapestry_kernels.cuda.blocks.thread_texts import (
    FoldStep,
    MapStep,
    ScanStep,
    Step,
    thread_program,
)
from dask_tapestry_kernels.cuda.cells.formulas import handed
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for
from dask_tapestry_kernels.cuda.reduction.folds import degrees
from dask_tapestry_kernels.cuda.reduction.monoid_texts import WORST, monoid_text
from dask_tapestry_kernels.cuda.reduction.node_texts import divisor
from dask_tapestry_kernels.cuda.scan.scan_texts import ScanText
from dask_tapestry_kernels.fold_part import FoldPart
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps, formula_steps
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.scan_spec import ScanSpec

LOOP_CELLS: Final = 1024  # of a step that a thread goes through alone: a leaf of a fold
MOST_ARGUMENTS: Final = 480  # of 8 bytes; a kernel takes 4 KiB
OF_MEMORY: Final = ("view", "arange")  # kernels that ask for no cells that are not there yet


class ThreadLaunch(Mapping[str, Kernel]):
    """Kernels for bodies of threads with `rank` numbers, and the memory of their device.

    Parameters
    ----------
    kernels
        Those of the device.
    """

    def __init__(self, kernels: Mapping[str, Kernel], gpu: Runtime, rank: int) -> None:
        self._kernels, self._gpu, self._rank = kernels, gpu, rank
        self._steps: list[Step] = []
        self._arguments: list[Any] = []
        self._lead: tuple[int, ...] = ()
        self._alone: Callable[[], Any] | None = None  # the kernel of the only step

    def __getitem__(self, name: str) -> Kernel:
        own: dict[str, Kernel] = {
            "concat": self._concat, "map": self._map, "reduce": self._reduce,
            "reshape": self._reshape, "scan": self._scan,
        }  # fmt: skip
        if name in own:
            return own[name]
        kernel = self._kernels[name]
        return kernel if name in OF_MEMORY else self._after_launch(kernel)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        """Memory that is not cleared."""
        return self._gpu.empty(shape, dtype)

    def strided(self, block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
        """The cells so many bytes behind the first one of a block: a view."""
        return self._gpu.strided(block, shape, strides)

    def to_host(self, block: Block) -> np.ndarray[Any, Any]:
        """A copy of a block on the host, when all steps are launched."""
        self.launch()
        return self._gpu.to_host(block)

    def launch(self) -> None:
        """Launch the steps that are written down; a formula alone, which all may share, as such."""
        if not self._steps:
            return
        steps, alone, self._alone = len(self._steps), self._alone, None
        if steps == 1 and alone is not None:
            self._steps, self._arguments = [], []
            alone()
            return
        program = thread_program(tuple(self._steps), self._rank)
        assert program is not None  # each step by itself has one
        count = prod(self._lead)
        words = [np.int64(n) for n in (count, *self._lead)]
        self._gpu.launch(program, blocks_for(count, self._gpu), [*words, *self._arguments])
        self._steps, self._arguments = [], []

    def _after_launch(self, kernel: Kernel) -> Kernel:
        def called(*blocks: Any, **told: Any) -> Block:
            self.launch()
            return kernel(*blocks, **told)

        return called

    def _map(self, out: Block | None, *blocks: Block, expression: Any) -> Block:
        result = self._gpu.empty(blocks[0].shape, expression.dtype) if out is None else out
        dims = list(range(self._rank, result.ndim))
        step = MapStep(formula_steps(expression), len(blocks), len(dims), expression.dtype)
        told = [handed(constant) for constant in step.formula.constants]
        if not self._add(step, dims, [*blocks, result], told):
            return self._after_launch(self._kernels["map"])(out, *blocks, expression=expression)
        if len(self._steps) == 1 and self._steps[0] is step:  # a step without cells is none
            self._alone = partial(self._kernels["map"], result, *blocks, expression=expression)
        return result

    def _reduce(self, out: Block | None, *blocks: Block, **told: Any) -> Block:
        part, fold = FoldPart(**told), self._fold(blocks, FoldPart(**told))
        if fold is not None:
            kept_axes = [
                axis for axis in range(self._rank, blocks[0].ndim) if axis not in part.axes
            ]
            sides = [blocks[0].shape[axis] for axis in (*range(self._rank), *kept_axes)]
            result = self._gpu.empty(tuple(sides), part.dtype)
            wide = self._gpu.strided(result, *_spread(result, part.axes, blocks[0].shape))
            by = np.asarray(degrees(part)).astype(divisor(fold.text))[()]
            more = [by, *[handed(constant) for constant in fold.formula.constants]]
            if self._add(fold, [*part.axes, *kept_axes], [*blocks, wide], more):
                return result
        return self._after_launch(self._kernels["reduce"])(out, *blocks, **told)

    def _fold(self, blocks: Sequence[Block], part: FoldPart) -> FoldStep | None:
        """The step of a fold of one leaf; None of others."""
        is_leaf = part.source is part.target is part.tree.lattice is None and not part.tree.depth
        if not is_leaf or not prod(part.tree.extents) or part.monoid in WORST:
            return None
        if part.expression is None:
            formula = FormulaSteps((blocks[0].dtype,), (), ())
        else:
            formula = formula_steps(part.expression)
        cell = formula.steps[-1].dtype if formula.steps else formula.parameters[-1]
        text = monoid_text(part.monoid, cell, part.state)
        dims = blocks[0].ndim - self._rank
        sizes = len(blocks), dims, part.dtype
        return None if text is None else FoldStep(formula, *sizes, text, len(part.axes))

    def _scan(self, out: Block | None, *blocks: Block, dtype: np.dtype[Any], **told: Any) -> Block:
        how = ScanSpec(**{name: told[name] for name in told if name in ScanSpec._fields})
        text = ScanText(how.function, blocks[0].dtype, how.state, dtype)
        alone = len(blocks) == 1 and not how.skip and not how.apart
        if alone and text.is_known:
            result = self._gpu.empty(blocks[0].shape, dtype)
            across = [d for d in range(self._rank, result.ndim) if d != how.axis]
            step = ScanStep(text, len(across) + 1, how.leaf)
            if self._add(step, [*across, how.axis], [blocks[0], result], []):
                return result
        return self._after_launch(self._kernels["scan"])(out, *blocks, dtype=dtype, **told)

    def _concat(self, out: Block | None, *blocks: Block, axis: int) -> Block:
        cells = sum(prod(block.shape[self._rank :]) for block in blocks)
        if cells > LOOP_CELLS or len({block.shape[: self._rank] for block in blocks}) > 1:
            return self._after_launch(self._kernels["concat"])(out, *blocks, axis=axis)
        ends = [*accumulate([block.shape[axis] for block in blocks], initial=0)]
        shape = blocks[0].shape
        whole = (*shape[:axis], ends[-1], *shape[axis + 1 :])
        result = self._gpu.empty(whole, blocks[0].dtype)
        for block, first, end in zip(blocks, ends[:-1], ends[1:], strict=True):
            self._copy(result[(*[slice(None)] * axis, slice(first, end))], block)
        return result

    def _reshape(
        self, out: Block | None, *blocks: Block, parts: Sequence[Any], shape: tuple[int, ...]
    ) -> Block:
        block = blocks[0]
        alike = len(blocks) == 1 and block.shape[: self._rank] == shape[: self._rank]
        if not alike or prod(shape) != prod(block.shape) or prod(shape[self._rank :]) > LOOP_CELLS:
            reshape = self._after_launch(self._kernels["reshape"])
            return reshape(out, *blocks, parts=parts, shape=shape)
        result = self._gpu.empty(block.shape, block.dtype)
        self._copy(result, block)
        return result.reshape(shape)

    def _copy(self, target: Block, block: Block) -> None:
        """Write down, or else launch, a copy of a block to a part of another."""
        formula, dims = FormulaSteps((block.dtype,), (), ()), range(self._rank, block.ndim)
        step = MapStep(formula, 1, len(dims), block.dtype)
        if not self._add(step, list(dims), [block, target], []):
            self.launch()
            copy_cells(target, block)

    def _add(
        self, step: Step, dims: Sequence[int], blocks: Sequence[Block], told: Sequence[Any]
    ) -> bool:
        """Write down a step over some dimensions of its blocks, if a thread computes it alone."""
        shape = blocks[0].shape
        lead, extents = tuple(shape[: self._rank]), [shape[dim] for dim in dims]
        aligned = all(map(self._gpu.is_addressed_by_cells, blocks))
        if prod(extents) > LOOP_CELLS or not aligned or thread_program((step,), self._rank) is None:
            return False
        words = [np.int64(n) for n in extents]
        for block in blocks:
            steps = [block.strides[dim] for dim in (*range(self._rank), *dims)]
            words += [np.int64(s // block.itemsize) for s in steps]
        arguments = [*words, *told, *blocks]
        if lead != self._lead or len(self._arguments) + len(arguments) > MOST_ARGUMENTS:
            self.launch()
        if prod(shape):
            self._steps.append(step)
            self._arguments += arguments
            self._lead = lead
        return True


def _spread(
    result: Block, axes: Sequence[int], shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Shape and strides of a result with the axes that were folded, along which it is repeated."""
    steps = iter(result.strides)
    return list(shape), [0 if axis in axes else next(steps) for axis in range(len(shape))]


def of_threads(kernels: Mapping[str, Kernel], gpu: Runtime, body: Any, *blocks: Block) -> Any:
    """What a body of threads yields, of blocks on a device."""
    launch = ThreadLaunch(kernels, gpu, len(body.ids))
    return body.on_device(launch, launch, *blocks)

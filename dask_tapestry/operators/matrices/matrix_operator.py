"""MatrixOperator: functions of whole matrices, for each of those that lie along other dimensions.

A matrix is whole in one block, where LAPACK has it; stacks of matrices are cut. A function that can
be computed in panels of columns has that form too, for a matrix that no worker holds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.tuning import (
    LAPACK_SPEED,
    LEAST_PANEL_CELLS,
    PANEL_COUNTS,
    PANELS_PLANNING,
    SMALL_MATRIX_BYTES,
)
from dask_tapestry.teg import (
    CELL_BY_CELL,
    BlockOperator,
    Form,
    IndexDim,
    Kind,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    Turns,
)
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types, signature_of
from dask_tapestry.teg.outputs import OutputWindow, output_layout, outputs_dtype, windows_of
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.output_blocks import OutputBlocks


class Result(NamedTuple):
    """A result for one matrix: its name, a letter for each dimension, and its dtype."""

    name: str
    letters: str
    dtype: np.dtype[Any]


class MatrixOperator(BlockOperator):
    """A function of the matrices in the last dimensions of its inputs; the others broadcast.

    Class attributes
    ----------------
    reads
        For each input, letters of its last dimensions.
    work
        Letters and a factor: the product of their lengths and the factor is the number of
        operations for one matrix.
    cut
        Letters of dimensions along which a matrix may be cut.
    taken
        Copies of the matrices that it takes besides what it reads and returns, in double precision;
        of those of a stack nothing.
    in_double
        Whether its kernel, as NumPy, computes in double precision whatever the dtype.
    is_stack
        Whether there are other dimensions. One of many matrices is not worth several threads.
    """

    fills = False
    aligned = True
    reads: tuple[str, ...] = ("mm",)
    work: tuple[str, float] = ("mmm", 1.0)
    cut: str = ""
    taken: float = 1.0
    in_double: bool = True
    is_stack: bool = False

    @property
    def multithreaded(self) -> bool:  # type: ignore[override]  # it depends on the inputs
        return not self.is_stack

    @abstractmethod
    def results(self, inputs: Types) -> tuple[Result, ...]:
        """What it returns for one matrix of each input."""

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        """Lengths of dimensions that no input has."""
        return {}

    def options(self) -> Mapping[str, Any]:
        """What the kernel takes beside blocks."""
        return {}

    def lengths(self, inputs: Types) -> dict[str, int]:
        """The length of each dimension of matrices."""
        sides = [
            (letter, n)
            for x, letters in zip(inputs, self.reads, strict=True)
            for letter, n in zip(letters, x.shape[x.ndim - len(letters) :], strict=True)
        ]
        return {**dict(sides), **self.new_lengths(inputs)}

    def loops(self, inputs: Types) -> tuple[int, ...]:
        """The lengths of the other dimensions."""
        pairs = zip(inputs, self.reads, strict=True)
        return broadcast_shape([x.shape[: x.ndim - len(letters)] for x, letters in pairs])

    def signature(self, *inputs: TensorType) -> Signature:
        lengths, loops = self.lengths(inputs), self.loops(inputs)
        kinds = {d: Kind.PARALLEL if d in self.cut else Kind.ATOMIC for d in lengths}
        index = (
            *[IndexDim(f"loop {d}", n) for d, n in enumerate(loops)],
            *[IndexDim(d, n, kinds[d]) for d, n in lengths.items()],
        )
        reads = [
            self._projection(index, letters, x.shape[: x.ndim - len(letters)])
            for x, letters in zip(inputs, self.reads, strict=True)
        ]
        return Signature(index, tuple(reads), (self.written(index, inputs),))

    @abstractmethod
    def written(self, index: tuple[IndexDim, ...], inputs: Types) -> IndexProjection:
        """The cells of the value that an index point writes."""

    def _projection(
        self, index: Sequence[IndexDim], letters: str, loops: Sequence[int]
    ) -> IndexProjection:
        """Cells that an index point touches; dimensions of length 1 of `loops` repeat."""
        extents = {dim.name: dim.extent for dim in index}
        deepest = len(extents) - len([name for name in extents if len(name) == 1])
        axes: list[tuple[str | None, int]] = []
        for d, n in enumerate(loops, deepest - len(loops)):
            axes.append((f"loop {d}" if extents[f"loop {d}"] == n else None, 1))
        axes += [(d, 1) if d in self.cut else (None, extents[d]) for d in letters]
        rows = [[int(owner == dim.name) for dim in index] for owner, _ in axes]
        widths = [width for _, width in axes]
        return IndexProjection(rows, (0,) * len(axes), widths, in_ndim=len(index))

    def dims(self, inputs: Types, rank: int) -> tuple[str | None, ...] | None:
        """Names of the other dimensions, and none of the matrices'."""
        loops = self.loops(inputs)
        names: dict[int, str] = {}
        for x, letters in zip(inputs, self.reads, strict=True):
            lead = x.shape[: x.ndim - len(letters)]
            for d, (n, name) in enumerate(zip(lead, x.dims or (), strict=False)):
                at = len(loops) - len(lead) + d
                if name is not None and n == loops[at]:
                    names.setdefault(at, name)
        is_named = names and len(set(names.values())) == len(names)
        return tuple([names.get(d) for d in range(rank)]) if is_named else None

    def turns(self, inputs: Types) -> Turns | None:
        """Of a stack of small matrices some at a time."""
        lengths = self.lengths(inputs)
        read = [prod([lengths[d] for d in letters]) for letters in self.reads]
        cells = sum(read) + sum(
            [prod([lengths[d] for d in r.letters]) for r in self.results(inputs)]
        )
        small = self.is_stack and cells * inputs[0].dtype.itemsize <= SMALL_MATRIX_BYTES
        return CELL_BY_CELL if small else None

    def flops(self, inputs: Types, box: ZRange) -> int:
        letters, factor = self.work
        extents = self._extents(inputs, box)
        count = _matrices(extents)
        return round(factor * LAPACK_SPEED * count * prod([extents[d] for d in letters]))

    def _extents(self, inputs: Types, box: ZRange) -> dict[str, int]:
        """How many points of each index a block needs."""
        signature = signature_of(self, inputs)
        points = signature.index_range(box).shape
        return {dim.name: n for dim, n in zip(signature.index, points, strict=True)}

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Copies of matrices; in single precision those in double are larger, and there are more.

        All that is read is converted first, and what is returned last.
        """
        read, made = self._block_bytes(inputs, box)
        copies = 0.0 if self.is_stack else self.taken * read
        is_converted = self.in_double and inputs[0].dtype.char in "fF"
        return ceil(2 * copies + 2 * read + made if is_converted else copies)

    def _block_bytes(self, inputs: Types, box: ZRange) -> tuple[int, int]:
        """Bytes of the matrices that a block reads, and of all their results."""
        count, lengths = _matrices(self._extents(inputs, box)), self.lengths(inputs)
        read = [
            prod(x.shape[x.ndim - len(letters) :]) * x.dtype.itemsize
            for x, letters in zip(inputs, self.reads, strict=True)
        ]
        made = [
            prod([lengths[d] for d in one.letters]) * one.dtype.itemsize
            for one in self.results(inputs)
        ]
        return count * sum(read), count * sum(made)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """All cells of the matrices that have cells in the region."""
        loops = self.loops(inputs)
        loop_region, shape = region[: len(loops)], self.infer(*inputs).shape[len(loops) :]
        parts = []
        for x, letters in zip(inputs, self.reads, strict=True):
            lead = x.shape[: x.ndim - len(letters)]
            own = loop_region[len(loops) - len(lead) :]
            pairs = zip(own, lead, loops[len(loops) - len(lead) :], strict=True)
            moved = [Progression(0, 1, n) if n != most else one for one, n, most in pairs]
            parts.append(Region([*moved, *Region.whole(x.shape[len(lead) :])]))
        return Restriction(self, tuple(parts), Region([*loop_region, *Region.whole(shape)]))

    def text(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.options().items())


class MatrixFunction(MatrixOperator):
    """A function with one result; of a large matrix it may have a form in panels."""

    hands_over = True  # what LAPACK has made is a new array

    def infer(self, *inputs: TensorType) -> TensorType:
        (result,), lengths = self.results(inputs), self.lengths(inputs)
        shape = (*self.loops(inputs), *[lengths[d] for d in result.letters])
        return TensorType(shape, result.dtype, self.dims(inputs, len(shape)))

    def written(self, index: tuple[IndexDim, ...], inputs: Types) -> IndexProjection:
        return self._projection(index, self.results(inputs)[0].letters, self.loops(inputs))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        signature = signature_of(self, inputs)
        made = signature.written(signature.index_range(box))
        return {
            "keep": box.slices(made),
            "dtype": self.results(inputs)[0].dtype,
            "is_stack": self.is_stack,
            **self.options(),
        }

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        """The value, computed in panels of so many columns."""
        raise NotImplementedError(f"{self.name} cannot be computed in panels")

    def has_panels(self, inputs: Types) -> bool:
        """Whether it may be computed in panels of columns: of one large matrix."""
        own = type(self).in_panels is not MatrixFunction.in_panels
        return own and not self.is_stack and is_large(inputs[0])

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Axes that no input has are cut as a large matrix, of which a factor is a part."""
        told = super().follow(inputs, chunks)
        if not self.has_panels(inputs):
            return told
        pairs = zip(self.infer(*inputs).shape, told, chunks[0], strict=False)
        return tuple([of.refilled(n) if own is None else own for n, own, of in pairs])

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        if not self.has_panels(inputs):
            return ()
        columns = min(inputs[0].shape)
        widths = [-(-columns // n) for n in PANEL_COUNTS if n <= columns]
        return (Form("panels", tuple(widths), in_panels, PANELS_PLANNING, 1),) if widths else ()


class MatrixFactors(MatrixOperator):
    """A function with several results, each an output of its own.

    Attributes
    ----------
    kept
        Names of the results that are outputs.
    """

    kept: tuple[str, ...] = ()

    def infer(self, *inputs: TensorType) -> TensorType:
        loops, lengths = self.loops(inputs), self.lengths(inputs)
        rank = len(loops)
        windows = []
        for result in self.results(inputs):
            sides = [lengths[d] for d in result.letters]
            rows = [[int(d == axis) for d in range(rank)] for axis in range(rank + len(sides))]
            widths = (*[1] * rank, *sides)
            points = IndexProjection(rows, (0,) * len(rows), widths, in_ndim=rank)
            if result.name in self.kept:
                windows.append(OutputWindow(result.name, result.dtype, points))
        return TensorType(loops, outputs_dtype(tuple(windows)), self.dims(inputs, rank))

    def written(self, index: tuple[IndexDim, ...], inputs: Types) -> IndexProjection:
        return self._projection(index, "", self.loops(inputs))

    def keeping(self, names: Collection[str]) -> MatrixFactors:
        fields: Any = self  # of each subclass, which is a dataclass
        made: MatrixFactors = replace(fields, kept=tuple([n for n in self.kept if n in names]))
        return made

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "points": box.shape,
            "outputs": tuple(map(output_layout, windows_of(self.infer(*inputs)))),
            "names": tuple([result.name for result in self.results(inputs)]),
            "is_stack": self.is_stack,
            **self.options(),
        }

    def text(self) -> str:
        return f"{super().text()} -> {', '.join(self.kept)}".lstrip()

    @abstractmethod
    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        """All results of the reference computation on whole NumPy arrays, in order."""

    def reference(self, *inputs: np.ndarray[Any, Any]) -> Any:
        types = tuple([TensorType(x.shape, x.dtype) for x in inputs])
        results = zip(self.results(types), self.meaning(*inputs), strict=True)
        arrays = {result.name: array for result, array in results}
        value = self.infer(*types)
        layouts = tuple(map(output_layout, windows_of(value)))
        return OutputBlocks(value.shape, layouts, [arrays[one.name] for one in layouts])


@stand_in
def in_panels(node: Tensor, width: int) -> Tensor:
    """``f(x) -> the same of panels of so many columns``."""
    whole = node.operator
    assert isinstance(whole, MatrixFunction)
    return whole.in_panels(node.inputs, width)


def _matrices(extents: Mapping[str, int]) -> int:
    """Of how many matrices a block is."""
    return prod([n for name, n in extents.items() if name.startswith("loop")])


def is_large(matrix: TensorType) -> bool:
    """Whether a type is that of one matrix that a worker may not hold."""
    return matrix.ndim == 2 and matrix.size >= LEAST_PANEL_CELLS

"""UserOperator: an operator made of a user's function of blocks and a signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, prod
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.errors import SignatureError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.formatted_function import takes_formats
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.reductions.contraction import Contraction
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.user.user_monoid import Fold
from dask_tapestry.operators.user.user_reads import moves_by_cells, restricted, with_longer_steps
from dask_tapestry.operators.user.user_windows import (
    WindowCallPart,
    are_apart,
    calls_apart,
    left_out,
    pieces_apart,
)
from dask_tapestry.teg import (
    IndexDim,
    Kind,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Formats, Restriction, Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.block_format import BlockFormat

Costs = tuple[tuple[str, tuple[tuple[tuple[str, ...], float], ...]], ...]


class ScratchBytes(NamedTuple):
    """Bytes that a function takes besides what it reads and returns.

    Attributes
    ----------
    each
        For an index point.
    most
        However many points there are.
    """

    each: float
    most: int


NO_SCRATCH: Final = ScratchBytes(0, 0)


@dataclass(frozen=True)
class UserOperator(Contraction):
    """A block of the output is `function` of a block of each input, in `dtype`.

    Several results of one function are fields of structured cells.

    Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".

    Attributes
    ----------
    function
        What computes a block.
    index, reads, writes
        The signature; a dimension that blocks have whole moves no projection but widens its shape.
    dtype
        Of the output.
    folding
        What combines partial results: a monoid's name, or an operator; None for nothing.
    cut
        Number of the reduction dimension that parts cut.
    costs
        For each resource, terms: names of dimensions, and the factor of their extents' product.
    part
        Steps of `cut` that each partial result takes; None to take them all.
    scratch
        What calling the function takes, where that is known.
    apart
        Numbers of the dimensions whose points the function is called for one by one.
    multithreaded
        Whether the function may start threads, where a block has a worker to itself.
    format
        Of what the function returns.
    """

    name = "useroperator"
    any_cells = True
    calls = True
    skips: ClassVar[bool] = True  # whether the function may be called for one window after another
    function: UserFunction
    index: tuple[IndexDim, ...]
    reads: tuple[IndexProjection, ...]
    writes: IndexProjection
    dtype: np.dtype[Any]
    folding: str | Fold | None = None
    cut: int | None = None
    costs: Costs = ()
    part: int | None = None
    scratch: ScratchBytes = NO_SCRATCH
    apart: tuple[int, ...] = ()
    multithreaded: bool = True
    format: BlockFormat | None = None

    @property
    def label(self) -> str:
        return self.function.label

    @property
    def kernel(self) -> str:  # type: ignore[override]  # as above
        """What calls the function: one that a device may have too, where it is of threads."""
        return "call" if self._threads is None else "threads"

    @property
    def _threads(self) -> Any:
        """The body of threads that the function computes, which devices may compute; else None."""
        return getattr(self.function.function, "thread_body", None)

    def lacking_on(self, device: str) -> str | None:
        return None if self._threads is None else self._threads.lacking_on(device)

    @property
    def any_format(self) -> bool:  # type: ignore[override]  # it depends on the function
        return takes_formats(self.function)

    def infer(self, *inputs: TensorType) -> TensorType:
        signature = self.signature(*inputs)
        for number, (x, read) in enumerate(zip(inputs, signature.inputs, strict=True)):
            box = read.of_range(signature.space)
            if any(n > hi for n, hi in zip(x.shape, box.hi, strict=True)) and not box.is_empty:
                raise SignatureError(
                    f"{self.function.name}: it reads {box} of input {number}, which is {x}"
                )
        shape = signature.written(signature.space).shape
        return TensorType(shape, self.dtype, self._dims(signature, inputs))

    def _dims(self, signature: Signature, inputs: Types) -> tuple[str | None, ...] | None:
        """Names of the inputs' dimensions that follow the same index as the output's."""
        names: dict[int, str] = {}
        for x, read in zip(inputs, signature.inputs, strict=True):
            for name, row in zip(x.dims or (), read.matrix, strict=False):
                moving = [d for d, c in enumerate(row) if c]
                if name is not None and len(moving) == 1:
                    names.setdefault(moving[0], name)
        owners = [signature.owner(0, axis) for axis in range(signature.outputs[0].out_ndim)]
        dims = tuple(None if d is None else names.get(d) for d in owners)
        given = [d for d in dims if d is not None]
        return dims if given and len(set(given)) == len(given) else None

    def signature(self, *inputs: TensorType) -> Signature:
        if self.part is None or self.cut is None:
            return Signature(self.index, self.reads, (self.writes,))
        cut, part = self.cut, self.part
        steps = -(-self.index[cut].extent // part)
        index = list(self.index)
        index[cut] = IndexDim(index[cut].name, steps, Kind.PARALLEL)
        reads = tuple(with_longer_steps(read, cut, part) for read in self.reads)
        lead = tuple(int(d == cut) for d in range(len(index)))
        writes = IndexProjection(
            (lead, *self.writes.matrix),
            (0, *self.writes.offset),
            (1, *self.writes.shape),
            in_ndim=len(index),
        )
        return Signature(tuple(index), reads, (writes,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        boxes = signature_of(self, inputs).demand(box)
        return tuple(x.clip(b) for b, x in zip(boxes, inputs, strict=True))

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        """Its demands; of windows that lie apart each by itself, where these are few."""
        signature = signature_of(self, inputs)
        found = pieces_apart(signature, inputs, box, self.apart) if self.apart else None
        return tuple(enumerate(self.demand(inputs, box))) if found is None else found

    def folded(self, inputs: Types) -> int | None:
        return self.cut if self.part is None else None

    def in_parts(self, part: int) -> UserOperator:
        return replace(self, part=part)

    def combine(self, parts: Tensor) -> Tensor:
        if isinstance(self.folding, Fold):
            return apply(self.folding, parts)
        tree = Tree(parts.type.shape[:1])
        return reduce(parts, str(self.folding), 0, dtype=self.dtype, tree=tree)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        signature = signature_of(self, inputs)
        written_box = signature.written(signature.index_range(box))
        shape, part_slices = written_box.shape, None
        if self.part is not None:
            shape = shape[1:]
            points = signature.index_range(box)
            part_slices = [self._places(points, p, boxes) for p in range(box.lo[0], box.hi[0])]
        return {
            "function": self.function,
            "shape": shape,
            "keep": tuple(
                slice(a - m, b - m) for a, b, m in zip(box.lo, box.hi, written_box.lo, strict=True)
            ),
            "dtype": self.dtype,
            "parts": part_slices,
            "calls": self._calls(signature, inputs, box, boxes),
            "foreign": self.format is not None,
        }

    def _calls(
        self, signature: Signature, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]
    ) -> list[WindowCallPart] | None:
        """The calls for windows that lie apart; None for one call of all."""
        if not self.apart:
            return None
        numbers = [number for number, _ in self.pieces(inputs, box)]
        held = list(zip(numbers, boxes, strict=True))
        return calls_apart(signature, inputs, box, self.apart, held)

    def _places(
        self, points: ZRange, number: int, boxes: tuple[ZRange, ...]
    ) -> list[tuple[slice, ...]]:
        """What a part reads of each input's block, for the index points of a block."""
        terms = self._part_of(points, number)
        reads = [read.of_range(terms) for read in self.reads]
        return [read.slices(box) for read, box in zip(reads, boxes, strict=True)]

    def _part_of(self, points: ZRange, number: int) -> ZRange:
        """The index points of one part."""
        cut, part = self.cut or 0, self.part or 1
        end = min((number + 1) * part, self.index[cut].extent)
        return points.replace(cut, number * part, end)

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return self.format

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        if self.part is not None:
            return None
        index_region = [Progression(0, 1, dim.extent) for dim in self.index]
        yields, separate = list(region), list(self.apart)
        extents = [dim.extent for dim in self.index]
        signature = signature_of(self, inputs)
        for axis, cells in enumerate(region):
            dim, width = signature.owner(0, axis), self.writes.shape[axis]
            if dim is None:
                yields[axis] = Progression(0, 1, width)
            elif width == 1 and all(moves_by_cells(projection, dim) for projection in self.reads):
                index_region[dim] = cells
            elif self._leaves_windows_out(inputs, extents, dim, width, cells):
                index_region[dim] = cells
                separate.append(dim)
            else:
                first, end = cells.start // width, (cells.stop - 1) // width + 1
                index_region[dim] = Progression(first, 1, end - first)
                yields[axis] = Progression(first * width, 1, (end - first) * width)
        index = tuple(
            replace(d, extent=k.count) for d, k in zip(self.index, index_region, strict=True)
        )
        parts = [restricted(projection, index_region) for projection in self.reads]
        reads = tuple(projection for projection, _ in parts)
        operator = replace(self, index=index, reads=reads, apart=tuple(sorted(set(separate))))
        return Restriction(operator, tuple(place for _, place in parts), Region(yields))

    def _leaves_windows_out(
        self,
        inputs: Types,
        extents: Sequence[int],
        dim: int,
        width: int,
        cells: Progression,
    ) -> bool:
        """Whether a region leaves out windows, of which it is worth to read none."""
        if not self.skips or self.folding is not None or not left_out(cells, width):
            return False
        return are_apart(self.reads, inputs, extents, dim, cells.step)

    def flops(self, inputs: Types, box: ZRange) -> int:
        """The declared number; else one a cell of the largest operand at each index point."""
        if any(name == "flops" for name, _ in self.costs):
            return round(self.own_costs(inputs, box)["flops"])
        points = self._points(inputs, box)
        steps = prod(points[dim.name] for dim in self.index if dim.kind is not Kind.ATOMIC)
        return steps * max(1, *[prod(one.shape) for one in (*self.reads, self.writes)])

    def own_costs(self, inputs: Types, box: ZRange) -> Mapping[str, float]:
        points = self._points(inputs, box)
        return {
            name: sum(factor * prod(points[d] for d in dims) for dims, factor in terms)
            for name, terms in self.costs
        }

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        if not self.scratch.each:
            return 0
        points = prod(self._points(inputs, box).values())
        return min(ceil(self.scratch.each * points), self.scratch.most)

    def _points(self, inputs: Types, box: ZRange) -> dict[str, int]:
        """Extent of each index dimension in a block."""
        signature = signature_of(self, inputs)
        extents = list(signature.index_range(box).shape)
        if self.part is not None and self.cut is not None:
            extents[self.cut] = min(extents[self.cut] * self.part, self.index[self.cut].extent)
        return {dim.name: n for dim, n in zip(self.index, extents, strict=True)}

    def text(self) -> str:
        return self.function.name + (f", parts of {self.part}" if self.part is not None else "")

    def way_out(self) -> str:
        whole = [dim.name for dim in self.index if dim.kind is Kind.SEQUENTIAL]
        if not whole:
            return ""
        return (
            f"dimension {whole[0]} is sequential, and so not cut: with dt.scan_over(...) its kind "
            "says what a part has to know of those before it"
        )

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if self.apart:
            return self._reference_apart(inputs)
        if self.part is None or self.cut is None:
            return self._packed(self.function(*inputs))
        space = ZRange((0,) * len(self.index), tuple(dim.extent for dim in self.index))
        partials = []
        for number in range(-(-self.index[self.cut].extent // self.part)):
            terms = self._part_of(space, number)
            boxes = [read.of_range(terms) for read in self.reads]
            parts = [x[box.slices()] for x, box in zip(inputs, boxes, strict=True)]
            partials.append(self._packed(self.function(*parts)))
        return np.stack(partials)

    def _reference_apart(self, inputs: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        types = tuple(TensorType(x.shape, x.dtype) for x in inputs)
        whole = np.empty(self.infer(*types).shape, self.dtype)
        pieces = tuple(enumerate(x.box for x in types))
        signature = signature_of(self, types)
        for call in calls_apart(signature, types, ZRange.of_shape(whole.shape), self.apart, pieces):
            blocks = [inputs[at][place] for at, place in call.places]
            whole[call.into] = self._packed(self.function(*blocks))[call.keep]
        return whole

    def _packed(self, result: Any) -> np.ndarray[Any, Any]:
        names = self.dtype.names
        if names is None:
            return np.asarray(result, self.dtype)
        rank = np.ndim(result[0]) - len(self.dtype[names[0]].shape)
        packed = np.empty(np.shape(result[0])[:rank], self.dtype)
        for name, value in zip(names, result, strict=True):
            packed[name] = value
        return packed


@dataclass(frozen=True)
class Finalize(UserOperator):
    """A function of blocks that is applied to folded results, in the step that yields them."""

    name = "finalize"
    transparent = True
    skips = False

    def turns(self, inputs: Types) -> Turns | None:
        """None: the user's function sees the blocks of the plan."""
        return None


def cut_dimension(index: Sequence[IndexDim], reads: Sequence[IndexProjection]) -> int | None:
    """The longest reduction dimension that moves no input backwards: parts of it can be taken."""
    fitting = [
        d
        for d, dim in enumerate(index)
        if dim.kind is Kind.REDUCTION and all(row[d] >= 0 for r in reads for row in r.matrix)
    ]
    return max(fitting, key=lambda d: index[d].extent, default=None)

"""User scans: functions that run along a dimension, cut in parts whose totals are scanned.

Parts of a fixed length are scanned by themselves; what they come to is combined along all parts;
and the cells of a part, which is computed again, with what came before it. Parts do not depend on
any plan, so the bits do not either.

Source: Tapestry whitepaper, "Signature Nodes".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.first import first_of
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.tuning import SCANNED_STEPS
from dask_tapestry.operators.user.block_function import applied, call_blocks
from dask_tapestry.operators.user.user_monoid import UFUNC_OF, Monoid
from dask_tapestry.operators.user.user_operator import Costs
from dask_tapestry.operators.user.user_signature import SignatureSpec, projection
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import IndexDim, Kind, Node, Tensor
from dask_tapestry.zspace import IndexProjection, ZRange

DTypes = Mapping[str, np.dtype[Any]]
Window = tuple[int, int, int]  # axis of an input; the cells a step moves along it; those it reads


@dataclass(frozen=True)
class PartwiseFunction:
    """A function of blocks, called for each part of a dimension; results are joined.

    Attributes
    ----------
    function
        Of one part of each block.
    windows
        For each input the axes that the dimension moves, a part being a step.
    axis
        Of the outputs, which follows the dimension.
    ends
        Whether the last cell alone of each part is kept.
    combine
        Combines what came before a part, which further blocks have, with its cells.
    """

    function: UserFunction
    windows: tuple[tuple[Window, ...], ...]
    axis: int
    ends: bool = False
    combine: Callable[..., Any] | None = None

    @property
    def __name__(self) -> str:
        return self.function.name

    def __call__(self, *blocks: Any) -> Any:
        input_blocks, before = blocks[: len(self.windows)], blocks[len(self.windows) :]
        moving = ((n, w[0]) for n, w in enumerate(self.windows) if w)
        number, (axis, step, width) = first_of(moving, "input that is read in order")
        results_by_part = []
        for part in range((input_blocks[number].shape[axis] - width) // step + 1):
            pieces = []
            for block, windows in zip(input_blocks, self.windows, strict=True):
                sides = [slice(None)] * block.ndim
                for at, pace, wide in windows:
                    sides[at] = slice(part * pace, part * pace + wide)
                pieces.append(block[tuple(sides)])
            result = self.function(*pieces)
            results = tuple(result) if isinstance(result, tuple | list) else (result,)
            results_by_part.append(self._finished(results, before, part))
        joined = tuple(np.concatenate(one, self.axis) for one in zip(*results_by_part, strict=True))
        return joined if len(joined) > 1 else joined[0]

    def _finished(self, results: tuple[Any, ...], before: Sequence[Any], part: int) -> Any:
        if self.ends:
            return tuple(np.take(one, [-1], self.axis) for one in results)
        if self.combine is None:
            return results
        carried = (np.take(one, [part], self.axis) for one in before)
        pairs = zip(carried, results, strict=True)
        return _combined(
            self.combine, tuple(np.broadcast_to(a, b.shape) for a, b in pairs), results
        )


@dataclass(frozen=True)
class Scanned:
    """What parts come to, combined along `axis`: each with all before it."""

    combine: Callable[..., Any]
    axis: int

    @property
    def __name__(self) -> str:
        return f"scan of {name_of(self.combine)}"

    def __call__(self, *totals: Any) -> Any:
        lines = [np.moveaxis(total, self.axis, 0) for total in totals]
        scanned_lines = [np.empty_like(line) for line in lines]
        last: tuple[Any, ...] = tuple(line[0] for line in lines)
        for number in range(len(lines[0])):
            if number:
                last = _combined(self.combine, last, tuple(line[number] for line in lines))
            for scanned_line, value in zip(scanned_lines, last, strict=True):
                scanned_line[number] = value
        results = tuple(np.moveaxis(line, 0, self.axis) for line in scanned_lines)
        return results if len(results) > 1 else results[0]


def _combined(
    combine: Callable[..., Any], a: tuple[Any, ...], b: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Two tuples of values, or two values, as the function takes them."""
    if len(a) > 1:
        return tuple(combine(a, b))
    return (combine(a[0], b[0]),)


def scan_blocks(
    function: UserFunction,
    written: SignatureSpec,
    tensors: Sequence[Tensor],
    dtypes: DTypes,
    costs: Costs = (),
    after: Sequence[Node] = (),
) -> tuple[Tensor, ...]:
    """Outputs of a function that scans a dimension, the only one of kind ``sequential``.

    Raises
    ------
    SignatureError
        If signature and shapes do not fit, or the dimension moves an axis with another one.
    """
    scan = _Scan(written, tensors)
    whole, tail = divmod(scan.extent, SCANNED_STEPS)
    if scan.extent <= SCANNED_STEPS:
        return call_blocks(function, written, tensors, dtypes, costs, after)
    first = scan.parts(
        PartwiseFunction(function, (), scan.axis), (0, 1, SCANNED_STEPS), dtypes, costs, after
    )
    kinds = {name: x.type.dtype for (name, _), x in zip(written.outputs, first, strict=True)}
    ended = whole if tail else whole - 1  # parts that others follow
    ends = PartwiseFunction(function, (), scan.axis, ends=True)
    totals = scan.parts(ends, (0, ended, SCANNED_STEPS), kinds, costs, after)
    if ended > 1:
        totals = scan.totals(totals, kinds)
    carried = PartwiseFunction(function, (), scan.axis, combine=scan.combine)
    pieces = [first]
    for start, count, width in ((1, whole - 1, SCANNED_STEPS), (whole, 1 if tail else 0, tail)):
        if count:
            before = scan.output_parts(totals, start - 1, start - 1 + count)
            place = (start * SCANNED_STEPS, count, width)
            pieces.append(scan.parts(carried, place, kinds, costs, after, before))
    return tuple(concat(one, scan.axis) for one in zip(*pieces, strict=True))


class _Scan:
    """A scan with its extents.

    Attributes
    ----------
    number, extent
        Of the dimension that is scanned.
    axis
        Of the outputs, which follows it.
    """

    def __init__(self, written: SignatureSpec, tensors: Sequence[Tensor]) -> None:
        self.written = written
        numbers = (n for n, (_, k, _) in enumerate(written.index) if k is Kind.SEQUENTIAL)
        self.number = first_of(numbers, "sequential dimension")
        made, self.tensors = applied(self._with(Kind.PARALLEL, None), tensors)
        self.reads, self.index = made.reads, made.index
        self.extent = made.index[self.number].extent
        form = written.outputs[0][1]
        assert isinstance(form, tuple)
        self.names, self.axis = form, form.index(written.names[self.number])
        monoid = written.monoid
        assert monoid is not None
        self.combine = monoid.combine if isinstance(monoid, Monoid) else UFUNC_OF[str(monoid)]

    def _with(self, kind: Kind, extent: int | None) -> SignatureSpec:
        """The signature with another kind and extent of the dimension, and no monoid."""
        index = list(self.written.index)
        name, _, given = index[self.number]
        index[self.number] = (name, kind, given if extent is None else extent)
        return replace(self.written, index=tuple(index), monoid=None)

    def part_index(self, part: slice) -> tuple[slice, ...]:
        """The index of outputs that takes a part along the dimension."""
        return tuple(part if a == self.axis else slice(None) for a in range(len(self.names)))

    def output_parts(self, tensors: Sequence[Tensor], start: int, stop: int) -> tuple[Tensor, ...]:
        """Parts of outputs."""
        return tuple(basic_slice(x, self.part_index(slice(start, stop))) for x in tensors)

    def parts(
        self,
        function: PartwiseFunction,
        part_range: tuple[int, int, int],
        dtypes: DTypes,
        costs: Costs,
        after: Sequence[Node],
        before: Sequence[Tensor] = (),
    ) -> tuple[Tensor, ...]:
        """What a function makes of parts: from which step, how many, and of how many steps each.

        `before` is what came before each part.
        """
        start, count, width = part_range
        index = tuple(
            replace(dim, extent=count * width) if n == self.number else dim
            for n, dim in enumerate(self.index)
        )
        lo = [start if n == self.number else 0 for n in range(len(index))]
        space = ZRange(lo, [a + dim.extent for a, dim in zip(lo, index, strict=True)])
        slices, forms, windows = [], [], []
        for x, read in zip(self.tensors, self.reads, strict=True):
            box = read.of_range(space)
            slices.append(basic_slice(x, box.slices()))
            longer = self._lengthened(read, box, space, width)
            forms.append(longer)
            windows.append(self._windows(longer))
        names = [name for name, _ in self.written.inputs]
        totals = tuple((f"before {name}", self.names) for name, _ in self.written.outputs)
        form = self.names if function.ends else self._wide(index, width)
        written = replace(
            self._with(Kind.PARALLEL, count),
            inputs=(*zip(names, forms, strict=True), *(totals if before else ())),
            outputs=tuple((name, form) for name, _ in self.written.outputs),
        )
        parted = UserFunction.of(replace(function, windows=tuple(windows)))
        return call_blocks(parted, written, [*slices, *before], dtypes, costs, after)

    def _windows(self, read: IndexProjection) -> tuple[Window, ...]:
        return tuple(
            (axis, row[self.number], read.shape[axis])
            for axis, row in enumerate(read.matrix)
            if row[self.number]
        )

    def _lengthened(
        self, read: IndexProjection, box: ZRange, space: ZRange, width: int
    ) -> IndexProjection:
        """A projection whose steps along the dimension take `width`; `box` is its origin."""
        rows, sides, strides = [], list(read.shape), list(read.stride)
        for axis, row in enumerate(read.matrix):
            pace = row[self.number]
            if pace < 0 or (pace and sum(map(bool, row)) > 1):
                raise self.written.error(
                    f"{self.written.names[self.number]} is scanned: it moves an axis of an input "
                    "forwards, and alone"
                )
            if pace:
                sides[axis], strides[axis] = read.extent[axis] + pace * (width - 1), 1
            rows.append([c * width if n == self.number else c for n, c in enumerate(row)])
        first = read.affine(space.lo)
        offset = [a - lo for a, lo in zip(first, box.lo, strict=True)]
        return IndexProjection(rows, offset, sides, strides, read.in_ndim)

    def _wide(self, index: Sequence[IndexDim], width: int) -> IndexProjection:
        """The outputs' projection where a step is `width` cells along the dimension."""
        cells = projection(self.names, index)
        rows = [
            [c * width if n == self.number else c for n, c in enumerate(row)]
            for row in cells.matrix
        ]
        sides = [width if axis == self.axis else 1 for axis in range(len(self.names))]
        return IndexProjection(rows, cells.offset, sides, 1, cells.in_ndim)

    def totals(self, ends: Sequence[Tensor], dtypes: DTypes) -> tuple[Tensor, ...]:
        """What parts come to, each with all before it."""
        index = tuple(
            (name, Kind.ATOMIC if a == self.axis else Kind.PARALLEL, None)
            for a, name in enumerate(self.names)
        )
        inputs = tuple((name, self.names) for name, _ in self.written.outputs)
        written = SignatureSpec(self.written.owner, index, inputs, inputs)
        scanned = UserFunction.of(Scanned(self.combine, self.axis))
        return call_blocks(scanned, written, ends, dtypes)

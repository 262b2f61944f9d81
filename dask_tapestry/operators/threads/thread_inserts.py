"""Thread inserts: the parts that threads write, put into a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.errors import ConstraintError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.generators.coordinates import INDEX_DTYPE, coordinates
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.indexing.scatter import scatter_places
from dask_tapestry.operators.joins.insert import insert
from dask_tapestry.operators.threads.affine_cells import Affine, affine_of
from dask_tapestry.operators.threads.thread_tiles import (
    Piece,
    Tiles,
    TooManyThreadsError,
    pieces,
    runs,
)
from dask_tapestry.operators.threads.thread_write_conflicts import overlapping_parts
from dask_tapestry.operators.threads.threads import Threads, ThreadValue, replaced, thread_values
from dask_tapestry.operators.tuning import (
    CHECKED_START_BYTES,
    COMPARED_CELL_BYTES,
    MOST_CHECK_SCRATCH,
    MOST_INSERT_PIECES,
)
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_operator import ScratchBytes
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Kind, Node, Progression, Tensor, TensorType
from dask_tapestry.zspace import ZRange


class ThreadInsert(NamedTuple):
    """What every thread writes into a tensor.

    Attributes
    ----------
    threads
        Those that write.
    value
        Of one thread, in the tensor's dtype.
    starts
        Where its part begins, integers without dimensions.
    strides
        Between the cells of its part.
    into
        Type of the tensor.
    last
        Whether the highest id wins where two threads write one cell.
    check
        Whether starts that cells tell are checked.
    """

    threads: Threads
    value: Tensor
    starts: tuple[Tensor, ...]
    strides: tuple[int, ...]
    into: TensorType
    last: bool
    check: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written."""
        return 0 in self.threads.extents or 0 in self.value.type.shape

    def tiles(self) -> Tiles | None:
        """The boxes that threads write, if their ids determine them; else None."""
        forms = [affine_of(start, self.threads.ids) for start in self.starts]
        known = tuple(form for form in forms if form is not None)
        if len(known) < len(forms):
            return None
        return Tiles(known, self.value.type.shape, self.strides, self.threads.extents)


class InsertPart(NamedTuple):
    """Cells, and the progressions along each axis where they go."""

    into: tuple[Progression, ...]
    cells: Tensor


class Scattered(NamedTuple):
    """Cells, and the coordinates of each; the last of several for one place counts."""

    places: tuple[Tensor, ...]
    cells: Tensor


Cells = tuple[InsertPart, ...] | Scattered


def inserted(x: Tensor, cells: Cells) -> Tensor:
    """`x` with `cells` in their places."""
    dims = x.type.dims
    made = _inserted(x, cells)
    return made if made.type.dims == dims else rename(made, dims or (None,) * x.type.ndim)


def _inserted(x: Tensor, cells: Cells) -> Tensor:
    if isinstance(cells, Scattered):
        if not x.type.ndim:
            return basic_slice(cells.cells, (-1,) * cells.cells.type.ndim)
        return scatter_places(x, cells.places, range(x.type.ndim), 0, cells.cells)
    for part in cells:
        x = insert(x, part.into, part.cells)
    return x


def thread_cells(inserts: Sequence[ThreadInsert]) -> tuple[Cells, ...]:
    """What all threads write, for each of `inserts`; those of the same threads by one operator.

    Raises
    ------
    ShapeError
        If a thread reads or writes cells that are not there.
    ConstraintError
        If two threads write one cell, and the last one does not count.
    """
    counted = [_counted(one) for one in inserts]
    by_number: dict[int, Cells] = {n: () for n, one in enumerate(counted) if one.is_empty}
    for threads in dict.fromkeys(one.threads for one in counted):
        numbers = [
            n for n, one in enumerate(counted) if one.threads == threads and n not in by_number
        ]
        plans = [_PartPlacement(counted[n]) for n in numbers]
        wanted = list(dict.fromkeys(w for plan in plans for w in plan.wanted))
        made = dict(zip(wanted, thread_values(threads, wanted), strict=True)) if wanted else {}
        for number, plan in zip(numbers, plans, strict=True):
            by_number[number] = plan.cells([made[w] for w in plan.wanted])
    return tuple(by_number[n] for n in range(len(counted)))


def _counted(insert: ThreadInsert) -> ThreadInsert:
    """The insert without ids of extent 1; the first id is kept if there is no other."""
    name, ids, extents, called = insert.threads
    keep = [d for d, n in enumerate(extents) if n != 1] or [0]
    zero = full((), np.int64(0))
    gone: dict[Node, Tensor] = {node: zero for d, node in enumerate(ids) if d not in keep}
    value, *starts = replaced([insert.value, *insert.starts], gone)
    if len(keep) < len(ids):
        lines = [tuple(int(d == dim) for d in range(len(ids))) for dim in range(len(ids))]
        now = called or [Affine(line, 0) for line in lines]
        called = tuple(Affine(tuple(a.coefficients[d] for d in keep), a.constant) for a in now)
    kept = tuple(ids[d] for d in keep), tuple(extents[d] for d in keep)
    threads = Threads(name, *kept, called)
    return insert._replace(threads=threads, value=value, starts=tuple(starts))


class _PartPlacement:
    """How the parts of one insert are put in their places.

    Attributes
    ----------
    wanted
        The values of threads that it takes.
    """

    def __init__(self, one: ThreadInsert) -> None:
        self.one, self.tiles = one, one.tiles()
        self.pieces: list[Piece] | None = None
        if self.tiles is None:
            starts = [ThreadValue(start) for start in one.starts]
            self.wanted = [ThreadValue(one.value), *starts]
            return
        apart = self._checked(self.tiles)
        if apart and self.tiles.is_product:
            self.pieces = pieces(self.tiles, MOST_INSERT_PIECES)
        axes = _direct(self.tiles) if self.pieces is not None else ()
        self.wanted = [ThreadValue(one.value, axes)]

    def _checked(self, tiles: Tiles) -> bool:
        """Whether no two threads write one cell; an error for what is not allowed."""
        name, into = self.one.threads.name, self.one.into
        shown, thread = self.one.threads.shown, tiles.outside(into.shape)
        if thread is not None:
            raise ShapeError(f"{name}: thread {shown(thread)} writes {tiles.box(thread)} of {into}")
        try:
            meeting = tiles.overlap()
        except TooManyThreadsError:
            if self.one.last:
                return False
            raise ConstraintError(
                f"{name}: there are too many threads to tell whether two write one cell of {into}: "
                "let each id move an axis of its own, or give on_overlap='last'"
            ) from None
        if meeting is None:
            return True
        if self.one.last:
            return False
        a, b = (tiles.box(thread) for thread in meeting)
        raise ConstraintError(
            f"{name}: threads {shown(meeting[0])} and {shown(meeting[1])} both write cells of "
            f"{_overlap(a, b)} of {into}: give on_overlap='last' to let the highest id win"
        )

    def cells(self, tensors: Sequence[Tensor]) -> Cells:
        """The cells of all threads, of the tensors that were `wanted`."""
        tiles, one = self.tiles, self.one
        if tiles is None:
            return _by_starts(one, tensors[0], tensors[1:])
        if self.pieces is None:
            return Scattered(_places(one, [None] * len(one.starts), tiles.starts), tensors[0])
        digits = _in_digits(tiles, tensors[0], bool(self.wanted[0].axes))
        return tuple(_part(piece, digits) for piece in self.pieces)


def _overlap(a: ZRange, b: ZRange) -> ZRange:
    return ZRange(tuple(map(max, a.lo, b.lo)), tuple(map(min, a.hi, b.hi)))


def _direct(tiles: Tiles) -> tuple[int | None, ...]:
    """The id that each axis follows, where parts lie side by side in its order; else ()."""
    axes: list[int | None] = []
    for axis, start in enumerate(tiles.starts):
        moving = [dim for dim, c in enumerate(start.coefficients) if c]
        digits = tiles.digits(axis)
        if len(moving) > 1 or any(start.coefficients[dim] < 0 for dim in moving):
            return ()
        if len(digits) == 2 and digits[0].dim is None:
            return ()
        axes.append(moving[0] if moving else None)
    followed = [dim for dim in axes if dim is not None]
    return tuple(axes) if sorted(followed) == list(range(len(tiles.extents))) else ()


def _in_digits(tiles: Tiles, x: Tensor, direct: bool) -> Tensor:
    """The values of threads with a dimension for each run of each axis, in ascending order."""
    rank, ndim = len(tiles.extents), len(tiles.starts)
    axes = [tiles.digits(axis) for axis in range(ndim)]
    if not direct:
        back = tuple(slice(None, None, -1 if tiles.backward(dim) else None) for dim in range(rank))
        order = [
            rank + axis if digit.dim is None else digit.dim
            for axis, digits in enumerate(axes)
            for digit in digits
        ]
        order += [dim for dim in range(rank + ndim) if dim not in order]
        x = permute(basic_slice(x, back), order)
    return reshape(x, [run.places for digits in axes for run in runs(digits)])


def _part(piece: Piece, digits: Tensor) -> InsertPart:
    """A piece of the cells, with the slices of the target that it goes to."""
    key = tuple(slice(None) if at is None else at for places in piece.places for at in places)
    into = zip(piece.starts, piece.steps, piece.counts, strict=True)
    cells = reshape(basic_slice(digits, key), list(piece.counts))
    return InsertPart(tuple(Progression(*one) for one in into), cells)


def _places(
    insert: ThreadInsert, starts: Sequence[Tensor | None], forms: Iterable[Affine]
) -> tuple[Tensor, ...]:
    """The coordinates of each cell: of starts that are tensors, and of multiples of ids."""
    extents, sizes = insert.threads.extents, insert.value.type.shape
    rank = len(extents) + len(sizes)
    progressions = []
    for axis, (start, form) in enumerate(zip(starts, forms, strict=True)):
        terms = [] if start is None else [reshape(start, [*extents, *(1,) * len(sizes)])]
        lines = [*zip(form.coefficients, extents, range(len(extents)), strict=True)]
        lines.append((insert.strides[axis], sizes[axis], len(extents) + axis))
        for factor, extent, dim in lines:
            if factor and extent > 1:
                sides = [extent if d == dim else 1 for d in range(rank)]
                line = elementwise("multiply", coordinates((extent,), 0), factor)
                terms.append(reshape(line, sides))
        total = full((1,) * rank, np.int64(form.constant))
        for term in terms:
            total = elementwise("add", total, term)
        progressions.append(broadcast(total, (*extents, *sizes)))
    return tuple(progressions)


def _by_starts(insert: ThreadInsert, cells: Tensor, starts: Sequence[Tensor]) -> Scattered:
    """Cells in places that are known when they are computed."""
    shape, sizes = insert.into.shape, insert.value.type.shape
    meets = insert.check and not insert.last
    guard = StartsCheck(
        insert.threads.name, shape, sizes, insert.strides, meets, insert.threads.called
    )
    names = tuple(f"t{dim}" for dim in range(len(insert.threads.extents)))
    index = tuple((name, Kind.ATOMIC, None) for name in names)
    written = SignatureSpec(
        guard.__name__,
        index,
        tuple((f"x{axis}", names) for axis in range(len(starts))),
        tuple((f"z{axis}", names) for axis in range(len(starts))),
    )
    dtypes = {f"z{axis}": INDEX_DTYPE for axis in range(len(starts))}
    given = [astype(start, INDEX_DTYPE) for start in starts]
    checked = call_blocks(UserFunction.of(guard), written, given, dtypes, scratch=guard.scratch)
    none = Affine((0,) * len(names), 0)
    return Scattered(_places(insert, checked, [none] * len(checked)), cells)


@dataclass(frozen=True)
class StartsCheck:
    """The starts of threads' parts as they are, unless a part lies outside or two parts meet.

    Attributes
    ----------
    name
        Of what the threads run.
    shape
        Of what they write into.
    sizes, strides
        Of a thread's part.
    meets
        Whether parts that meet are refused.
    called
        The numbers that a user knows a thread by, as of `Threads`.
    """

    name: str
    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    meets: bool
    called: tuple[Affine, ...] = ()

    @property
    def __name__(self) -> str:
        return "checked_starts"

    @property
    def scratch(self) -> ScratchBytes:
        """What a check of all threads takes: where cells lie in memory, and their order."""
        cells = prod(self.sizes) if self.meets else 0
        return ScratchBytes(CHECKED_START_BYTES + cells * COMPARED_CELL_BYTES, MOST_CHECK_SCRATCH)

    def __call__(self, *starts: Any) -> Any:
        outside = np.zeros(starts[0].shape, bool)
        limits = zip(starts, self.shape, self.sizes, self.strides, strict=True)
        for start, extent, size, stride in limits:
            outside |= (start < 0) | (start + stride * (size - 1) >= extent)
        if outside.any():
            thread = tuple(map(int, np.argwhere(outside)[0]))
            where = self._box(starts, thread)
            raise ShapeError(f"{self.name}: thread {self._shown(thread)} writes {where}")
        if self.meets:
            self._refuse_meeting(starts)
        return starts if len(starts) > 1 else starts[0]

    def _shown(self, thread: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(one.of(thread) for one in self.called) if self.called else thread

    def _box(self, starts: Sequence[Any], thread: tuple[int, ...]) -> ZRange:
        lo = [int(start[thread]) for start in starts]
        spans = zip(lo, self.sizes, self.strides, strict=True)
        return ZRange(lo, [a + step * (n - 1) + 1 for a, n, step in spans])

    def _refuse_meeting(self, starts: Sequence[Any]) -> None:
        flat = [np.ravel(start) for start in starts]
        met = overlapping_parts(flat, self.shape, self.sizes, self.strides)
        if met is None:
            return
        found = [np.unravel_index(number, np.shape(starts[0])) for number in met]
        threads = [tuple(map(int, one)) for one in found]
        a, b = (self._box(starts, thread) for thread in threads)
        first, second = map(self._shown, threads)
        raise ConstraintError(
            f"{self.name}: threads {first} and {second} both write cells of {_overlap(a, b)}: give "
            "on_overlap='last' to let the highest id win"
        )

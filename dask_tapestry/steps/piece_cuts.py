"""Where a block is cut into pieces, which are computed one after the other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, pairwise, product

from dask_tapestry.steps.chunk_alignment import computed_together
from dask_tapestry.steps.own_order import computes_again
from dask_tapestry.steps.piece_alignment import piece_edges
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.reading_places import part_ends
from dask_tapestry.steps.tuning import (
    LEAST_PIECE_BYTES,
    MOST_JOINTS,
    MOST_PIECES,
    PIECE_BYTES,
    PIECES_A_TASK,
)
from dask_tapestry.steps.window import Line
from dask_tapestry.zspace import ZRange


def piece_bytes_of(task_bytes: int) -> int | None:
    """Bytes of pieces where a task may take so many; None for the usual ones, where it may more.

    Examples
    --------
    >>> piece_bytes_of(40 * 2**20) == 8 * 2**20, piece_bytes_of(2**30) is None
    (True, True)
    """
    most = 1 << (max(1, task_bytes // PIECES_A_TASK)).bit_length() - 1
    return max(LEAST_PIECE_BYTES, most) if most < PIECE_BYTES else None


def between_joints(
    program: Program, box: ZRange, edges: tuple[Line, ...]
) -> tuple[Line, ...] | None:
    """The edges of pieces, and of parts of a block that are read in ways of their own.

    Where a piece lies in one part, what is joined is there: else all of it is copied. So the cells
    at the ends of what is rolled or padded are computed by themselves. None where none are.
    """
    if not _joins(program, box):
        return None
    found = tuple([_with_ends(program, dim, line) for dim, line in enumerate(edges)])
    return None if found == edges else found


def pieces_at_joints(program: Program, edges: tuple[Line, ...], usual: ZRange) -> Iterator[ZRange]:
    """Pieces between edges that may take more than the usual one: beside where parts meet.

    They join what that reads alone, or are made of something else.
    """
    if not _joins(program, ZRange([line[0] for line in edges], [line[-1] for line in edges])):
        return
    usual_spans = list(zip(usual.lo, usual.hi, strict=True))
    by_dim = [_spans_at_joints(program, dim, line) for dim, line in enumerate(edges)]
    choices = [spans or [own] for spans, own in zip(by_dim, usual_spans, strict=True)]
    for spans in islice(product(*choices), MOST_JOINTS):
        piece = ZRange([a for a, _ in spans], [b for _, b in spans])
        if piece != usual:
            yield piece


def _spans_at_joints(program: Program, dim: int, line: Line) -> list[tuple[int, int]]:
    """The pieces along a dimension before and behind an end of a part, or across it."""
    found = dict[tuple[int, int], None]()
    for end in part_ends(program.anywhere, dim):
        at = bisect_left(line, end)
        found.update(dict.fromkeys(pairwise(line[max(0, at - 1) : at + 2])))
    return list(found)


def _joins(program: Program, box: ZRange) -> bool:
    """Whether something is joined of several parts for a box of the output."""
    first, lasting = len(program.inputs), program.lasting
    if not any(own.passes_alone for own in lasting):
        return False
    works = program.schedule(box).works
    joining = [work for work in works if lasting[work.value - first].passes_alone]
    return any(map(program.copies, joining))


def _with_ends(program: Program, dim: int, line: Line) -> Line:
    inside = [end for end in part_ends(program.anywhere, dim) if line[0] < end < line[-1]]
    together = computed_together(program.anywhere, dim)
    if not inside or together != 1:
        return line
    return tuple(sorted({*line, *inside}))


def usual_piece(edges: tuple[Line, ...]) -> ZRange:
    """The largest piece, or one that is hardly smaller: the last but one along each dimension."""
    spans = [line[-3:-1] if len(line) > 2 else line for line in edges]
    return ZRange([a for a, _ in spans], [b for _, b in spans])


def largest_piece(edges: tuple[Line, ...]) -> ZRange:
    """The largest piece of any."""
    spans = [max(pairwise(line), key=lambda span: span[1] - span[0]) for line in edges]
    return ZRange([a for a, _ in spans], [b for _, b in spans])


def cuts_of_pieces(
    program: Program, box: ZRange, excess: float, along: int | None = None
) -> tuple[Line, ...] | None:
    """Edges of pieces of a block, along each dimension; None where nothing can be cut.

    The block takes `excess` times the bytes that a piece is to take. Where the results of pieces
    are added up, or merged, it is cut `along` one dimension alone.

    What takes more is cut in two at least: chunks that are decoded whole take as much for a few
    cells less, and pieces of pieces would never end.
    """
    excess = min(max(excess, 2.0), MOST_PIECES) if excess > 1 else excess
    edges: list[Line] = list(zip(box.lo, box.hi, strict=True))
    later = list[int]()
    dims = list(range(box.ndim)) if along is None else [along]
    for dim in dims:
        lo, hi = box.lo[dim], box.hi[dim]
        if excess <= 1 or hi - lo < 2:
            continue
        grain = piece_edges(program.anywhere, dim)
        if grain is None or hi - lo <= grain.length:
            continue
        side = grain.side((hi - lo) / excess)
        line = grain.ends(lo, hi, side)
        if dim not in later and computes_again(program, box, dim, line):
            later.append(dim)
            dims.append(dim)
            continue
        edges[dim] = line
        excess *= side / (hi - lo)
    found = tuple(edges)
    if max(map(len, found), default=2) == 2 or not _read_once(program, box, found):
        return None
    return found


def _read_once(program: Program, box: ZRange, edges: tuple[Line, ...]) -> bool:
    """Whether what is stored is read once: ``x + x.T`` reads a block on the diagonal together."""
    if program.reads_single_boxes:
        return True
    whole = program.schedule(box).boxes
    ends = [(line[:2], line[-2:]) for line in edges]
    for spans in ([a for a, _ in ends], [e[n % 2] for n, e in enumerate(ends)]):
        piece = ZRange([a for a, _ in spans], [b for _, b in spans])
        for value, own in enumerate(program.schedule(piece).boxes):
            if len(own) > len(whole[value]) and _stored(program, value, own):
                return False
    return True


def _stored(program: Program, value: int, boxes: tuple[ZRange, ...]) -> int:
    if value < len(program.inputs):
        return 0
    operator = program.instruction(value).operator
    return sum([operator.stored_bytes(box) for box in boxes])

"""Random bits and permutations as functions of the coordinate.

Number c of a draw is number c of NumPy's `Philox` whose key is the seed's and whose counter begins
at ``(0, part, call, page)``, so that any cells can be made without those before them. A page is
2**64 cells; number c of the next page is that of cell 2**64 + c. NumPy's own
generator makes long runs (4.3 ns a cell); placing it takes 2.3 us, which short runs pay dearly
(150 ns a cell in rows of 16). The compiled loop makes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks.philox import ARITY, source
from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address
from dask_tapestry_kernels.formulas.feistel import bits_below, feistel, round_keys
from dask_tapestry_kernels.formulas.philox_rounds import Fraction, Pair
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]
PAGE: Final = 2**64  # cells that one word of the counter tells apart
WIDEST_STEP: Final = 256  # cells between two of a run, from which each cell is a run of its own
PIECE: Final = 32_768  # cells made at a time, so that they are copied while still in cache
SMALL: Final = 16_384  # cells in one run; fewer are not worth a kernel that is not loaded
SMALL_RUN: Final = 512  # cells that are made while NumPy's generator is placed


def random_bits(
    out: Block | None, *, key: Pair, draw: Pair, frame: tuple[int, ...], places: Sequence[range]
) -> Block:
    """64 random bits, as uint64, for each cell at some coordinates of a tensor.

    Parameters
    ----------
    key
        Two words of the seed.
    draw
        Number of the part and of the call, words 2 and 3 of the counter.
    frame
        Shape of the tensor.
    places
        Coordinates along each axis; the result has one cell for each combination.
    """
    return _filled(out, key, draw, frame, places, None)


def random_fraction(
    out: Block | None,
    *,
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
    drop: int,
    least: float,
    dtype: np.dtype[Any],
) -> Block:
    """The bits of `random_bits` as a fraction of all they could be.

    Parameters
    ----------
    key, draw, frame, places
        As of `random_bits`.
    drop
        Number of low bits that are left out.
    least
        Number that is added to the bits before they are scaled.
    dtype
        float32 or float64, of the result.
    """
    return _filled(out, key, draw, frame, places, Fraction(drop, least, dtype))


def _filled(
    out: Block | None,
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
    fraction: Fraction | None,
) -> Block:
    shape = tuple(len(p) for p in places)
    dtype = np.dtype(np.uint64) if fraction is None else fraction.dtype
    direct = out is not None and out.flags.c_contiguous
    block = out if out is not None and direct else np.empty(shape, dtype)
    if block.size:
        found = runs(frame, places)
        cells = block.reshape(-1, found.length)
        for page, starts, part in found.pages_of(cells):
            made = part if part.flags.c_contiguous else np.empty(part.shape, dtype)
            if not fill_compiled(made, starts, found.step, key, draw, fraction, page):
                fill_by_numpy(made, starts, found.step, key, draw, fraction, page)
            if made is not part:
                part[...] = made
    return block


class Runs(NamedTuple):
    """Where cells lie in C order of a tensor.

    Attributes
    ----------
    starts, pages
        Number of the first cell of each run within its page, and the page; None: all on page 0.
    length, step
        Cells of a run, and from one to the next.
    """

    starts: Block
    pages: Block | None
    length: int
    step: int

    def pages_of(self, cells: Block) -> Iterator[tuple[int, Block, Block]]:
        """Runs within one page each: the page, their starts, and their part of `cells`, row by row.

        Neighbouring runs of one page come together; one that goes over the end of its page is two.
        """
        if self.pages is None:
            yield 0, self.starts, cells
            return
        last = self.starts + np.uint64(self.step * (self.length - 1))
        over = last < self.starts
        changes = (self.pages[1:] != self.pages[:-1]) | over[1:] | over[:-1]
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(self.starts)]
        for first, end in pairwise(edges):
            page, starts, part = int(self.pages[first]), self.starts[first:end], cells[first:end]
            if not over[first]:
                yield page, starts, part
                continue
            here = -((int(starts[0]) - PAGE) // self.step)  # cells of the run before the next page
            yield page, starts, part[:, :here]
            yield page + 1, starts + np.uint64(self.step * here), part[:, here:]


def runs(frame: tuple[int, ...], places: Sequence[range]) -> Runs:
    """The cells at `places` of a tensor of shape `frame`, in runs.

    A run is as long as it gets: over the trailing dimensions taken whole and the one before them.
    """
    axis, inner = len(frame), 1
    while axis and places[axis - 1] == range(frame[axis - 1]):
        axis -= 1
        inner *= frame[axis]
    length, step = inner, 1
    if axis and (inner == 1 or len(places[axis - 1]) == 1 or places[axis - 1].step == 1):
        axis -= 1
        length, step = len(places[axis]) * inner, places[axis].step if inner == 1 else 1
    strides = [prod(frame[dim + 1 :]) for dim in range(len(frame))]
    first = sum(p.start * stride for p, stride in zip(places, strides, strict=True))
    lines = [(len(p), p.step * s) for p, s in zip(places[:axis], strides, strict=False)]
    if not 0 < step <= WIDEST_STEP and length > 1:
        lines.append((length, step))
        length, step = 1, 1
    starts, pages = _grid(first, lines, wide=prod(frame) > PAGE)
    return Runs(starts, pages, length, step)


def _grid(first: int, lines: Sequence[Pair], wide: bool) -> tuple[Block, Block | None]:
    """The numbers `first` plus multiples of each line's step, below 2**64, and what is above."""
    low = np.full((1,) * len(lines), first % PAGE, np.uint64)
    high = np.full(low.shape, first // PAGE, np.uint64)
    for dim, (count, step) in enumerate(lines):
        side = [-1 if d == dim else 1 for d in range(len(lines))]
        line = np.arange(count, dtype=np.uint64) * np.uint64(step % PAGE)
        low = low + line.reshape(side)
        if wide:
            above = np.array([number * step // PAGE % PAGE for number in range(count)], np.uint64)
            high = high + above.reshape(side) + (low < line.reshape(side))
    return low.reshape(-1), high.reshape(-1) if wide else None


def fill_by_numpy(
    out: Block,
    starts: Block,
    step: int,
    key: Pair,
    draw: Pair,
    fraction: Fraction | None = None,
    page: int = 0,
) -> None:
    """Write run r, the numbers at ``starts[r] + step * i`` of a page, into ``out[r]``."""
    generator = np.random.Philox(key=np.array(key, np.uint64))
    state = generator.state
    counter = state["state"]["counter"]
    counter[1:] = draw[1], draw[0], page
    converted: Callable[[Block], Block] = (lambda bits: bits) if fraction is None else fraction.of
    piece = max(1, PIECE // step)
    for start, run in zip(starts.tolist(), out, strict=True):
        for at in range(0, len(run), piece):
            part, place = run[at : at + piece], start + step * at
            counter[0], skip = place >> 2, place & 3  # a counter makes four numbers
            generator.state = state
            end = skip + step * (len(part) - 1) + 1
            part[...] = converted(generator.random_raw(end)[skip::step])


def fill_compiled(
    out: Block,
    starts: Block,
    step: int,
    key: Pair,
    draw: Pair,
    fraction: Fraction | None = None,
    page: int = 0,
) -> bool:
    """Do the same in the compiled loop; False where that takes NumPy."""
    if out.size + SMALL_RUN * len(starts) < SMALL:
        return False
    native = compiled(source(fraction), ARITY, "random numbers", out.size)
    if native is None:
        return False
    numbers = [n - 2**64 if n >= 2**63 else n for n in (*key, *draw, page)]
    native(address(out), address(starts), len(out), out.shape[1], step, *numbers)
    return True


def permutation(
    out: Block | None,  # noqa: ARG001
    *,
    key: Pair,
    draw: Pair,
    extent: int,
    as_table: bool,
    places: range,
) -> Block:
    """Where the cells `places` of ``range(extent)`` go in a random permutation."""
    if as_table:
        return table(key, draw, extent)[places.start : places.stop : places.step]
    result = np.empty(len(places), np.int64)
    for at in range(0, len(places), PIECE):
        part = places[at : at + PIECE]
        cells = np.arange(part.start, part.stop, part.step, dtype=np.uint64)
        result[at : at + PIECE] = shuffled(cells, extent, round_keys(key, draw))
    return result


@lru_cache(maxsize=8)
def table(key: Pair, draw: Pair, extent: int) -> Block:
    """The order of as many random numbers: every permutation is as likely as any other."""
    numbers = random_bits(None, key=key, draw=draw, frame=(extent,), places=(range(extent),))
    order = np.argsort(numbers, kind="stable")
    order.flags.writeable = False
    return order


def shuffled(cells: Block, extent: int, keys: Sequence[np.uint64]) -> Block:
    """A bijection of ``range(extent)``: one of the next power of two, repeated until inside.

    Source: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002.
    """
    bits = bits_below(extent)
    moved: Block = feistel(cells, bits, keys)
    outside = np.flatnonzero(moved >= np.uint64(extent))
    while outside.size:
        again = feistel(moved[outside], bits, keys)
        moved[outside] = again
        outside = outside[again >= np.uint64(extent)]
    return moved


KERNELS: Final[dict[str, Kernel]] = {
    "randombits": random_bits,
    "randomfraction": random_fraction,
    "permutation": permutation,
}

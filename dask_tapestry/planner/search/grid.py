"""Grids: how the output of a step is cut, by the cost of its blocks.

Blocks start as the whole output. The dimension is cut in two whose cut costs least, again and
again, as long as memory demands it or the cost falls; the grids of what the step reads are tried
beside, and counts of blocks that fill the last wave. Where blocks read the same again and again, as
those of a product do, equal blocks for all workers are tried, too, which divide stored chunks. The
best of all that were seen is taken. What cannot be it, as its tasks take longer at best, is not
looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf, prod

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.cost.rank import Rank, rank
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.search.prime_factors import prime_factors
from dask_tapestry.planner.search.repeated_reads import reads_again
from dask_tapestry.planner.search.tuning import (
    FAR_RATIO,
    FEW_WAVES,
    MOST_HOPELESS,
    NEGLIGIBLE_TASKS,
    PATIENCE_CUTS,
    POOR_GUIDE,
    READ_EDGES,
    SCATTERED_SHARE,
    SMALLER_SHARE,
)
from dask_tapestry.planner.tuning import ALIKE_SECONDS
from dask_tapestry.steps.chunk_alignment import ChunkAlignment
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.streaming import may_stream
from dask_tapestry.zspace import Cuts

Grid = tuple[Cuts, ...]
Price = Callable[[Grid], StepCost]


@dataclass(frozen=True)
class RankedGrid:
    """A grid with its cost, the next best one, and the best one of fewer blocks.

    The cost `is_least` where it was not asked for what the grid takes, as it takes too much anyway.
    """

    grid: Grid
    cost: StepCost
    second: Grid | None = None
    coarser: Grid | None = None
    is_least: bool = False


def uncut(shape: Sequence[int]) -> Grid:
    """The grid of one block."""
    return tuple([Cuts.regular(extent, max(1, extent)) for extent in shape])


def is_negligible(cost: StepCost) -> bool:
    """Whether all that cutting could save is less than another task costs."""
    return cost.seconds - cost.overhead < NEGLIGIBLE_TASKS * cost.overhead / max(1, cost.blocks)


def uncut_if_short(program: Program, price: Price, limits: Limits) -> RankedGrid | None:
    """One block, where cutting could save nothing: for that, no unit of cuts is looked for."""
    if may_stream(program, program.type.box):
        return None
    grid = uncut(program.type.shape)
    cost = price(grid)
    is_best = is_negligible(cost) and rank(cost, limits).is_allowed
    return RankedGrid(grid, cost) if is_best else None


def _margin(cost: StepCost) -> float:
    """Seconds by which a grid must be better than one whose pieces lie in a row."""
    return SCATTERED_SHARE * (cost.seconds - cost.overhead)


class GridSearch:
    """The search for the grid of one step.

    Parameters
    ----------
    shape
        Of the output.
    units
        Where its cuts should fall.
    price
        Cost of a grid, or what it takes at least where `confirm` is given.
    dims
        Its dimensions, those first whose pieces lie in a row.
    slots
        Blocks that run at a time.
    floor
        Seconds that a step takes at least under a grid, or a part of them that is enough to know.
    workers
        Processes that blocks run in.
    confirm
        Cost of a grid: asked only of those that may be the best by what they take at least.
    """

    def __init__(
        self,
        shape: Sequence[int],
        units: Sequence[ChunkAlignment],
        price: Price,
        limits: Limits,
        dims: Sequence[int],
        slots: int,
        floor: Callable[[Grid, float], float] = lambda *_: 0.0,
        workers: int = 1,
        confirm: Price | None = None,
    ) -> None:
        self.shape, self.units, self.limits, self.dims = shape, units, limits, dims
        self.slots, self.workers, self.price, self.floor = slots, workers, price, floor
        self.confirm = confirm
        self._enough = inf  # seconds of the best grid that is allowed, of those seen
        self.seen: dict[Grid, StepCost] = {}
        self._ranks: dict[int, tuple[StepCost, Rank]] = {}  # by the costs seen

    def best(
        self,
        candidates: Iterable[Grid] = (),
        alike: Grid | None = None,
        is_too_much: Callable[[Rank], bool] | None = None,
        begun: Grid | None = None,
    ) -> RankedGrid:
        """The best grid found; `candidates` are tried too.

        Where even the least that the best may take `is_too_much`, nothing is confirmed.

        Where that of an `alike` step is known, as many pieces of this one are allowed, and it is
        not cut from the whole: it is the best of these and of the candidates. Where one is known
        that a step had which hardly differs, the search is `begun` there, too.
        """
        known = self._taken_over(alike)
        pieces = known or self._cut_from(begun)
        if len(self.seen) > 1:
            for grid in candidates:
                if all(unit.allows(cuts) for unit, cuts in zip(self.units, grid, strict=True)):
                    self._graded_if_it_may_win(grid)
            self._look_around(pieces)
        if self.confirm is None:
            return self._best(self.seen)
        if is_too_much is not None:
            grid, least = self._ordered(self.seen)[0]
            if is_too_much(self._rank(least)):
                return RankedGrid(grid, least, is_least=True)
        return self._best(self._confirmed(self.confirm, known is None))

    def _look_around(self, pieces: list[int]) -> None:
        """Look at grids near a good one: full waves, equal blocks, blocks of other shapes."""
        for filled in self._full_waves(pieces):
            self._graded_if_it_may_win(self._grid(filled))
        found, once = self._graded(self._grid(pieces)), self._graded(self._grid([1] * len(pieces)))
        if reads_again(found, once):
            self._cut_equally()
        if reads_again(found, once, READ_EDGES):
            for whole in self._whole_chunks(pieces):
                self._graded_if_it_may_win(self._grid(whole))
            self._trade(pieces)

    def _best(self, among: Mapping[Grid, StepCost]) -> RankedGrid:
        """The best grid `among` some, and the next ones of all that were looked at."""
        grid, cost = self._contiguous(among)
        others = [one for one in self._ordered(self.seen) if one[0] != grid]
        coarser = next((other for other, its in others if its.blocks < cost.blocks), None)
        return RankedGrid(grid, cost, next((other for other, _ in others), None), coarser)

    def _confirmed(self, price: Price, expands: bool) -> dict[Grid, StepCost]:
        """The prices of the best grids: of any other that was looked at, even the least is more.

        Where it `expands`, what is like the best and cut once more was looked at, too, and blocks
        of other shapes if it is not what was expected, or takes far more: what led to it knew
        little.
        """
        grid, least = first, _ = self._contiguous(self.seen)
        most = inf if self._rank(least).is_allowed else MOST_HOPELESS
        priced, expanded = dict[Grid, StepCost](), set[Grid]()
        while grid not in expanded and len(priced) < most:
            if grid not in priced:
                priced[grid] = self._confirm(grid, price)
            elif expands:
                expanded.add(grid)
                is_poor = priced[grid].seconds > POOR_GUIDE * least.seconds
                self._expand(grid, priced[grid], trades=is_poor or grid != first)
            else:
                break
            grid, _ = self._ordered(self.seen)[0]
        return priced

    def _confirm(self, grid: Grid, price: Price) -> StepCost:
        cost = self.seen[grid] = price(grid)
        allowed = [one.seconds for one in self.seen.values() if self._rank(one).is_allowed]
        self._enough = min(allowed, default=inf)
        return cost

    def _expand(self, grid: Grid, cost: StepCost, trades: bool) -> None:
        """Look at the grids next to one."""
        pieces = [cuts.count for cuts in grid]
        self._cheapest_cut(pieces, cost)
        self._look_around(pieces)
        if trades:
            self._trade(pieces)

    def _ordered(self, among: Mapping[Grid, StepCost]) -> list[tuple[Grid, StepCost]]:
        return sorted(among.items(), key=lambda item: self._rank(item[1]))

    def _contiguous(self, among: Mapping[Grid, StepCost]) -> tuple[Grid, StepCost]:
        """The best grid, or one hardly worse found before it, whose blocks lie in a row."""
        first = self._ordered(among)[0]
        top = self._rank(first[1])
        for grid, cost in among.items():
            one = self._rank(cost)
            alike = one.exceeded == top.exceeded and cost.blocks == first[1].blocks
            alike &= cost.carried <= (1 + SCATTERED_SHARE) * first[1].carried
            if alike and one.seconds <= top.seconds + _margin(first[1]):
                return grid, cost
        return first

    def _graded(self, grid: Grid) -> StepCost:
        known = self.seen.get(grid)
        if known is None:
            known = self.seen[grid] = self.price(grid)
            if known.seconds < self._enough and self._rank(known).is_allowed:
                self._enough = known.seconds
        return known

    def _rank(self, cost: StepCost) -> Rank:
        found = self._ranks.get(id(cost))
        if found is None:
            found = self._ranks[id(cost)] = cost, rank(cost, self.limits)
        return found[1]

    def _graded_if_it_may_win(self, grid: Grid) -> StepCost | None:
        known = self.seen.get(grid)
        if known is None and self._enough < inf and self.floor(grid, self._enough) > self._enough:
            return None
        return self._graded(grid)

    def _grid(self, pieces: Sequence[int]) -> Grid:
        sides = zip(self.units, self.shape, pieces, strict=True)
        return tuple([unit.cut(extent, count) for unit, extent, count in sides])

    def _taken_over(self, alike: Grid | None) -> list[int] | None:
        """The grid with as many pieces as a similar step has; None if it is not allowed."""
        if alike is None:
            return None
        pieces = [cuts.count for cuts in alike]
        return pieces if self._rank(self._graded(self._grid(pieces))).is_allowed else None

    def _descend(self, begun: list[int] | None = None) -> list[int]:
        """Cut until it no longer pays; return the pieces of the best grid on the way."""
        pieces = begun or [1] * len(self.shape)
        cost = self._graded(self._grid(pieces))
        best, best_rank, patience = pieces, self._rank(cost), PATIENCE_CUTS
        while patience:
            if not any(best_rank.exceeded) and is_negligible(cost):
                break
            found = self._cheapest_cut(pieces, cost)
            if found is None:
                break
            pieces, cost = found
            now = self._rank(cost)
            patience = PATIENCE_CUTS if now < best_rank or any(now.exceeded) else patience - 1
            if now < best_rank:
                best, best_rank = pieces, now
        return best

    def _cut_from(self, begun: Grid | None) -> list[int]:
        """The best pieces on the way from the whole, or near a grid, if these are no more blocks.

        What many blocks cost those that read them is in no cost of the step. With whatever was best
        near the grid, ten steps of a descent were planned to take a fifth longer.
        """
        pieces = self._taken_over(begun)
        if pieces is None:
            return self._descend()
        near = self._descend(self._uphill(pieces, self._halves))
        beside, enough = self.seen, self._enough
        self.seen, self._enough = {}, inf
        found = self._descend()
        (_, best), (_, other) = (self._ordered(some)[0] for some in (self.seen, beside))
        hardly_longer = self._rank(other) < self._rank(best).with_seconds(ALIKE_SECONDS)
        if not hardly_longer or other.blocks > best.blocks:
            return found
        self.seen, self._enough = {**beside, **self.seen}, min(enough, self._enough)
        return near

    def _cut_equally(self) -> None:
        """Equal blocks, one for each worker, then one for each slot, wherever chunks end."""
        free = [unit if unit.required else ChunkAlignment() for unit in self.units]
        pieces, count = [1] * len(self.shape), 1
        for wave in sorted({self.workers, self.slots}):
            for parts in prime_factors(wave // count):
                more = [self._multiplied(pieces, dim, parts) for dim in self.dims]
                grids = {tuple(map(ChunkAlignment.cut, free, self.shape, m)): m for m in more}
                graded = {grid: self._graded(grid) for grid in grids}
                pieces = grids[min(graded, key=lambda grid: graded[grid].seconds)]
            count = prod(pieces)

    def _trade(self, pieces: list[int]) -> None:
        """Fewer pieces along one dimension for more along another, as long as that is better."""
        self._uphill(pieces, self._traded)

    def _traded(self, pieces: list[int]) -> list[list[int]]:
        pairs = ((a, b) for a in self.dims for b in self.dims if a != b and pieces[a] > 1)
        return [self._multiplied(self._multiplied(pieces, b, 2), a, 0.5) for a, b in pairs]

    def _halves(self, pieces: list[int]) -> list[list[int]]:
        return [self._multiplied(pieces, dim, 0.5) for dim in self.dims if pieces[dim] > 1]

    def _uphill(
        self, pieces: list[int], others: Callable[[list[int]], list[list[int]]]
    ) -> list[int]:
        """The best of some `others`, and of others of that, as long as these are better."""
        best = self._rank(self._graded(self._grid(pieces)))
        while True:
            graded = [(self._graded_if_it_may_win(self._grid(one)), one) for one in others(pieces)]
            ranks = [(self._rank(cost), one) for cost, one in graded if cost is not None]
            if not ranks or min(ranks)[0] >= best:
                return pieces
            best, pieces = min(ranks)

    def _multiplied(self, pieces: list[int], dim: int, times: float) -> list[int]:
        return [max(1, round(n * times)) if d == dim else n for d, n in enumerate(pieces)]

    def _cheapest_cut(self, pieces: list[int], cost: StepCost) -> tuple[list[int], StepCost] | None:
        """Halve the dimension whose halving costs least, and that makes blocks smaller if it must.

        Where blocks are too large, how much smaller they get does not count: halves are not all
        equal, and the last cells of memory are not worth reading everything twice.
        """
        candidates = []
        for dim in self.dims:
            more = self._halved(pieces, dim, 4 if self._is_far(cost) else 2)
            graded = more and self._graded_if_it_may_win(self._grid(more))
            if more and graded:
                candidates.append((more, graded))
        if any(self._rank(cost).exceeded):
            smaller = [f for f in candidates if f[1].touched <= SMALLER_SHARE * cost.touched]
            candidates = smaller or [f for f in candidates if f[1].work < cost.work] or candidates
        best = None
        for one in candidates:
            if best is None or one[1].seconds < best[1].seconds - _margin(best[1]):
                best = one
        return best

    def _is_far(self, cost: StepCost) -> bool:
        """Whether blocks must become so many more or so much smaller that steps may be long."""
        wished = self.limits.block
        if wished is not None and cost.touched >= FAR_RATIO * wished:
            return True
        return FAR_RATIO * cost.blocks <= self.slots or cost.work >= FAR_RATIO * self.limits.task

    def _halved(self, pieces: list[int], dim: int, parts: int) -> list[int] | None:
        extent, unit = self.shape[dim], self.units[dim]
        now, more = unit.cut(extent, pieces[dim]).count, list(pieces)
        while more[dim] < 2 * extent:
            more[dim] *= parts
            if unit.cut(extent, more[dim]).count > now:
                return more
        return None

    def _whole_chunks(self, pieces: list[int]) -> Iterator[list[int]]:
        """One piece a chunk, which halves of halves pass by: along one axis, and along all."""
        near = list(pieces)
        for dim, cuts in enumerate(self._grid(pieces)):
            chunks = self.units[dim].count(self.shape[dim])
            if chunks != cuts.count and chunks <= 2 * cuts.count <= 4 * chunks:
                near[dim] = chunks
                yield [chunks if d == dim else n for d, n in enumerate(pieces)]
        yield near

    def _full_waves(self, pieces: list[int]) -> Iterator[list[int]]:
        """Pieces near the best ones whose count is a multiple of the slots, or of the workers.

        A worker's tasks share its connection to stores.
        """
        count = prod(c.count for c in self._grid(pieces))
        for wave in {self.slots, self.workers}:
            if not count % wave or not wave / 2 < count < FEW_WAVES * wave:
                continue
            for dim in self.dims:
                others = prod(c.count for d, c in enumerate(self._grid(pieces)) if d != dim)
                for waves in {count // wave, count // wave + 1} - {0}:
                    wanted = waves * wave
                    if wanted % others == 0 and 1 < wanted // others <= self.shape[dim]:
                        yield [wanted // others if d == dim else n for d, n in enumerate(pieces)]

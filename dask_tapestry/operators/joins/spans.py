"""Spans of an axis, overlapping or not, one behind the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.windows import windows
from dask_tapestry.teg import Tensor

Span = tuple[int, int]


class SpanRun(NamedTuple):
    """Spans of `length` cells that begin at `start` and every `step` cells after it."""

    start: int
    length: int
    step: int
    times: int

    @property
    def stop(self) -> int:
        """The end of the last span."""
        return self.start + self.step * (self.times - 1) + self.length


def runs(spans: Iterable[Span]) -> Iterator[SpanRun]:
    """Spans gathered into as few runs as follow each other.

    Examples
    --------
    >>> list(runs([(0, 3), (1, 5), (3, 7), (5, 9), (7, 9)]))
    [SpanRun(start=0, length=3, step=0, times=1), SpanRun(start=1, length=4, step=2, times=3), \
SpanRun(start=7, length=2, step=0, times=1)]
    """
    run: SpanRun | None = None
    for start, stop in spans:
        if run is not None and stop - start == run.length:
            last = run.start + run.step * (run.times - 1)
            if start > last and (run.times == 1 or start - last == run.step):
                run = run._replace(step=start - last, times=run.times + 1)
                continue
        if run is not None:
            yield run
        run = SpanRun(start, stop - start, 0, 1)
    if run is not None:
        yield run


def joined_spans(x: Tensor, axis: int, spans: Iterable[Span]) -> Tensor:
    """The cells of `spans` of an axis, one span behind the other.

    Spans of one length and distance take one node, however many there are.
    """
    parts = [_of_run(x, axis, run) for run in runs(spans)]
    return parts[0] if len(parts) == 1 else concat(parts, axis)


def _of_run(x: Tensor, axis: int, run: SpanRun) -> Tensor:
    part = slice_axis(x, axis, run.start, run.stop)
    if run.times == 1 or run.step == run.length:
        return part
    seen = windows(part, axis, run.length, run.step)
    ndim = x.type.ndim
    order = [*range(axis + 1), ndim, *range(axis + 1, ndim)]
    shape = part.type.shape
    joined = (*shape[:axis], run.times * run.length, *shape[axis + 1 :])
    return reshape(permute(seen, order), joined)

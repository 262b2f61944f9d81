"""Pictures of grids: a value's cuts along its last two dimensions, as a small SVG."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.diagnostics.tuning import (
    LONGER_SIDE_PIXELS,
    MOST_CUTS_DRAWN,
    SHORTER_SIDE_PIXELS,
)

Dim = tuple[int, int, int, int, tuple[int, ...]]


def grid_svg(dims: Sequence[Dim]) -> str:
    """The picture; "" of what is not cut along its last two dimensions.

    Examples
    --------
    >>> grid_svg([(100, 4, 25, 25, ())]).count("M")
    3
    """
    shown = [*([(1, 1, 1, 1, ())] if len(dims) == 1 else []), *dims][-2:]
    if len(shown) < 2 or all(dim[1] <= 1 for dim in shown) or not all(dim[0] for dim in shown):
        return ""
    largest = max(dim[0] for dim in shown)
    high, wide = (
        max(SHORTER_SIDE_PIXELS, round(LONGER_SIDE_PIXELS * (dim[0] / largest) ** 0.35))
        for dim in shown
    )
    rows, columns = (cuts_of(dim) for dim in shown)
    path = "".join(f"M1 {1 + high * at:.1f}h{wide}" for at in rows)
    path += "".join(f"M{1 + wide * at:.1f} 1v{high}" for at in columns)
    return (
        f'<svg class="grid" width="{wide + 2}" height="{high + 2}">'
        f'<rect class="face" x="1" y="1" width="{wide}" height="{high}"/>'
        f'<path class="cut" d="{path}"/></svg>'
    )


def cuts_of(dim: Dim) -> list[float]:
    """Where the cuts of a dimension lie, as parts of its extent.

    Examples
    --------
    >>> cuts_of((10, 4, 3, 1, ())), cuts_of((10, 3, 0, 0, (0, 2, 5, 10)))
    ([0.1, 0.4, 0.7], [0.2, 0.5])
    """
    extent, count, step, lead, edges = dim
    if edges:
        found = list(edges[:: max(1, len(edges) // MOST_CUTS_DRAWN)])
    else:
        every = max(1, -(-(count - 1) // MOST_CUTS_DRAWN))
        shown = range(min(MOST_CUTS_DRAWN, count - 1))
        found = [lead + i * every * step for i in shown]
    return [at / extent for at in found if 0 < at < extent]

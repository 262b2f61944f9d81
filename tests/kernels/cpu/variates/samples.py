"""Samples of the compiled draws, and how far two samples are from being of one distribution."""

import numpy as np

from dask_tapestry_kernels.cpu import KERNELS

COUNT = 100_000
KEY = (2**64 - 3, 12)


def drawn(name, *given, count=COUNT, call=4, out=None):
    return KERNELS["variates"](
        out,
        draw_of=name,
        given=given,
        key=KEY,
        draw=(call, 0),
        frame=(count,),
        places=(range(count),),
    )


def drawn_rows(name, total, weights, count=COUNT):
    weights = np.asarray(weights)
    return KERNELS["variaterows"](
        None, np.broadcast_to(weights, (count, len(weights))), draw_of=name, total=total, key=KEY,
        draw=(4, 0), frame=(count,), places=(range(count),), part=slice(0, len(weights)),
    )  # fmt: skip


def apart(first, second):
    """Two samples' Kolmogorov-Smirnov distance times the root of half the count.

    It is above 1.95 in one of 1000; of whole numbers it is less.
    """
    first, second = np.sort(first), np.sort(second)
    cells = np.concatenate([first, second])
    shares = [np.searchsorted(x, cells, "right") / len(x) for x in (first, second)]
    return abs(shares[0] - shares[1]).max() * (len(first) / 2) ** 0.5


def counts_apart(first, second):
    """How many deviations two samples of counts are apart, by chi-square of their frequencies."""
    edges = np.unique(np.quantile(second, np.linspace(0, 1, 40)))
    ours, theirs = (
        np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in (first, second)
    )
    total = ours + theirs
    used = total > 20
    freedom = used.sum() - 1
    if not freedom:
        return 0.0
    return (((ours - theirs)[used] ** 2 / total[used]).sum() - freedom) / (2 * freedom) ** 0.5

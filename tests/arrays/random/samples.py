"""Samples of random arrays and how far they are from what they should be."""

import numpy as np

import dask_tapestry as dt

COUNT = 200_000


def rng(seed=17):
    return dt.random.default_rng(seed)


def gap(values, distribution):
    """Kolmogorov and Smirnov's distance times the root of the count: 1.95 in one of 1000."""
    values = np.sort(values.astype(float).ravel())
    share = distribution(values)
    steps = np.arange(len(values) + 1) / len(values)
    return max((steps[1:] - share).max(), (share - steps[:-1]).max()) * len(values) ** 0.5


def deviates(counts, expected):
    freedom = counts.size - 1
    return abs(((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5

"""COMPARISONS: every public operation, NumPy's meaning of it, and inputs to try both on.

The tests over shardings and the benchmarks read this one table, a module for each family. A
comparison is called as ``ours(dt, *inputs)`` and ``numpy(*inputs)``.
"""

from tests.comparisons import (
    blocks,
    closeness,
    creation,
    decompositions,
    elementwise,
    fourier,
    generators,
    grouping,
    histograms,
    indexing,
    joining,
    kernel_rows,
    layers,
    loops,
    masked,
    moving,
    nan_reductions,
    padding,
    patterns,
    products,
    program_rows,
    quantiles,
    random,
    reductions,
    scans,
    selectors,
    sets,
    sorting,
    sparse_products,
    stats,
    variates,
)
from tests.comparisons.table import (
    DTYPES,
    Bench,
    Comparison,
    agrees,
    same_bits,
    values,
)

FAMILIES = (
    sets,
    quantiles,
    sorting,
    scans,
    elementwise,
    closeness,
    reductions,
    nan_reductions,
    histograms,
    grouping,
    selectors,
    indexing,
    creation,
    products,
    sparse_products,
    layers,
    decompositions,
    random,
    variates,
    stats,
    joining,
    moving,
    padding,
    generators,
    blocks,
    patterns,
    fourier,
    masked,
    loops,
    program_rows,
    kernel_rows,
)
COMPARISONS: tuple[Comparison, ...] = tuple(c for f in FAMILIES for c in f.COMPARISONS)

__all__ = ["COMPARISONS", "DTYPES", "Bench", "Comparison", "agrees", "same_bits", "values"]

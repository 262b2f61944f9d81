"""COMPARISONS: every public operation, NumPy's meaning of it, and inputs to try both on.

The tests over shardings and the benchmarks read this one table, a module for each family. A
comparison is called as ``ours(dt, *inputs)`` and ``numpy(*inputs)``.
"""

from tests.comparisons import creation, elementwise, products, reductions, selectors
from tests.comparisons.table import (
    DTYPES,
    Comparison,
    agrees,
    same_bits,
    values,
)

FAMILIES = (elementwise, reductions, selectors, creation, products)
COMPARISONS: tuple[Comparison, ...] = tuple(c for f in FAMILIES for c in f.COMPARISONS)

__all__ = ["COMPARISONS", "DTYPES", "Comparison", "agrees", "same_bits", "values"]

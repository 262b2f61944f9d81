"""Polynomials by their coefficients: arithmetic, roots and least squares."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.polynomials.coefficients import *
from dask_tapestry.arrays.polynomials.fits import *

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "roots",
]

write_out(__name__)

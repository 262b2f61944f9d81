"""Polynomials by their coefficients: arithmetic, roots and least squares."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
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

if not TYPE_CHECKING:
    late_chapter(__name__)

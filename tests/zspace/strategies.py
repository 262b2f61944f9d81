"""Hypothesis strategies for integer spaces: small ones to enumerate, huge ones for laws."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from dask_tapestry.zspace import IndexProjection, ZAffineMap, ZRange

SMALL = st.integers(-3, 3)
HUGE = st.one_of(SMALL, st.integers(), st.integers(2**64, 2**90), st.integers(-(2**90), -(2**64)))
NDIM = st.integers(0, 3)


def vectors(ndim: int, values: SearchStrategy[int] = SMALL) -> SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[values] * ndim)


def ranges(
    ndim: int, values: SearchStrategy[int] = SMALL, extents: SearchStrategy[int] | None = None
) -> SearchStrategy[ZRange]:
    """Return ranges of any extent from 0; at most 3 where `values` are small."""
    longest = 3 if values is SMALL else 2**90
    sides = st.integers(0, longest) if extents is None else extents
    return st.builds(
        lambda lo, shape: ZRange(lo, [a + s for a, s in zip(lo, shape, strict=True)]),
        vectors(ndim, values),
        vectors(ndim, sides),
    )


@st.composite
def maps(
    draw: st.DrawFn,
    in_ndim: int | None = None,
    out_ndim: int | None = None,
    values: SearchStrategy[int] = SMALL,
) -> ZAffineMap:
    m = draw(NDIM) if in_ndim is None else in_ndim
    n = draw(NDIM) if out_ndim is None else out_ndim
    matrix = draw(st.tuples(*[vectors(m, values)] * n))
    return ZAffineMap(matrix, draw(vectors(n, values)), m)


@st.composite
def projections(draw: st.DrawFn, values: SearchStrategy[int] = SMALL) -> IndexProjection:
    affine = draw(maps(values=values))
    shape = draw(vectors(affine.out_ndim, st.integers(0, 3)))
    stride = draw(vectors(affine.out_ndim, st.integers(1, 2)))
    return IndexProjection(affine.matrix, affine.offset, shape, stride, affine.in_ndim)


def pairs(values: SearchStrategy[int] = SMALL) -> SearchStrategy[tuple[ZRange, ZRange]]:
    """Return two ranges of the same number of dimensions."""
    return NDIM.flatmap(lambda n: st.tuples(ranges(n, values), ranges(n, values)))

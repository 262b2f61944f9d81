"""Keys for arrays, right and wrong, and what comes of them: shared by the tests of indexing."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from tests.comparisons import same_bits

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbers(shape, dtype="i8"):
    return np.arange(int(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


@st.composite
def keys(draw, shape):
    """A key for `shape`, that may be wrong in some way."""
    items = []
    axis = 0
    together = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=3))
    while axis < len(shape) and draw(st.integers(0, 9)):
        kind = draw(st.sampled_from("int slice none array mask array slice bool".split()))
        n = shape[axis]
        if kind == "int":
            items.append(draw(st.integers(-n - 1, n)))
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            step = draw(st.sampled_from([None, 1, 2, -1, -3]))
            items.append(slice(draw(bound), draw(bound), step))
        elif kind == "none":
            items.append(None)
            continue
        elif kind == "bool":
            if draw(st.integers(0, 3)) == 0:
                items.append(draw(st.booleans()))
            continue
        elif kind == "array":
            sides = draw(st.sampled_from([together, together, (), (1,), (2,), (0,)]))
            low, high = (-n, max(n - 1, -n)) if draw(st.integers(0, 9)) else (-n - 2, n + 1)
            items.append(draw(hnp.arrays(np.int64, sides, elements=st.integers(low, high))))
        else:
            rank = draw(st.integers(1, min(2, len(shape) - axis)))
            items.append(draw(hnp.arrays(bool, shape[axis : axis + rank])))
            axis += rank - 1
        axis += 1
    if draw(st.integers(0, 3)) == 0:
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    return tuple(items)


def ours(item, lazily):
    return dt.asarray(item) if lazily and isinstance(item, np.ndarray) else item


def outcome(call):
    """The value, or the kind of error that NumPy users expect."""
    try:
        return call()
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        kinds = (IndexError, ValueError, TypeError, OverflowError)
        return next(kind for kind in kinds if isinstance(error, kind))


def agree(made, expected):
    if isinstance(expected, type) or isinstance(made, type):
        return made is expected
    return same_bits(made, expected)

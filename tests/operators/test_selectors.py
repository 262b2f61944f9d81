"""Random chains of selectors, against NumPy, under random shardings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.comparisons import same_bits, values
from tests.examples import examples

pytestmark = pytest.mark.usefixtures("sync")
SHAPES = st.lists(st.integers(0, 7), max_size=4).map(tuple).filter(lambda s: np.prod(s) <= 400)
KINDS = st.sampled_from(["i1", "f2", "f8", "c8", "M8[s]", "?"])


def sliced(draw, shape):
    items = []
    for n in shape:
        if n and draw(st.integers(0, 5)) == 0:
            items.append(draw(st.integers(-n, n - 1)))
        else:
            bound = st.none() | st.integers(-n - 1, n + 1)
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            items.append(slice(draw(bound), draw(bound), step))
        if draw(st.integers(0, 6)) == 0:
            items.append(None)
    key = tuple(items[: draw(st.integers(0, len(items)))])
    return lambda xp, x: x[key]


def permuted(draw, shape):
    axes = draw(st.permutations(range(len(shape))))
    return lambda xp, x: xp.permute_dims(x, tuple(axes))


def flipped(draw, shape):
    axes = draw(st.lists(st.integers(0, len(shape) - 1), unique=True)) if shape else []
    return lambda xp, x: xp.flip(x, tuple(axes))


def repeated(draw, shape):
    sides = [draw(st.integers(0, 3)) if n == 1 else n for n in shape]
    lead = [draw(st.integers(1, 2))] * (len(shape) < 4)
    return lambda xp, x: xp.broadcast_to(x, (*lead, *sides))


def reshaped(draw, shape):
    size = int(np.prod(shape, dtype=int))
    sides = [n for n in range(1, size + 1) if size % n == 0] or [1]
    first = draw(st.sampled_from(sides))
    rest = size // first
    new = draw(st.sampled_from([(first, rest), (-1,), (1, first, 1, rest), (rest, first)]))
    return lambda xp, x: xp.reshape(x, new if size or -1 not in new else (0,))


def joined(draw, shape):
    if not shape:
        return lambda xp, x: x
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    part = draw(st.integers(0, shape[axis]))
    key = (*[slice(None)] * (axis % len(shape)), slice(part, None))
    return lambda xp, x: xp.concatenate([x, x[key], x], axis)


def rolled(draw, shape):
    shifts = tuple(draw(st.integers(-9, 9)) for _ in shape)
    return lambda xp, x: xp.roll(x, shifts, tuple(range(len(shape)))) if shape else x


def padded(draw, shape):
    widths = tuple((draw(st.integers(0, 3)), draw(st.integers(0, 3))) for _ in shape)
    modes = ["constant"] if 0 in shape else ["constant", "edge", "wrap", "reflect", "symmetric"]
    mode = draw(st.sampled_from(modes))
    return lambda xp, x: xp.pad(x, widths or 0, mode=mode)


def stacked(draw, shape):
    axis = draw(st.integers(0, len(shape)))
    return lambda xp, x: xp.stack([x, x[::-1] if shape else x], axis)


def followed(draw, shape):
    offset = draw(st.integers(-2, 2))
    return lambda xp, x: xp.diagonal(x, offset, -1, 0) if len(shape) > 1 else x


def tiled(draw, shape):
    counts = tuple(draw(st.integers(1, 2)) for _ in shape)
    return lambda xp, x: xp.repeat(xp.tile(x, counts), 2, -1) if shape else x


def computed(draw, shape):
    return lambda xp, x: xp.where(x != x, x, x)


STEPS = (
    *(sliced, sliced, permuted, flipped, repeated, reshaped, joined, computed),
    *(rolled, padded, stacked, followed, tiled),
)


@examples(60)
@given(SHAPES, KINDS, st.data())
def test_chains_of_selectors_mean_what_numpy_says(shardings, shape, kind, data):
    x = values(shape, kind)
    ours, expected = cut(data, dt.asarray(x), shardings), x
    for _ in range(data.draw(st.integers(1, 6))):
        step = data.draw(st.sampled_from(STEPS))(data.draw, expected.shape)
        made = step(np, expected)
        if made.ndim > 5 or made.size > 2000:
            continue
        ours, expected = step(dt, ours), made
        if data.draw(st.integers(0, 3)) == 0:
            ours = cut(data, ours, shardings)
    assert ours.shape == expected.shape
    forced = data.draw(st.sampled_from([(10**9, 1, 1), *shardings.SMALL]))
    with shardings.tiny(*forced):
        assert same_bits(ours.compute(), expected), ours.teg


def cut(data, x, shardings):
    """Fix the layout of `x`, or not."""
    if data.draw(st.booleans()):
        return x
    return x.rechunk(tuple(data.draw(st.sampled_from(shardings.lengths(n))) for n in x.shape))


@examples(30)
@given(SHAPES, st.data())
def test_several_readers_of_one_value_agree(shardings, shape, data):
    """What is read of a value by all its readers is computed once, and each gets its part."""
    x = values(shape, "f8")
    steps = [data.draw(st.sampled_from(STEPS))(data.draw, shape) for _ in range(3)]
    base = cut(data, dt.asarray(x), shardings) + 1
    with shardings.tiny(*data.draw(st.sampled_from(shardings.SMALL))):
        results = dt.compute(*[step(dt, base) for step in steps])
    for step, result in zip(steps, results, strict=True):
        assert same_bits(result, step(np, x + 1))

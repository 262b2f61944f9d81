"""Threads whose sizes and branches differ, beside NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zarr
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread
from dask_tapestry.arrays.patterns.thread_kinds import cut

X = np.random.default_rng(0).normal(size=(12, 10))


def tiled(x, sides):
    """Each tile less its mean."""
    made = np.empty_like(x)
    for i in range(0, x.shape[0], sides[0]):
        for j in range(0, x.shape[1], sides[1]):
            tile = x[i : i + sides[0], j : j + sides[1]]
            made[i : i + sides[0], j : j + sides[1]] = tile - tile.mean()
    return made


def counts(shape, sides):
    return tuple(-(-n // side) for n, side in zip(shape, sides, strict=True))


sizes = st.integers(1, 7)


@given(st.tuples(sizes, sizes), st.tuples(sizes, sizes))
def test_tiles_that_do_not_divide(shape, sides):
    cells = X[: shape[0], : shape[1]]
    x, base = dt.asarray(cells), dt.zeros(shape)

    def body(i, j):
        at, size = zip(
            *(
                (side * k, min(side, n - side * k))
                for k, side, n in zip((i, j), sides, shape, strict=True)
            ),
            strict=True,
        )
        tile = dt.extract_slice(x, at, size)
        return dt.perform_concurrently(dt.parallel_insert_slice(tile - tile.mean(), base, at))

    made = foreach_thread(body, counts(shape, sides))
    np.testing.assert_allclose(made.compute(), tiled(cells, sides), atol=1e-12)


@given(st.tuples(sizes, sizes), st.tuples(sizes, sizes))
def test_within_threads_of_different_sizes(shape, sides):
    cells = X[: shape[0], : shape[1]]
    x, base = dt.asarray(cells), dt.zeros(shape)

    def outer(i):
        size = dt.minimum(sides[0], shape[0] - sides[0] * i)
        rows = dt.extract_slice(x, [sides[0] * i, 0], [size, shape[1]])

        def inner(j):
            part = dt.extract_slice(
                rows, [0, sides[1] * j], [size, min(sides[1], shape[1] - sides[1] * j)]
            )
            return dt.perform_concurrently(
                dt.parallel_insert_slice(part - part.mean(), rows, [0, sides[1] * j])
            )

        inside = foreach_thread(inner, counts(shape, sides)[1])
        return dt.perform_concurrently(dt.parallel_insert_slice(inside, base, [sides[0] * i, 0]))

    made = foreach_thread(outer, counts(shape, sides)[0])
    np.testing.assert_allclose(made.compute(), tiled(cells, sides), atol=1e-12)


def test_branches_by_number():
    def body(i):
        if i == 0 or i == 9:
            part = dt.zeros(1)
        else:
            near = dt.extract_slice(dt.asarray(X[0]), [i - 1], [3])
            part = near.mean().reshape(1)
        return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros(10), [i]))

    wanted = np.zeros(10)
    wanted[1:-1] = (X[0, :-2] + X[0, 1:-1] + X[0, 2:]) / 3
    np.testing.assert_allclose(foreach_thread(body, 10).compute(), wanted)


def test_each_thread_of_its_own_size():
    def body(i):
        total = dt.extract_slice(dt.asarray(X[0]), [0], [i + 1]).sum().reshape(1)
        return dt.perform_concurrently(dt.parallel_insert_slice(total, dt.zeros(10), [i]))

    np.testing.assert_allclose(foreach_thread(body, 10).compute(), X[0].cumsum())


@pytest.mark.parametrize("kind", [np.array, zarr.array])
def test_writes_to_arrays_that_exist(kind):
    target = kind(X.copy())

    def body(i):
        rows = dt.subview(target, [5 * i, 0], [min(5, 12 - 5 * i), 10])
        rows[...] = -rows[...] + i

    foreach_thread(body, 3).compute()
    np.testing.assert_array_equal(target[:], -X + np.repeat(np.arange(3), 5)[:12, None])


def overlapping(i):
    part = dt.extract_slice(dt.asarray(X[0]), [0], [min(4, 8 - 3 * i)])
    return dt.perform_concurrently(dt.parallel_insert_slice(part + i, dt.zeros(10), [3 * i]))


def test_the_highest_wins_where_asked():
    wanted = np.zeros(10)
    for i in range(3):
        n = min(4, 8 - 3 * i)
        wanted[3 * i : 3 * i + n] = X[0, :n] + i
    made = foreach_thread(overlapping, 3, on_overlap="last")
    np.testing.assert_array_equal(made.compute(), wanted)


def by_columns(i, j):
    size = min(2, 3 - 2 * j)
    part = dt.ones((2, size)) * i
    return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros((4, 3)), [i, 2 * j]))


def meeting_columns(i, j):
    size = min(2, 2 - j)
    part = dt.ones((1, size)) * i
    return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros((4, 3)), [i, j]))


def other_arrays(i):
    n = min(4, 10 - 4 * i)
    return dt.perform_concurrently(
        dt.parallel_insert_slice(dt.ones(n), dt.zeros(10) if i == 0 else dt.ones(10), [4 * i])
    )


def other_results(i):
    one = dt.parallel_insert_slice(dt.ones(1), dt.zeros(10), [i])
    return dt.perform_concurrently(*[one] * (1 if i == 0 else 2))


def computed_offsets(i, j):
    at = dt.extract_slice(dt.arange(10), [j], [1])[0]
    part = dt.ones((1, 1 if j == 0 else 2))
    return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros((4, 12)), [i, at]))


@pytest.mark.parametrize(
    ("body", "threads", "options", "error", "why"),
    [
        (overlapping, 3, {}, dt.ConstraintError, "on_overlap='last'"),
        (by_columns, (2, 2), {}, dt.ConstraintError, "both write"),
        (meeting_columns, (2, 2), {}, dt.ConstraintError, r"\(1, 2\) and \(1, 1\) may meet"),
        (meeting_columns, (2, 2), {"on_overlap": "last"}, dt.ConstraintError, "first number alone"),
        (computed_offsets, (2, 3), {}, dt.ConstraintError, "not known"),
        (other_arrays, 3, {}, dt.TraceError, "same for all threads"),
        (other_results, 3, {}, dt.TraceError, "different results"),
        (lambda i: overlapping(10 * i), 3, {}, dt.ShapeError, "at least 0"),
    ],
)
def test_refused(body, threads, options, error, why):
    with pytest.raises(error, match=why):
        foreach_thread(body, threads, **options)


def test_more_kinds_than_are_told_apart():
    def body(i):
        part = dt.extract_slice(dt.ones(100), [0], [i + 1]).sum().reshape(1)
        return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros(100), [i]))

    assert foreach_thread(body, 64).compute()[63] == 64
    with pytest.raises(dt.TraceError, match="more than 64 kinds"):
        foreach_thread(body, 65)


def test_threads_that_wait_are_of_one_size():
    target = np.zeros(10)

    def body(i):
        dt.patterns.wait(i - 1, when=i > 0)
        dt.subview(target, [4 * i], [min(4, 10 - 4 * i)])[...] = i
        dt.patterns.signal(i)

    with pytest.raises(dt.TraceError, match="wait"):
        foreach_thread(body, 3)


def test_targets_that_meet_are_refused():
    target = np.zeros(10)

    def body(i):
        dt.subview(target, [3 * i], [min(4, 9 - 3 * i)])[...] = i

    with pytest.raises(dt.ConstraintError, match="meet"):
        foreach_thread(body, 3, on_overlap="last")


def test_errors_name_the_user_s_numbers():
    def body(i):
        part = dt.ones(min(4, 10 - 4 * i))
        return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros(9), [4 * i]))

    with pytest.raises(dt.ShapeError, match=r"thread \(2,\) writes \[8:10\]"):
        foreach_thread(body, 3)


def test_cut():
    assert cut(((0, 2), (3, 9)), 1, [1, 4]) == [
        ((0, 2), (3, 4)),
        ((0, 2), (4, 7)),
        ((0, 2), (7, 9)),
    ]

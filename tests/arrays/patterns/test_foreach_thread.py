from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
import zarr
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread
from dask_tapestry.operators.threads import thread_tiles

X = np.random.default_rng(0).normal(size=(12, 10))


def part(offsets, sizes, strides):
    """The slices of a part, for NumPy."""
    spans = zip(offsets, sizes, strides, strict=True)
    return tuple(slice(a, a + n * k, k) if n else slice(0, 0) for a, n, k in spans)


def test_the_nested_matrix_product_of_the_rfc():
    a, b, c = (
        np.random.default_rng(n).normal(size=shape)
        for n, shape in enumerate([(250, 500), (500, 1020), (250, 1020)])
    )
    left, right, base = map(dt.asarray, (a, b, c))

    def outer(i):
        rows = dt.extract_slice(base, [2 * i, 0], [2, 1020])

        def inner(j):
            tile = dt.extract_slice(rows, [0, 4 * j], [2, 4])
            x = dt.extract_slice(left, [2 * i, 0], [2, 500])
            y = dt.extract_slice(right, [0, 4 * j], [500, 4])
            made = dt.parallel_insert_slice(tile + x @ y, rows, [0, 4 * j], [2, 4])
            return dt.perform_concurrently(made)

        inside = foreach_thread(inner, 255)
        return dt.perform_concurrently(dt.parallel_insert_slice(inside, base, [2 * i, 0]))

    result = foreach_thread(outer, 125)
    graph = str(result.teg)
    assert "outer[125, 255]) : float64[250, 1020]" in graph  # one space of both
    assert graph.count("useroperator") == 1
    np.testing.assert_allclose(result.compute(), c + a @ b, rtol=0, atol=1e-11)


@st.composite
def insertions(draw):
    """A space of threads, and where they insert: offsets are multiples of ids."""
    extents = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    axes = []
    for _ in range(draw(st.integers(1, 2))):
        factors = [draw(st.sampled_from([0, 0, 1, 2, 3, 6, -1, -3])) for _ in extents]
        axes.append((factors, draw(st.integers(1, 3)), draw(st.integers(1, 3))))
    return tuple(extents), axes


@given(insertions(), st.sampled_from([8, 64, 10**6]), st.booleans())
def test_inserts_are_those_of_a_loop(shardings, insertion, block_bytes, plenty):
    extents, axes = insertion
    firsts = [
        sum(-f * (n - 1) for f, n in zip(factors, extents, strict=True) if f < 0 < n)
        for factors, _, _ in axes
    ]
    shape = tuple(
        first
        + sum(max(0, f) * max(0, n - 1) for f, n in zip(factors, extents, strict=True))
        + stride * (size - 1)
        + 1
        + 2 * plenty
        for first, (factors, size, stride) in zip(firsts, axes, strict=True)
    )
    sizes, strides = [size for _, size, _ in axes], [stride for _, _, stride in axes]
    into, cells = np.zeros(shape), np.arange(1.0, 1 + np.prod(sizes)).reshape(sizes)

    def where(ids):
        return [
            first + sum(f * i for f, i in zip(factors, ids, strict=True))
            for first, (factors, _, _) in zip(firsts, axes, strict=True)
        ]

    wanted, writers = into.copy(), np.zeros(shape, int)
    for ids in product(*map(range, extents)):
        number = np.ravel_multi_index(ids, extents)
        wanted[part(where(ids), sizes, strides)] = cells * (number + 1)
        writers[part(where(ids), sizes, strides)] += 1

    def body(*ids):
        number = 0
        for i, n in zip(ids, extents, strict=True):
            number = number * n + i
        one = dt.parallel_insert_slice(cells * (number + 1), into, where(ids), sizes, strides)
        return dt.perform_concurrently(one)

    result = foreach_thread(body, extents, on_overlap="last")
    with shardings.tiny(block_bytes):
        np.testing.assert_array_equal(result.compute(), wanted)
    if (writers > 1).any():
        with pytest.raises(dt.ConstraintError, match="both write"):
            foreach_thread(body, extents)
    else:
        foreach_thread(body, extents)


@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(1, 2), st.integers(-2, 3), st.integers(8, 900)
)
def test_windows_are_those_of_a_loop(shardings, threads, size, stride, pace, block_bytes):
    first = max(0, -pace * (threads - 1))
    long = first + max(0, pace) * (threads - 1) + stride * (size - 1) + 1
    x = np.random.default_rng(size).normal(size=(long, 3))
    ours = dt.asarray(x)

    def body(i):
        window = dt.extract_slice(ours, [first + pace * i, 0], [size, 3], [stride, 1])
        total = (window * i + dt.where(i > 1, 2, window)).sum(axis=0)
        return dt.perform_concurrently(
            dt.parallel_insert_slice(total[None], dt.zeros((threads, 3)), [i, 0])
        )

    wanted = [
        (w * i + (2 if i > 1 else w)).sum(0)
        for i in range(threads)
        for w in [x[part([first + pace * i, 0], [size, 3], [stride, 1])]]
    ]
    result = foreach_thread(body, threads)
    with shardings.tiny(block_bytes):
        np.testing.assert_allclose(result.compute(), wanted, rtol=1e-14, atol=1e-14)


def test_several_results_in_the_order_of_their_inserts(shardings):
    x = dt.asarray(X)

    def body(i, j):
        tile = dt.extract_slice(x, [4 * i, 5 * j], [4, 5])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(tile.T, dt.zeros((10, 12)), [5 * j, 4 * i], [5, 4]),
            dt.parallel_insert_slice(tile.sum()[None, None], dt.zeros((3, 2)), [i, j]),
            dt.parallel_insert_slice(np.exp(tile), x, [4 * i, 5 * j]),
        )

    turned, sums, exponents = foreach_thread(body, (3, 2))
    assert str(dt.plan(turned, sums, method="none").teg).count("useroutputs") == 1
    with shardings.tiny(100):
        made = dt.compute(turned, sums, exponents)
    np.testing.assert_array_equal(made[0], X.T)
    np.testing.assert_allclose(made[1], X.reshape(3, 4, 2, 5).sum((1, 3)), rtol=1e-13)
    np.testing.assert_array_equal(made[2], np.exp(dt.asarray(X)).compute())


def test_every_sharding_has_the_same_bits(shardings):
    x = dt.asarray(X)

    def body(i):
        row = dt.extract_slice(x, [i, 0], [1, 10])
        made = np.sin(row) / row.std() + dt.sort(row, axis=1).cumsum(axis=1)
        return dt.perform_concurrently(dt.parallel_insert_slice(made, dt.zeros((12, 10)), [i, 0]))

    result = foreach_thread(body, 12)
    whole = result.compute()
    for block_bytes in (8, 100, 300, 2000):
        with shardings.tiny(block_bytes):
            np.testing.assert_array_equal(result.compute(), whole)
            np.testing.assert_array_equal(result[3:9:2, 4].compute(), whole[3:9:2, 4])
    wanted = np.sin(X) / X.std(axis=1, keepdims=True) + np.sort(X, axis=1).cumsum(axis=1)
    np.testing.assert_allclose(whole, wanted, rtol=1e-12)


def test_it_is_cut_along_the_ids():
    x = dt.placeholder((10**6, 64), "f8")

    def body(i):
        rows = dt.extract_slice(x, [1000 * i, 0], [1000, 64])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(rows - rows.mean(axis=0), x, [1000 * i, 0])
        )

    plan = foreach_thread(body, 1000).plan(resources=dt.Resources(4, 2, "1 GiB"))
    plan.verify()
    assert plan.cost["tasks"] >= 8
    assert all(n % 1000 == 0 for n in plan.chunks(0)[0])
    assert plan.cost["bytes_read"] == 10**6 * 64 * 8


def test_what_is_read_at_a_place_that_cells_tell(shardings):
    x, at = dt.asarray(X), np.array([7, 0, 3, 7])

    def body(i):
        row = dt.extract_slice(dt.asarray(at), [i], [1])[0]
        cells = dt.extract_slice(x, [row, 2], [2, 4], [1, 2])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(cells[None], dt.zeros((4, 2, 4)), [i, 0, 0])
        )

    with shardings.tiny(64):
        made = foreach_thread(body, 4).compute()
    np.testing.assert_array_equal(made, [X[a : a + 2, 2:10:2] for a in at])
    at[1] = 11
    with pytest.raises(IndexError, match="axis 0, which has 12"):
        foreach_thread(body, 4).compute()


@pytest.mark.parametrize("at", [[0, 6, 3], [0, 1, 6]])
def test_what_is_written_at_a_place_that_cells_tell(at, shardings):
    places = dt.asarray(at)

    def body(i):
        start = dt.extract_slice(places, [i], [1])[0]
        return dt.perform_concurrently(
            dt.parallel_insert_slice(dt.zeros(2, int) + i + 1, np.zeros(8, int), [start])
        )

    wanted = np.zeros(8, int)
    for i, a in enumerate(at):
        wanted[a : a + 2] = i + 1
    with shardings.tiny(16):
        np.testing.assert_array_equal(foreach_thread(body, 3).compute(), wanted)
        checked = foreach_thread(body, 3, check=True)
        if at == [0, 6, 3]:
            np.testing.assert_array_equal(checked.compute(), wanted)
        else:
            with pytest.raises(dt.ConstraintError, match=r"\(0,\) and \(1,\) both write.*\[1:2\]"):
                checked.compute()
            foreach_thread(body, 3, check=True, on_overlap="last").compute()


def test_overlaps_are_refused_with_the_threads_and_the_box():
    def body(i):
        return dt.perform_concurrently(
            dt.parallel_insert_slice(dt.ones(3), dt.zeros(20), [2 * i + 1])
        )

    with pytest.raises(dt.ConstraintError) as raised:
        foreach_thread(body, 4)
    assert "threads (0,) and (1,) both write cells of [3:4]" in str(raised.value)
    assert foreach_thread(body, 4, on_overlap="last").sum().compute() == 9
    assert foreach_thread(body, 1).sum().compute() == 3


def test_no_threads_change_nothing():
    def body(i):
        return dt.perform_concurrently(dt.parallel_insert_slice(dt.ones(1), dt.zeros(4), [i]))

    np.testing.assert_array_equal(foreach_thread(body, 0).compute(), np.zeros(4))


def test_no_threads_have_no_parts_that_do_not_fit():
    def body(i):
        row = dt.extract_slice(dt.zeros((0, 3)), [i, 0], [1, 3])
        return dt.perform_concurrently(dt.parallel_insert_slice(row, dt.zeros((0, 3)), [i, 0]))

    assert foreach_thread(body, 0).compute().shape == (0, 3)


def test_names_of_dimensions_are_those_of_what_is_inserted_into():
    x = dt.asarray(X)

    def body(i):
        cells = dt.extract_slice(x.rename("a", "b"), [i, 0], [1, 10])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(cells, x.rename("row", "column"), [i, 0]),
            dt.parallel_insert_slice(cells, x, [i, 0]),
        )

    named, bare = foreach_thread(body, 12)
    assert (named.dims, bare.dims) == (("row", "column"), None)
    np.testing.assert_array_equal(named.compute(), X)


def test_nested_threads_whose_result_is_computed_with(shardings):
    x = dt.asarray(X)

    def outer(i):
        row = dt.extract_slice(x, [i, 0], [1, 10])

        def inner(j):
            pair = dt.extract_slice(row, [0, 2 * j], [1, 2])
            return dt.perform_concurrently(dt.parallel_insert_slice(pair * j, row, [0, 2 * j]))

        scaled = foreach_thread(inner, 4)  # the last two cells are those of the row
        return dt.perform_concurrently(dt.parallel_insert_slice(scaled + i, x, [i, 0]))

    factor = np.append(np.repeat(np.arange(4), 2), [1, 1])
    result = foreach_thread(outer, 12)
    with shardings.tiny(100):
        made = result.compute()
    np.testing.assert_array_equal(made, X * factor + np.arange(12)[:, None])


def test_nested_threads_insert_for_the_ones_around_them(shardings):
    def outer(i):
        def inner(j):
            one = (10 * i + j).reshape(1)
            return dt.perform_concurrently(dt.parallel_insert_slice(one, dt.zeros(5, int), [j]))

        return dt.perform_concurrently(
            dt.parallel_insert_slice(foreach_thread(inner, 5), np.zeros(30, int), [10 * i], [5])
        )

    result = foreach_thread(outer, 3)
    assert "outer[3, 5]" in str(result.teg)
    assert str(result.teg).count("useroperator") == 1
    wanted = np.zeros((3, 10), int)
    wanted[:, :5] = 10 * np.arange(3)[:, None] + np.arange(5)
    with shardings.tiny(16):
        np.testing.assert_array_equal(result.compute(), wanted.ravel())


@pytest.mark.parametrize("kind", ["numpy", "zarr"])
def test_threads_write_to_arrays_that_exist(kind, tmp_path):
    cells = np.zeros((12, 10))
    target = cells
    if kind == "zarr":
        target = zarr.create_array(tmp_path / "x.zarr", shape=(12, 10), chunks=(4, 5), dtype="f8")
    x = dt.asarray(X)

    def body(i, j):
        rows = dt.extract_slice(x, [4 * i, 5 * j], [2, 5])
        dt.subview(target, [4 * i, 5 * j], [2, 5])[...] = rows * 2

    effect = foreach_thread(body, (3, 2))
    assert not np.asarray(target[...]).any()
    effect.compute()
    wanted = np.zeros((12, 10))
    for i in range(3):
        wanted[4 * i : 4 * i + 2] = X[4 * i : 4 * i + 2] * 2
    np.testing.assert_array_equal(target[...], wanted)


def test_threads_add_to_what_they_write():
    target = X.copy()

    def outer(i):
        def inner(j):
            view = dt.subview(target, [3 * i, 2 * j], [3, 2])
            view[...] = view[...] + 10 * i + j

        foreach_thread(inner, 5)

    foreach_thread(outer, 4).compute()
    wanted = X + 10 * (np.arange(12) // 3)[:, None] + np.arange(10) // 2
    np.testing.assert_array_equal(target, wanted)


def test_threads_too_many_to_compare_may_be_told_that_the_highest_wins(monkeypatch):
    monkeypatch.setattr(thread_tiles, "MOST_THREAD_PAIRS", 10)

    def body(i, j):
        part = (i * 5 + j).reshape(1)
        return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros(10, int), [i + j]))

    with pytest.raises(dt.ConstraintError, match="too many threads"):
        foreach_thread(body, (5, 5))
    made = foreach_thread(body, (5, 5), on_overlap="last").compute()
    assert made.tolist() == [0, 5, 10, 15, 20, 21, 22, 23, 24, 0]


def test_memory_that_threads_take_is_foretold():
    plenty = 4 * 2**20  # cells of a value on the way, of which each thread's result takes the sum

    def body(i):
        made = dt.arange(plenty) * i
        part = made.sum().reshape(1)
        return dt.perform_concurrently(dt.parallel_insert_slice(part, dt.zeros(4, int), [i]))

    plan = foreach_thread(body, 4).plan()
    assert plan.cost["peak_worker_bytes"] > 8 * plenty


def test_a_check_of_all_threads_counts_what_it_sorts():
    at = dt.arange(10**5)

    def body(i):
        (start,) = dt.extract_slice(at, [i], [1])
        part = dt.parallel_insert_slice(i.reshape(1), dt.zeros(10**5, int), [start])
        return dt.perform_concurrently(part)

    checked, not_checked = (
        foreach_thread(body, 10**5, check=check).plan().cost["peak_worker_bytes"]
        for check in (True, False)
    )
    assert checked > not_checked + 10**6

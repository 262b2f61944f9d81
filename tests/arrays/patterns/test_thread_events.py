import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry import patterns
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread
from dask_tapestry.arrays.patterns.thread_events import signal, wait


@pytest.mark.parametrize("kind", ["numpy", "zarr"])
def test_the_two_threads_of_the_rfc(kind, tmp_path, shardings):
    target = np.zeros(4)
    if kind == "zarr":
        target = zarr.create_array(tmp_path / "x.zarr", shape=(4,), chunks=(3,), dtype="f8")

    def body(i):
        wait(0, when=i == 0)
        seen = dt.subview(target, [2 - 2 * i], [2])[...]
        dt.subview(target, [2 * i], [2])[...] = seen + 1
        signal(0, when=i == 1)

    effect = foreach_thread(body, 2)
    with shardings.tiny(8):
        effect.compute()
    np.testing.assert_array_equal(target[...], [2, 2, 1, 1])


def test_a_pipeline_sums_up():
    target = np.arange(1.0, 7.0)

    def body(i):
        own = dt.subview(target, [i + 1], [1])
        own[...] = own[...] + dt.subview(target, [i], [1])[...]
        signal(i)
        wait(i - 1, when=i > 0)

    foreach_thread(body, 5).compute()
    np.testing.assert_array_equal(target, np.cumsum(np.arange(1.0, 7.0)))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (3, 5), (1, 4)])
def test_a_wavefront(rows, columns, shardings):
    """Each cell is the sum of those above and to the left: diagonals run one after the other."""
    target = np.zeros((rows + 1, columns + 1))
    target[0], target[:, 0] = 1, 1
    wanted = target.copy()
    for i in range(rows):
        for j in range(columns):
            wanted[i + 1, j + 1] = wanted[i, j + 1] + wanted[i + 1, j]

    def body(i, j):
        wait((i - 1, j), when=i > 0)
        wait((i, j - 1), when=j > 0)
        above = dt.subview(target, [i, j + 1], [1, 1])[...]
        left = dt.subview(target, [i + 1, j], [1, 1])[...]
        dt.subview(target, [i + 1, j + 1], [1, 1])[...] = above + left
        signal((i, j))

    effect = foreach_thread(body, (rows, columns))
    with shardings.tiny(16):
        effect.compute()
    np.testing.assert_array_equal(target, wanted)


def test_all_signal_what_one_waits_for():
    target = np.zeros(6, int)

    def body(i):
        wait(7, when=i == 5)
        signal(7, when=i < 5)
        total = dt.subview(target, [0], [6])[...].sum()
        dt.subview(target, [i], [1])[...] = dt.where(i == 5, total, i + 1).reshape(1)

    foreach_thread(body, 6).compute()
    assert target.tolist() == [1, 2, 3, 4, 5, 15]


def test_those_that_wait_may_write_the_same_cells_again():
    target = np.zeros(3, int)

    def body(i):
        wait(i + 1, when=i < 3)
        own = dt.subview(target, [0], [3])
        own[...] = own[...] * 10 + i
        signal(i)

    foreach_thread(body, 4).compute()
    assert target.tolist() == [3210] * 3


def test_offsets_that_are_computed(shardings):
    target, at = np.zeros(6, int), dt.asarray([5, 3, 1, 0, 2, 4])

    def body(i):
        wait(0, when=i % 2 == 0)
        signal(0, when=i % 2 == 1)
        (place,) = dt.extract_slice(at, [i], [1])
        count = (dt.subview(target, [0], [6])[...] > 0).sum()
        dt.subview(target, [place], [1])[...] = (10 * count + i + 1).reshape(1)

    effect = foreach_thread(body, 6, check=True)
    with shardings.tiny(8):
        effect.compute()
    assert target.tolist() == [4, 33, 35, 2, 6, 31]


def circle(i):
    signal(i)
    wait((i + 1) % 3)


@pytest.mark.parametrize(
    ("said", "error", "why"),
    [
        (circle, dt.ConstraintError, r"threads \(1,\), \(2,\), \(0,\) wait for each other"),
        (lambda i: (signal(0), wait(0)), dt.ConstraintError, "waits for itself|wait for each"),
        (lambda i: (signal(i), wait(i)), dt.ConstraintError, r"\(0,\) waits for itself"),
        (lambda i: wait(i), dt.ConstraintError, r"thread \(0,\) waits for an event that no"),
        (lambda i: (wait(0, i > 1), signal((0, 1))), dt.TraceError, r"\[1, 2\] numbers"),
        (lambda i: wait(i * 0.5), dt.DTypeError, "one integer"),
        (lambda i: wait(i, when=i), dt.DTypeError, "true or false"),
        (lambda i: wait(dt.arange(3).sum()), dt.TraceError, "threads' numbers alone"),
    ],
)
@pytest.mark.parametrize("pure", [True, False])
def test_what_cannot_be_waited_for(said, error, why, pure):
    target = np.zeros(3)

    def body(i):
        said(i)
        if pure:
            return dt.perform_concurrently(dt.parallel_insert_slice([1.0], target, [i]))
        dt.subview(target, [i], [1])[...] = 1.0
        return None

    with pytest.raises(error, match=why):
        foreach_thread(body, 3)


def test_threads_that_insert_may_wait_as_well():
    def body(i):
        wait(0, when=i > 0)
        signal(0, when=i == 0)
        return dt.perform_concurrently(
            dt.parallel_insert_slice(i.reshape(1), np.zeros(3, int), [i])
        )

    assert foreach_thread(body, 3).compute().tolist() == [0, 1, 2]


def test_threads_of_a_turn_that_overlap_are_named():
    target = np.zeros(9)

    def body(i):
        wait(0, when=(i > 1) & (i != 4))
        signal(0, when=i < 2)
        dt.subview(target, [2 * dt.where(i > 7, 0, 0) + i], [1])[...] = i * 1.0

    def meeting(i):
        wait(0, when=(i == 2) | (i == 4) | (i == 5))
        signal(0, when=i < 2)
        dt.subview(target, [i], [2])[...] = i * 1.0

    foreach_thread(body, 6, check=True, on_overlap="last").compute()
    assert target.tolist() == [0, 1, 2, 3, 4, 5, 0, 0, 0]
    with pytest.raises(
        dt.ConstraintError, match=r"threads \(0,\) and \(1,\) both write cells of \[1:2"
    ):
        foreach_thread(meeting, 6)
    foreach_thread(meeting, 6, on_overlap="last").compute()
    assert target.tolist() == [0, 1, 2, 2, 4, 5, 5, 0, 0]


def test_waits_belong_to_one_body():
    target = np.zeros((2, 2))

    def outer(i):
        signal(i)

        def inner(j):
            wait(0, when=j > 0)
            dt.subview(target, [i, j], [1, 1])[...] = 1.0

        foreach_thread(inner, 2)

    with pytest.raises(dt.TraceError, match="one body"):
        foreach_thread(outer, 2)
    with pytest.raises(dt.TraceError, match="foreach_thread"):
        patterns.signal(0)


def test_inner_threads_wait_for_inner_threads():
    target = np.zeros((2, 3), int)

    def outer(i):
        def inner(j):
            wait((i, j - 1), when=j > 0)
            signal((i, j))
            row = dt.subview(target, [i, 0], [1, 3])[...]
            dt.subview(target, [i, j], [1, 1])[...] = (row.sum() + 1 + i).reshape(1, 1)

        foreach_thread(inner, 3)

    foreach_thread(outer, 2).compute()
    assert target.tolist() == [[1, 2, 4], [2, 4, 8]]

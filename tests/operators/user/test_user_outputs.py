import re

import dask
import numpy as np
import pytest
from dask.sizeof import sizeof
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.user.user_outputs import UserOutputs
from dask_tapestry.teg.outputs import windows_of
from tests.examples import examples

RANDOM = np.random.default_rng(8)
P = dt.IndexProjection


def three():
    """Outputs of three ranks and shapes: windows of two rows, transposed ranks, a sum a row."""

    def apart(x):
        return np.repeat(x, 2, axis=0), np.argsort(x, axis=1).T, x.sum(axis=1)

    return dt.block_operator(
        index={"i": "parallel", "j": "atomic"},
        inputs={"x": "i j"},
        outputs={
            "twice": P([[2, 0], [0, 1]], [0, 0], [2, 1]),
            "order": "j i",
            "total": "i",
        },
        dtypes={"twice": "f8", "order": "i8", "total": "f8"},
    )(apart)


def values(x):
    return three().__wrapped__(x)


def qr():
    """What has no parallel dimension: (m, n) -> q (m, n), r (n, n)."""
    index = {"m": "atomic", "n": "atomic"}
    outputs = {"q": "m n", "r": P([[0, 0], [0, 1]], [0, 0], [3, 1])}
    return dt.block_operator(index=index, inputs={"x": "m n"}, outputs=outputs)(np.linalg.qr)


def whole_of(array):
    return next(n for n in array.teg.nodes if isinstance(n.operator, UserOutputs))


@examples(40)
@given(
    rows=st.integers(1, 9),
    columns=st.integers(1, 4),
    dtype=st.sampled_from(["f8", "f4", "i2"]),
    block_bytes=st.sampled_from([1, 60, 300, 10**6]),
    workers=st.integers(1, 3),
    wanted=st.sets(st.sampled_from([0, 1, 2]), min_size=1),
    cut=st.integers(1, 5),
)
def test_every_sharding_has_the_values_of_the_whole(
    rows, columns, dtype, block_bytes, workers, wanted, cut
):
    x = RANDOM.integers(-9, 9, (rows, columns)).astype(dtype)
    outputs, expected = three()(dt.asarray(x).rechunk((cut, columns))), values(x)
    machines = dt.Resources(workers, 1, "1 GiB")
    with dt.config(block_bytes=block_bytes, resources=machines):
        arrays = [outputs[n].rechunk(cut) for n in sorted(wanted)]
        arrays += [outputs[n][..., ::2] for n in sorted(wanted)]
        plan = dt.plan(*arrays)
        made = plan.compute(scheduler="sync")
    for n, whole, part in zip(sorted(wanted), made, made[len(wanted) :], strict=False):
        np.testing.assert_array_equal(whole, expected[n].astype(whole.dtype))
        np.testing.assert_array_equal(part, expected[n][..., ::2].astype(part.dtype))


def test_outputs_of_one_call_that_differ_in_rank():
    x = RANDOM.normal(size=(5, 3))
    q, r = dt.compute(*qr()(x))
    assert (q.shape, r.shape) == ((5, 3), (3, 3))
    np.testing.assert_array_equal(q @ r, np.matmul(*np.linalg.qr(x)))


def test_one_task_computes_all_outputs(sync):
    calls = []

    @dt.block_operator(
        index={"i": "parallel", "j": "atomic"},
        inputs={"x": "i j"},
        outputs={"centred": "i j", "mean": "i"},
        dtypes={"centred": "f8", "mean": "f8"},
    )
    def centre(x):
        calls.append(len(x))
        mean = x.mean(axis=1)
        return x - mean[:, None], mean

    x = RANDOM.normal(size=(12, 4))
    with dt.config(resources=dt.Resources(4, 1, "1 GiB"), block_bytes=100):
        plan = dt.plan(*centre(x))
        centred, mean = plan.compute(scheduler="sync")
    assert len(calls) > 1
    assert sum(calls) == 12
    np.testing.assert_array_equal(centred, x - x.mean(axis=1)[:, None])
    np.testing.assert_array_equal(mean, x.mean(axis=1))
    step = r"centre · test_user_outputs\.py:\d+ -> \(centred float64\[4\], mean float64\)\[12\]"
    assert re.search(step, plan.explain())


def test_slices_reach_the_inputs_and_what_nobody_reads_is_left_out():
    twice, _, total = three()(dt.asarray(RANDOM.normal(size=(100, 4))))
    graph = dt.plan(twice[40:50] + 1).teg
    node = next(n for n in graph.nodes if isinstance(n.operator, UserOutputs))
    assert node.type.shape == (5,)
    assert [w.name for w in windows_of(node.type)] == ["twice"]
    both = dt.plan(twice[40:50], total[22]).teg
    node = next(n for n in both.nodes if isinstance(n.operator, UserOutputs))
    assert node.type.shape == (5,)  # the hull of what both need
    assert [w.name for w in windows_of(node.type)] == ["twice", "total"]


def test_a_plan_counts_the_bytes_of_all_outputs():
    x = dt.placeholder((10**6, 100), "f8")
    plan = dt.plan(*three()(x), resources=dt.Resources(8, 2, "4 GiB"))
    plan.verify()
    node = next(n for n in plan.teg.nodes if isinstance(n.operator, UserOutputs))
    assert node.type.nbytes == 10**6 * (1600 + 800 + 8)


@pytest.mark.parametrize(
    ("projection", "text"),
    [
        (
            P([[2]], [0], [3]),
            r"output r .*: its cells \[2:3\] are written at steps 0 and 1 of i",
        ),
        (P([[3]], [0], [2]), r"output r .*: no step of i writes its cells \[2:3\]"),
        (P([[1]], [1], [1]), r"output r .*: its cells \[0:1\] are written by nothing"),
        (P([[0]], [0], [4]), r"output r .*: its cells \[0:4\] are written at every step of i"),
    ],
)
def test_an_output_that_is_not_tiled_once_is_named_with_its_cells(projection, text):
    made = dt.block_operator(
        index={"i": "parallel"}, inputs={"x": "i"}, outputs={"q": "i", "r": projection}
    )(lambda x: (x, x))
    with pytest.raises(dt.SignatureError, match=text):
        made(np.arange(4.0))


def test_a_result_of_another_shape_names_its_output():
    made = dt.block_operator(
        index={"i": "parallel"}, inputs={"x": "i"}, outputs={"q": "i", "r": "i"}
    )(lambda x: (x, x[:1]))  # right for the one cell from which dtypes are learnt
    with pytest.raises(ValueError, match=r"<lambda>'s r returned shape \(1,\)"):
        dt.compute(*made(np.arange(4.0)))


def test_plans_are_saved_and_compared_with_their_graph():
    twice, order, _ = three()(dt.asarray(RANDOM.normal(size=(6, 4))))
    plan = dt.plan(twice, order)
    assert dt.verify(plan, plan.abstract()) is None
    assert str(plan.abstract()).count("useroutputs") == 1


def test_dask_counts_the_bytes_of_all_outputs():
    x = RANDOM.normal(size=(6, 4))
    whole = whole_of(three()(x)[0])
    assert 0 <= sizeof(whole.operator.reference(x)) - 8 * (48 + 24 + 6) < 100


@pytest.mark.exhaustive  # `lower/test_cluster.py` sends blocks
@pytest.mark.cluster
def test_outputs_travel_between_processes():
    x = RANDOM.normal(size=(4000, 300))
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
        dt.config(block_bytes=2**21),
    ):
        twice, order, total = three()(dt.asarray(x).rechunk((1000, 300)))
        turned = (twice[::-1].rechunk((1500, 100)), order.T.rechunk((700, 300)), total)
        made = dask.compute(*turned)
        persisted = order.persist()
        again = persisted[:, 5].compute()
    expected = values(x)
    np.testing.assert_array_equal(made[0], expected[0][::-1])
    np.testing.assert_array_equal(made[1], expected[1].T)
    np.testing.assert_array_equal(made[2], expected[2])
    np.testing.assert_array_equal(again, expected[1][:, 5])

import pickle

import cloudpickle
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.teg.check import check

X = np.arange(24.0).reshape(4, 6)
W = np.arange(18.0).reshape(6, 3)
B = np.arange(3.0)


@dt.block_operator(
    index={"batch": "parallel", "out": "parallel", "in": dt.reduce_over("sum")},
    inputs={"x": "batch in", "w": "in out"},
    outputs={"z": "batch out"},
    finalize=lambda z, b: z + b,
    finalize_inputs={"b": "out"},
)
def linear(x, w):
    """A layer."""
    return x @ w


def operator(function=lambda x: x, **options):
    usual = {"index": {"i": "parallel"}, "inputs": {"x": "i"}, "outputs": {"z": "i"}}
    return dt.block_operator(**(usual | options))(function)


def test_arrays_come_in_order_or_by_name():
    for made in (
        linear(X, W, b=B),
        linear(X, W, B),
        linear(x=X, w=W, b=B),
        linear(dt.asarray(X), W.tolist(), B),
    ):
        assert np.array_equal(made.compute(), X @ W + B)


def test_it_looks_like_its_function():
    assert (linear.__name__, linear.__doc__) == ("linear", "A layer.")
    assert linear.signature.names == ("batch", "out", "in")
    assert repr(linear) == "<block operator linear>"


def test_calls_are_checked_as_python_checks_them():
    with pytest.raises(TypeError, match=r"misses b$"):
        linear(X, W)
    with pytest.raises(TypeError, match="multiple values for 'w'"):
        linear(X, W, B, w=W)
    with pytest.raises(TypeError, match="takes x, w, b: 4 were given"):
        linear(X, W, B, B)


def test_keywords_that_are_no_arrays_reach_the_function():
    scaled = operator(lambda x, by=1: x * by)
    assert np.array_equal(scaled(np.arange(3), by=4).compute(), [0, 4, 8])
    assert scaled(np.arange(3), by=4).dtype == "i8"
    x = dt.arange(3)
    assert scaled(x, by=2).node is scaled(x, by=2).node
    assert scaled(x, by=2).node is not scaled(x, by=3).node


def test_the_same_function_makes_the_same_node():
    assert linear(dt.ones((2, 3)), dt.ones((3, 2)), [1, 2]).node.operator == (
        linear(dt.ones((2, 3)), dt.ones((3, 2)), [3, 4]).node.operator
    )


def test_misfits_name_operator_shapes_and_dimension():
    with pytest.raises(dt.SignatureError, match=r"linear: dimension in is 6 and 5: .*\(4, 6\)"):
        linear(X, np.ones((5, 3)), B)
    with pytest.raises(dt.SignatureError, match="linear: x has 2 dimensions, not shape"):
        linear(X[0], W, B)
    with pytest.raises(dt.SignatureError, match="dimension out is 3 and 4"):
        linear(X, W, np.ones(4))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"index": {"i": "sideways"}}, "'sideways'"),
        ({"inputs": {"x": "i j"}}, "'j', which is not a dimension"),
        ({"inputs": {"x": "i i"}}, "twice"),
        ({"outputs": {}, "index": {"i": dt.reduce_over("sum")}}, "no output"),
        ({"outputs": {}, "finalize": max}, "finalize needs an output"),
        ({"index": {"i": dt.reduce_over(("sum", "max"))}, "outputs": {"z": ""}}, "2 monoids"),
        ({"index": {"i": dt.reduce_over(("sum", "sums"))}, "outputs": {"z": ""}}, "'sums'"),
        ({"outputs": {"z": ""}}, "more than once"),
        ({"index": {"i": dt.reduce_over("sum")}}, "folded"),
        ({"index": {"i": "parallel", "k": "parallel"}, "outputs": {"z": "i k"}}, "follows k"),
        ({"index": {"i": dt.reduce_over("mean")}, "outputs": {"z": ""}}, "'mean'"),
        ({"extents": {"j": 3}}, "not dimensions"),
        ({"inputs": {"x": dt.IndexProjection([[1, 0]], [0], [1])}}, "takes 2 index dimensions"),
        ({"finalize_inputs": {"b": "i"}}, "without finalize"),
        (
            {
                "index": {"i": "parallel", "k": dt.reduce_over("sum")},
                "inputs": {"x": "i k"},
                "finalize": max,
                "finalize_inputs": {"b": dt.IndexProjection([[1, 1]], [0], [1])},
            },
            "input b",
        ),
        ({"costs": {"tasks": {"i": 1}}}, "planner's own"),
        ({"costs": {"ram": {"j": 1}}}, "not a dimension"),
    ],
)
def test_what_is_no_signature_is_refused(options, text):
    with pytest.raises(dt.SignatureError, match=text):
        operator(**options)


def test_of_two_monoids_the_last_folds_what_the_other_made(shardings):
    x = np.random.default_rng(0).normal(size=(3, 4, 50))
    largest = operator(
        lambda x: x.sum(axis=1).max(axis=1),
        index={"i": "parallel", "j": dt.reduce_over("sum"), "k": dt.reduce_over("max")},
        inputs={"x": "i j k"},
        outputs={"z": "i"},
    )
    plan = largest(dt.placeholder((3, 4, 10**7), "f8")).plan(resources=dt.Resources(8, 1, "1 GiB"))
    plan.verify()
    assert plan.cost["tasks"] > 8
    with shardings.tiny(64):
        np.testing.assert_allclose(largest(x).compute(), x.sum(axis=1).max(axis=1), rtol=1e-13)


def test_a_monoid_for_each_output(shardings):
    both = operator(
        lambda x: (x.sum(axis=1), x.max(axis=1)),
        index={"i": "parallel", "k": dt.reduce_over(("sum", "max"))},
        inputs={"x": "i k"},
        outputs={"total": "i", "largest": "i"},
    )
    plan = dt.plan(*both(dt.placeholder((3, 10**7), "f8")), resources=dt.Resources(8, 1, "1 GiB"))
    plan.verify()
    assert plan.cost["tasks"] > 8
    with shardings.tiny(64):
        total, largest = dt.compute(*both(X))
    np.testing.assert_allclose(total, X.sum(axis=1), rtol=1e-13)
    np.testing.assert_array_equal(largest, X.max(axis=1))
    with pytest.raises(dt.ShapeError, match="maximum which has no identity"):
        both(X[:, :0])


@pytest.mark.parametrize("block_bytes", [8, 100, 10**6])
def test_finalize_follows_projections(block_bytes, shardings):
    smooth = operator(
        lambda x: np.repeat(x.sum(axis=1), 2),
        index={"i": "parallel", "k": dt.reduce_over("sum")},
        inputs={"x": "i k"},
        outputs={"z": dt.IndexProjection([[2, 0]], [0], [2])},
        finalize=lambda z, b: z + np.repeat(b[1:] - b[:-1], 2),
        finalize_inputs={"b": dt.IndexProjection([[1, 0]], [0], [2])},
    )
    b = np.arange(len(X) + 1) ** 2
    with shardings.tiny(block_bytes):
        made = smooth(X, b=b).compute()
    np.testing.assert_allclose(made, np.repeat(X.sum(axis=1) + np.diff(b), 2), rtol=1e-13)
    with pytest.raises(dt.SignatureError, match="of b, which has shape"):
        smooth(X, b=b[:-1])


def test_a_source_is_told_where_its_block_lies(shardings):
    data = np.random.default_rng(0).normal(size=(50, 3))
    asked = []

    def read(i):
        asked.append(i)
        return data[i]

    source = operator(
        read, index={"i": 50, "j": "atomic"}, inputs={}, outputs={"z": "i j"}, extents={"j": 3}
    )
    with shardings.tiny(200):
        np.testing.assert_array_equal(source().compute(), data)
    assert len(asked) > 3
    np.testing.assert_array_equal(source()[7:30:3].compute(), data[7:30:3])
    np.testing.assert_array_equal(source()[::-1, 1].compute(), data[::-1, 1])


def test_a_dimension_that_only_the_function_knows(shardings):
    weighted = operator(
        lambda x, k: x * np.arange(k.start, k.stop).sum(),
        index={"i": "parallel", "k": dt.reduce_over("sum")},
        inputs={"x": "i"},
        outputs={"z": "i"},
        extents={"k": 100},
    )
    with shardings.tiny(64):
        np.testing.assert_array_equal(weighted(np.arange(4.0)).compute(), np.arange(4.0) * 4950)


def test_a_sink_is_called_for_every_block_once_when_it_is_computed(shardings):
    target, calls = np.zeros((20, 3)), []

    def put(x, i):
        calls.append(i)
        target[i] = x

    sink = operator(put, index={"i": "parallel", "j": "atomic"}, inputs={"x": "i j"}, outputs={})
    cells = np.random.default_rng(0).normal(size=(20, 3))
    write = sink(dt.asarray(cells) * 2)
    assert isinstance(write, dt.Effect)
    assert not calls
    with shardings.tiny(60):
        write.compute()
    np.testing.assert_array_equal(target, cells * 2)
    assert len(calls) > 3
    assert sum(i.stop - i.start for i in calls) == 20


def test_sinks_have_an_order():
    order = []
    sinks = [
        operator(
            lambda x, n=n: order.append(n), index={"i": "parallel"}, inputs={"x": "i"}, outputs={}
        )
        for n in range(3)
    ]
    first = sinks[0](np.ones(3))
    second = sinks[1](np.ones(3), after=[first])
    sinks[2](np.ones(3), after=[second]).compute()
    assert order == [0, 1, 2]


def test_a_function_must_take_what_no_input_follows():
    with pytest.raises(dt.SignatureError, match="by the name i, as a slice"):
        operator(lambda: np.ones(3), index={"i": 3}, inputs={}, outputs={"z": "i"})


def test_several_outputs_come_of_one_call(sync):
    calls = []

    @dt.block_operator(
        index={"i": "parallel", "j": "atomic"},
        inputs={"x": "i j"},
        outputs={"order": "j i", "total": "i"},
        dtypes={"order": "i8", "total": "f8"},
    )
    def both(x):
        calls.append(x.shape)
        return {"total": x.sum(axis=1), "order": np.argsort(-x, axis=1).T}

    order, total = both(X)
    ordered, summed = dt.compute(order, total)
    assert np.array_equal(ordered, np.argsort(-X, axis=1).T)
    assert np.array_equal(summed, X.sum(axis=1))
    assert calls == [(4, 6)]
    assert np.array_equal(order[1:3, 2].compute(), ordered[1:3, 2])


def test_outputs_are_finalized_together():
    index = {"i": "parallel", "k": dt.reduce_over("sum")}
    made = dt.block_operator(
        index=index,
        inputs={"x": "i k"},
        outputs={"total": "i", "count": "i"},
        finalize=lambda total, count: (total / count, count),
    )(lambda x: (x.sum(axis=1), np.full(len(x), x.shape[1])))
    mean, count = made(X)
    assert np.array_equal(mean.compute(), X.mean(axis=1))
    assert np.array_equal(count.compute(), [6] * 4)


def test_a_product_of_no_terms_is_zeros():
    assert np.array_equal(linear(np.ones((4, 0)), np.ones((0, 3)), B).compute(), [B] * 4)
    assert linear(np.ones((0, 2)), np.ones((2, 3)), B).compute().shape == (0, 3)
    assert linear(np.ones((0, 0)), np.ones((0, 0)), B[:0]).compute().shape == (0, 0)


@pytest.mark.parametrize("kind", ["atomic", "sequential"])
def test_a_block_may_have_none_of_a_dimension_that_is_not_cut(kind):
    made = operator(
        lambda x: (np.sort(x, axis=1), x.sum(axis=1)),
        index={"i": "parallel", "k": kind},
        inputs={"x": "i k"},
        outputs={"order": "i k", "total": "i"},
    )
    order, total = dt.compute(*made(X[:, :0]))
    assert order.shape == (4, 0)
    assert total.tolist() == [0, 0, 0, 0]
    order, total = dt.compute(*made(X[:0]))
    assert (order.shape, total.shape) == ((0, 6), (0,))


def test_a_sequential_dimension_of_no_worker_tells_the_way_out():
    made = operator(
        np.cumsum,
        index={"i": "sequential"},
        inputs={"x": "i"},
        outputs={"y": "i"},
        dtypes={"y": "f8"},
    )
    with pytest.raises(dt.MemoryLimitError, match=r"dimension i is sequential.*dt.scan_over"):
        dt.plan(made(dt.placeholder((10**9,), "f8")), resources=dt.Resources(4, 1, "1 GiB"))


def test_several_outputs_of_no_steps_have_their_shapes():
    made = operator(
        lambda x: (x.sum(axis=2), x.sum(axis=(1, 2))),
        index={"i": "parallel", "j": "atomic", "k": dt.reduce_over("sum")},
        inputs={"x": "i j k"},
        outputs={"each": "j i", "total": "i"},
        finalize=lambda each, total: (each + 1, total - 1),
        dtypes={"each": "f8", "total": "f8"},
    )
    each, total = dt.compute(*made(np.ones((3, 2, 0))))
    assert np.array_equal(each, np.ones((2, 3)))
    assert np.array_equal(total, [-1] * 3)


def test_windows_strides_and_dilation():
    w = np.array([1.0, 2.0, 4.0])
    convolve = dt.block_operator(
        index={"at": "parallel", "tap": dt.reduce_over("sum")},
        inputs={"x": dt.IndexProjection([[2, 3]], [1], [1]), "w": "tap"},
        outputs={"z": "at"},
    )(lambda x, w: sum(x[3 * t : len(x) - 3 * (len(w) - 1 - t) : 2] * w[t] for t in range(len(w))))
    x = np.arange(20.0)
    expected = [sum(x[1 + 2 * i + 3 * t] * w[t] for t in range(3)) for i in range(7)]
    assert np.array_equal(convolve(x, w).compute(), expected)
    assert np.array_equal(convolve(x, w)[2:5].compute(), expected[2:5])
    with dt.config(block_bytes=16, resources=dt.Resources(1, 8, "1 GiB")):
        plan = dt.plan(convolve(x, w))
        plan.verify()
        assert np.array_equal(plan.compute(), expected)


def test_an_extent_that_shapes_do_not_tell():
    powers = operator(
        lambda x: x[:, None] ** np.arange(4),
        index={"i": "parallel", "n": "atomic"},
        outputs={"z": "i n"},
        extents={"n": 4},
    )
    assert powers(np.arange(3)).compute().tolist() == [[1, 0, 0, 0], [1, 1, 1, 1], [1, 2, 4, 8]]
    with pytest.raises(dt.SignatureError, match="extent of n"):
        operator(index={"i": "parallel", "n": "atomic"}, outputs={"z": "i n"})(np.arange(3))


def test_dtypes_are_learnt_or_given():
    assert operator(lambda x: x / 2)(np.arange(3)).dtype == "f8"
    assert operator(lambda x: x * 2, dtype="f4")(np.arange(3)).dtype == "f4"
    with pytest.raises(dt.SignatureError, match=r"ValueError: no; give the dtype"):
        operator(_fails)(np.arange(3))
    assert operator(_fails, dtype="f4")(np.arange(3)).dtype == "f4"


def _fails(x):
    raise ValueError("no")


def test_it_waits_for_what_is_named_in_after(sync):
    import zarr

    store, seen = zarr.storage.MemoryStore(), []
    first = dt.to_zarr(dt.ones(3), store, compute=False)

    def look(x):
        seen.append(float(zarr.open_array(store, mode="r")[:].sum()))
        return x

    then = operator(look, dtype="f8")(np.ones(3), after=[first])
    assert np.array_equal((then + 1).compute(), [2, 2, 2])
    assert seen == [3.0]


def test_it_is_pickled_by_name_or_by_value():
    assert pickle.loads(pickle.dumps(linear)) is linear
    local = operator(lambda x: x + 1)
    again = pickle.loads(pickle.dumps(local))
    assert np.array_equal(again(np.arange(3)).compute(), [1, 2, 3])
    assert again.signature == local.signature
    assert cloudpickle.loads(cloudpickle.dumps(local)).__name__ == local.__name__


def test_its_graph_is_legal_and_prints():
    x = linear(dt.ones((2, 3)), dt.ones((3, 2)), b=[1.0, 2.0])
    check(x.teg)
    assert str(x.teg).splitlines()[-3:] == [
        "%3 = memory() : float64[2]",
        "%4 = finalize(%2, %3, <lambda>) : float64[2, 2]",
        "return %4",
    ]

import pickle

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.user import user_windows
from dask_tapestry.operators.user.user_operator import UserOperator, cut_dimension
from dask_tapestry.teg import Progression, Region, apply
from dask_tapestry.teg.operator import signature_of
from tests.operators.blocks import by_blocks, on_region, picked
from tests.operators.in_forms import formed

X = np.arange(24.0).reshape(4, 6)
W = np.arange(18.0).reshape(6, 3)
EIGHT = dt.Resources(workers=8, threads=1, memory="4 GiB")


@dt.block_operator(
    index={"batch": "parallel", "out": "parallel", "in": dt.reduce_over("sum")},
    inputs={"x": "batch in", "w": "in out"},
    outputs={"z": "batch out"},
    costs={"flops": {"batch in out": 2}, "ram": {"batch": 8}},
)
def product(x, w):
    """A product."""
    return x @ w


@dt.block_operator(
    index={"at": "parallel"},
    inputs={"x": dt.IndexProjection([[2]], [0], [3])},
    outputs={"z": "at"},
)
def windows(x):
    return x[:-2:2] + x[1:-1:2] + x[2::2]


@dt.block_operator(
    index={"row": "parallel", "i": "atomic"}, inputs={"x": "row i"}, outputs={"z": "row i"}
)
def ranked(x):
    return np.sort(x, axis=1)


def node_of(array):
    return array.node


def block_of(array):
    """The user block that an array ends in."""
    return next(n for n in reversed(array.teg.nodes) if isinstance(n.operator, UserOperator))


@pytest.mark.parametrize("step", [1, 2, 9])
def test_blocks_of_any_size_make_the_whole(step):
    node = block_of(product(X, W))
    assert np.array_equal(by_blocks(node, (X, W), step), X @ W)
    node = block_of(windows(np.arange(9.0)))
    assert np.array_equal(by_blocks(node, (np.arange(9.0),), step), [3, 9, 15, 21])
    assert np.array_equal(by_blocks(block_of(ranked(-X)), (-X,), step), np.sort(-X, 1))


@pytest.mark.parametrize("part", [1, 2, 4, 5])
@pytest.mark.parametrize("step", [1, 2, 9])
def test_parts_are_results_of_parts(part, step):
    node = block_of(product(X, W))
    operator = node.operator.in_parts(part)
    from dask_tapestry.teg import apply

    partial = apply(operator, *node.inputs)
    made = by_blocks(partial, (X, W), step)
    assert np.array_equal(made, operator.reference(X, W))
    assert np.array_equal(made.sum(axis=0), X @ W)


def test_a_cell_reads_what_its_projection_says():
    node = block_of(windows(np.arange(9.0)))
    (read,) = signature_of(node.operator, node.input_types).demand(node.type.box)
    assert (read.lo, read.hi) == ((0,), (9,))


@pytest.mark.parametrize("region", [Progression(1, 1, 2), Progression(0, 2, 2)])
def test_windows_are_restricted_to_what_is_wanted(region):
    x = np.arange(11.0)
    node, wanted = block_of(windows(x)), Region([region])
    (part,) = node.operator.restrict(node.input_types, wanted).inputs
    assert part[0].count < 11
    value, yields = on_region(node, (x,), wanted)
    assert np.array_equal(value, picked(node.operator.reference(x), yields))
    inner = yields.position(wanted)
    assert np.array_equal(picked(value, inner), picked(node.operator.reference(x), wanted))


def weighted(step, width, dilation, offset):
    """An operator of windows with weights 1, 2, ..., that begin at `offset`."""

    def of_block(x, w):
        n = len(w)
        taps = [x[t * dilation :][: step * (n - 1) + 1 : step] for t in range(width)]
        return sum((t + 1) * tap for t, tap in enumerate(taps)) * w

    return dt.block_operator(
        index={"at": "parallel"},
        inputs={"x": dt.IndexProjection([[step]], [offset], [width], dilation), "w": "at"},
        outputs={"z": "at"},
    )(of_block)


SLICES = [
    np.s_[::2],
    np.s_[1::3],
    np.s_[::-1],
    np.s_[-2:0:-2],
    np.s_[2:5],
    np.s_[3:3],
    np.s_[-1],
    np.s_[4],
    np.s_[-3:],
]


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("worth", [user_windows.WINDOW_GAP_BYTES, 1])
@pytest.mark.parametrize("block_bytes", [8, 24, 10**6])
@pytest.mark.parametrize("window", [(1, 3, 1, 0), (2, 3, 1, 1), (3, 1, 1, 0), (2, 2, 3, 2)])
def test_slices_of_windows_are_those_of_the_whole(
    window, block_bytes, worth, shardings, monkeypatch
):
    monkeypatch.setattr(user_windows, "WINDOW_GAP_BYTES", worth)
    step, width, dilation, offset = window
    x, w = np.arange(40.0) ** 2, np.arange(1.0, 9.0)
    starts = offset + step * np.arange(8)
    whole = sum((t + 1) * x[starts + t * dilation] for t in range(width)) * w
    made = weighted(*window)(x, w)
    with shardings.tiny(block_bytes):
        alone = [made[i].compute() for i in SLICES]
        values = dt.compute(*[made[i] for i in SLICES])
    for i, together, one in zip(SLICES, values, alone, strict=True):
        assert np.array_equal(together, whole[i])
        assert np.array_equal(one, whole[i])


@pytest.mark.parametrize(
    "index", [np.s_[::2, 1::2], np.s_[::-3, ::-1], np.s_[1, ::3], np.s_[2:3], np.s_[..., -2]]
)
@pytest.mark.parametrize("worth", [user_windows.WINDOW_GAP_BYTES, 1])
def test_slices_of_windows_in_several_dimensions(index, worth, shardings, monkeypatch):
    monkeypatch.setattr(user_windows, "WINDOW_GAP_BYTES", worth)
    rows = dt.IndexProjection([[2, 0], [0, 1]], [0, 0], [2, 1])
    twice = dt.IndexProjection([[0, 1], [3, 0]], [0, 0], [1, 3])
    pairs = dt.block_operator(
        index={"i": "parallel", "j": "parallel"}, inputs={"x": rows}, outputs={"z": twice}
    )(lambda x: np.repeat((x[:-1:2] - x[1::2]).T, 3, axis=1))
    x = np.arange(77.0).reshape(11, 7) ** 2
    whole = np.repeat((x[:10:2] - x[1::2]).T, 3, axis=1)
    assert np.array_equal(pairs(x)[index].compute(), whole[index])
    with shardings.tiny(64):
        assert np.array_equal((pairs(x)[index] + 1).compute(), whole[index] + 1)


def test_an_atomic_axis_is_computed_whole_and_not_cut(shardings):
    x = np.random.default_rng(0).normal(size=(6, 50))
    with shardings.tiny(64):
        plan = dt.plan(ranked(x))
        assert {len(step.cuts) and step.cuts[1].count for step in plan.core.steps.values()} == {1}
        assert np.array_equal(plan.compute(), np.sort(x, 1))
        assert np.array_equal((ranked(x) + 1)[:, 3].compute(), np.sort(x, 1)[:, 3] + 1)
        assert np.array_equal(ranked(x).rechunk((2, 7)).compute(), np.sort(x, 1))
        assert np.array_equal(ranked(x).reshape(-1).compute(), np.sort(x, 1).reshape(-1))


def test_slices_reach_the_inputs():
    x = dt.placeholder((10_000, 5000), "f8")
    w = dt.placeholder((5000, 4000), "f8")
    graph = dt.plan(product(x, w)[:5, 7]).core.graph
    node = next(n for n in graph.nodes if isinstance(n.operator, UserOperator))
    assert [i.shape for i in node.input_types] == [(5, 5000), (5000, 1)]
    graph = dt.plan(windows(dt.placeholder((100_001,), "f8"))[10:13]).core.graph
    node = next(n for n in graph.nodes if isinstance(n.operator, UserOperator))
    assert [i.shape for i in node.input_types] == [(7,)]


def test_a_long_reduction_dimension_is_cut():
    x, w = dt.placeholder((10, 10**7), "f8"), dt.placeholder((10**7, 20), "f8")
    plan = dt.plan(product(x, w), resources=EIGHT)
    plan.verify()
    names = [n.operator.name for n in plan.core.graph.nodes]
    assert names[-2:] == ["useroperator", "reduce"]
    assert "parts of" in plan.core.graph.nodes[-2].operator.text()
    assert plan.cost["tasks"] > 8
    assert plan.cost["flops"] == pytest.approx(2 * 10 * 20 * 10**7, rel=1e-3)


def test_many_rows_leave_the_reduction_dimension_whole():
    x, w = dt.placeholder((10**6, 100), "f8"), dt.placeholder((100, 20), "f8")
    plan = dt.plan(product(x, w), resources=EIGHT)
    plan.verify()
    assert [n.operator.name for n in plan.core.graph.nodes][-1] == "useroperator"
    assert plan.cost["tasks"] > 8


def test_maps_around_it_are_in_its_step():
    x, w = dt.placeholder((10**6, 100), "f8"), dt.placeholder((100, 20), "f8")
    plan = dt.plan(abs(product(x * 2, w)) + 1, resources=EIGHT)
    ends = [[i.operator.name for i in s.program.instructions] for s in plan.core.steps.values()]
    after = ["useroperator", "elementwise"]
    assert ends[-1][-3:] == ["elementwise", *after] or ends[-1][-2:] == after
    assert "elementwise" in ends[-1][:-2]


@pytest.mark.parametrize("method", ["auto", "none"])
def test_a_plan_computes_it(method):
    generator = np.random.default_rng(0)
    x, w = generator.normal(size=(3, 30_000)), generator.normal(size=(30_000, 4))
    with dt.config(block_bytes=40_000, resources=dt.Resources(1, 8, "1 GiB")):
        made = product(x, w)
        for value in (made, dt.Array(formed(block_of(made), "parts", 1000))):
            plan = dt.plan(value, method=method)
            plan.verify()
            np.testing.assert_allclose(plan.compute(), x @ w, rtol=1e-10)


def test_costs_are_summed_over_blocks():
    cost = product(X, W).plan().cost
    assert cost["ram"] == 8 * 4
    assert cost["flops"] == 2 * 4 * 6 * 3


def test_functions_that_write_to_their_blocks_get_copies():
    @dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
    def clipped(x):
        x[x < 0] = 0
        return x

    cells = np.array([-1.0, 2.0])
    assert np.array_equal(clipped(cells).compute(), [0, 2])
    assert cells[0] == -1


def test_what_a_function_returns_is_checked():
    def wrong(function, error, **options):
        made = dt.block_operator(
            index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"}, dtype="i8", **options
        )(function)
        with pytest.raises(error):
            made(np.arange(4)).compute()

    wrong(lambda x: x[:1], ValueError)
    wrong(lambda x: x / 2, TypeError)


def test_nothing_is_called_for_no_cells():
    @dt.block_operator(
        index={"i": "parallel", "j": dt.reduce_over("max")},
        inputs={"x": "i j"},
        outputs={"z": "i"},
        dtype="f8",
    )
    def largest(x):
        return x.max(axis=1)

    assert largest(np.ones((0, 3))).compute().shape == (0,)


def test_a_dimension_that_runs_backwards_is_not_cut_in_parts():
    node = block_of(product(X, W))
    operator = node.operator
    assert cut_dimension(operator.index, operator.reads) == 2
    assert cut_dimension(operator.index, [dt.IndexProjection([[0, 0, 1]], [0], [2])]) == 2
    assert cut_dimension(operator.index, [dt.IndexProjection([[0, 0, -1]], [9], [1])]) is None


@pytest.mark.covering
@pytest.mark.parametrize("part", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("step", [1, 2, 9])
@pytest.mark.parametrize(("pace", "window", "stride"), [(1, 1, 1), (1, 3, 1), (2, 2, 1), (3, 2, 2)])
def test_parts_of_a_windowed_reduction(part, step, pace, window, stride):
    """Sums of windows of a window that moves with both the output and what is folded."""
    outputs, terms, hull = 4, 5, stride * (window - 1) + 1

    def folded(x, w):
        count = (len(x) - hull - pace * (len(w) - 1)) // 2 + 1
        return np.array(
            [
                sum(w[k] * x[2 * i + pace * k :][:hull:stride].sum() for k in range(len(w)))
                for i in range(count)
            ]
        )

    declared = dt.block_operator(
        index={"i": "parallel", "k": dt.reduce_over("sum")},
        inputs={"x": dt.IndexProjection([[2, pace]], [0], [window], stride), "w": "k"},
        outputs={"z": "i"},
        extents={"i": outputs},
    )(folded)
    x = np.arange(2.0 * (outputs - 1) + pace * (terms - 1) + hull)
    w = np.arange(1.0, terms + 1)
    node = block_of(declared(x, w))
    parts = apply(node.operator.in_parts(part), *node.inputs)
    made = by_blocks(parts, (x, w), step)
    np.testing.assert_array_equal(made, parts.operator.reference(x, w))
    np.testing.assert_array_equal(made.sum(axis=0), folded(x, w))


def test_a_long_windowed_reduction_is_cut():
    declared = dt.block_operator(
        index={"k": dt.reduce_over("sum")},
        inputs={"x": dt.IndexProjection([[2]], [0], [3])},
        outputs={"z": ()},
    )(lambda x: (x[:-2:2] * x[2::2]).sum())
    plan = declared(dt.placeholder((10**8 + 1,), "f8")).plan(resources=EIGHT)
    plan.verify()
    assert plan.cost["tasks"] > 8
    assert plan.cost["bytes_read"] < 8.1e8
    x = np.arange(101.0)
    assert declared(x).compute() == (x[:-2:2] * x[2::2]).sum()


def test_names_of_dimensions_follow():
    x = dt.asarray(X).rename("row", "k")
    assert product(x, W).dims == ("row", None)


def test_it_travels_to_processes():
    node = product(X, W).node
    assert pickle.loads(pickle.dumps(node)) is node
    with dask.config.set(scheduler="processes", num_workers=1):
        assert np.array_equal(product(X, W).compute(), X @ W)


SEEN = []


def widened(width):
    """An operator whose step yields `width` cells, which grow with their place in the step."""

    def of_block(x):
        SEEN.append(len(x))
        return (x[:, None] * 10 + np.arange(width)).reshape(-1)

    return dt.block_operator(
        index={"at": "parallel"},
        inputs={"x": "at"},
        outputs={"z": dt.IndexProjection([[width]], [0], [width])},
        dtype="i8",
    )(of_block)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("block_bytes", [8, 40, 100, 10**6])
def test_an_output_of_windows_is_cut_between_them(width, block_bytes, shardings):
    x = np.arange(50)
    whole = (x[:, None] * 10 + np.arange(width)).reshape(-1)
    made = widened(width)(x)
    assert made.node.operator.granularity(made.node.input_types) == (width,)
    with shardings.tiny(block_bytes, workers=1, threads=4):
        for value, expected in (
            (made, whole),
            (made + 1, whole + 1),
            (abs(made[5:-1]), whole[5:-1]),
        ):
            plan = dt.plan(value)
            plan.verify()
            SEEN.clear()
            assert np.array_equal(plan.compute(), expected)
            assert sum(SEEN) <= len(x), "each window is computed once"
            (lengths,) = plan.chunks(0)
            assert block_bytes > 100 or len(lengths) > 4
            assert sum(n % width > 0 for n in lengths) <= 2


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("sides", [(1,), (2,), (7,), (10,), (149, 1)])
def test_windows_are_right_in_any_layout(sides, shardings):
    x = np.arange(50)
    whole = (x[:, None] * 10 + np.arange(3)).reshape(-1)
    chunks = (sides if len(sides) > 1 else sides[0],)
    with shardings.tiny(64, workers=1, threads=4):
        made = widened(3)(x)
        assert np.array_equal(made.rechunk(chunks).compute(), whole)
        assert np.array_equal((made.rechunk(chunks) + made).compute(), 2 * whole)


def test_windows_are_written_to_a_store_in_whole_pieces(tmp_path, shardings):
    made = widened(3)(np.arange(50))
    with shardings.tiny(64, workers=1, threads=4):
        for side in (2, 3, 5, 12):
            dt.to_zarr(made, tmp_path / f"{side}", chunks=(side,))
            assert np.array_equal(dt.from_zarr(tmp_path / f"{side}").compute(), made.compute())


@pytest.mark.parametrize("count", [0, 3])
def test_folded_dimensions_that_are_empty_have_the_identity(count, shardings):
    """Also of several outputs, and with what is applied to folded results."""
    summed = dt.block_operator(
        index={"row": "parallel", "in": dt.reduce_over("sum")},
        inputs={"x": "row in"},
        outputs={"total": "row", "twice": "row"},
    )(lambda x: (x.sum(axis=1), 2 * x.sum(axis=1)))
    shifted = dt.block_operator(
        index={"row": "parallel", "in": dt.reduce_over("prod")},
        inputs={"x": "row in"},
        outputs={"z": "row"},
        finalize=lambda z, b: z + b,
        finalize_inputs={"b": "row"},
    )(lambda x: x.prod(axis=1))
    empty, b = dt.ones((count, 0)), np.arange(float(count))
    with shardings.tiny(8):
        for one in summed(empty):
            np.testing.assert_array_equal(one.compute(), np.zeros(count), strict=True)
        np.testing.assert_array_equal(shifted(empty, b).compute(), 1 + b, strict=True)


def test_a_point_costs_the_cells_of_its_largest_operand():
    """Extents of dimensions that blocks have whole are not multiplied with each other."""
    x, at, to = dt.ones((50, 30)), dt.ones(30), dt.ones(7)
    y = dt.apply_gufunc(
        lambda x, at, to: np.ones((*x.shape[:-1], to.size)), "(i),(i),(j)->(j)", x, at, to,
        output_dtypes="f8",
    )  # fmt: skip
    operator, inputs = y.node.operator, tuple(one.type for one in y.node.inputs)
    assert operator.flops(inputs, y.node.type.box) == 50 * 30


def test_a_window_costs_its_cells():
    node = windows(dt.ones(9)).node
    assert node.operator.flops((node.inputs[0].type,), node.type.box) == 4 * 3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.cell_updates import cell_update, ufunc_update
from dask_tapestry.operators.indexing import bucket_shuffle
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.scatter import by_shuffle, scatter, scatter_places
from tests.operators.dimension_numbers import problems, scattered
from tests.operators.indexed import SHAPES, check, numbers, places
from tests.operators.views.test_view import region_of

FOLDS = {
    "update": lambda d, u: (u,),
    "add": lambda d, u: (d + u,),
    "mul": lambda d, u: (d * u,),
    "min": lambda d, u: (np.minimum(d, u),),
    "less": lambda d, u: (u if u < d else d,),
    "greater": lambda d, u: (u if u > d else d,),
}


@given(SHAPES, st.data())
def test_values_are_put_where_places_say_and_the_last_one_wins(shape, data):
    x = numbers(shape)
    axes = sorted(data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)))
    sides = data.draw(st.sampled_from([(), (3,), (2, 2)]))
    found = [places(data.draw, sides, shape[axis]) for axis in axes]
    if any(p is None or p.shape != sides for p in found):
        return
    kept = [n for dim, n in enumerate(shape) if dim not in axes]
    at = data.draw(st.integers(0, len(kept)))
    values = -numbers((*kept[:at], *sides, *kept[at:]))
    node = scatter_places(
        dt.asarray(x).node, [dt.asarray(p).node for p in found], axes, at, dt.asarray(values).node
    )
    expected = x.copy()
    front = np.moveaxis(expected, axes, range(len(axes)))
    front[tuple(found)] = np.moveaxis(values, range(at, at + len(sides)), range(len(sides)))
    indices = found[0] if len(found) == 1 else np.stack(found, -1)
    check(node, [x, indices, values], data)
    np.testing.assert_array_equal(node.operator.reference(x, indices, values), expected)


def test_values_broadcast_and_take_the_dtype():
    x = dt.zeros((2, 3), "i2").node
    node = scatter_places(x, [dt.asarray([2, 0]).node], [1], 1, dt.asarray(7.9).node)
    assert node.type == x.type
    assert dt.Array(node).compute().tolist() == [[7, 0, 7]] * 2


def test_what_does_not_fit_is_refused():
    x = dt.zeros((2, 3)).node
    with pytest.raises(DTypeError, match="integers"):
        scatter_places(x, [dt.ones(2).node], [1], 1, dt.ones(2).node)
    with pytest.raises(ShapeError):
        scatter_places(x, [dt.asarray([0]).node], [1], 1, dt.ones(5).node)


def inputs_of(problem, data, count=1):
    """Inputs of `problem`'s shapes, indices some of which are out of bounds, updates."""
    _, operand, vectors, _, shape = problem
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    inputs = [generator.normal(size=operand) for _ in range(count)]
    updates = [generator.normal(size=shape) for _ in range(count)]
    return inputs, generator.integers(-3, 6, vectors), updates


@given(problems(), st.sampled_from(list(FOLDS)), st.data())
def test_blocks_and_regions_hold_what_the_specification_says(problem, name, data):
    dims = DimensionNumbers(**problem[0])
    (x,), indices, (updates,) = inputs_of(problem, data)
    tensors = [dt.asarray(one).node for one in (x, indices, updates)]
    expressions = [cell_update(name, x.dtype)]
    (node,) = scatter(tensors[:1], tensors[1], tensors[2:], dims, expressions)
    (expected,) = scattered([x], indices, [updates], dims, FOLDS[name])
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 40, 10**6]))):
        found = dt.Array(node)
        found.plan().verify()
        np.testing.assert_array_equal(found.compute(), expected)
    if node.operator.name == "scatter":
        check(node, [x, indices, updates], data)
    region = region_of(data.draw, node.type.shape)
    part = tuple(slice(p.start, max(p.stop, p.start), p.step) for p in region)
    np.testing.assert_array_equal(found[part].compute(), expected[part])


@given(problems(), st.booleans(), st.data())
def test_several_results_are_computed_together(problem, only_one, data):
    dims = DimensionNumbers(**problem[0])
    inputs, indices, updates = inputs_of(problem, data, 2)
    f8 = np.dtype("f8")
    made = []
    for operands in ((0, 3), (1, 2)):
        builder = CellBuilder((f8,) * 4)
        made.append(builder.finish(builder.call("add", operands, f8)))
    tensors = [[dt.asarray(one).node for one in part] for part in (inputs, [indices], updates)]
    nodes = scatter(tensors[0], tensors[1][0], tensors[2], dims, made)
    expected = scattered(inputs, indices, updates, dims, lambda a, b, u, v: (a + v, b + u))
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 40, 10**6]))):
        if only_one:
            np.testing.assert_array_equal(dt.Array(nodes[1]).compute(), expected[1])
            return
        found = dt.compute(*map(dt.Array, nodes))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_windows_shorter_than_a_dimension_are_folded_into_a_slice():
    dims = DimensionNumbers((1,), (0,), (), (), (0,), 1)
    x, updates = dt.zeros((4, 6)), dt.ones((2, 3))
    (node,) = scatter(
        [x.node], dt.asarray([1, 9]).node, [updates.node], dims, [cell_update("add", x.dtype)]
    )
    expected = np.zeros((4, 6))
    expected[1, :3] = 1
    np.testing.assert_array_equal(dt.Array(node).compute(), expected)


def test_batching_and_free_axes_are_read_alone():
    dims = DimensionNumbers((2,), (1,), (0,), (0,), (1,), 2)
    x, indices = dt.ones((50, 60, 70)).node, dt.zeros((50, 9), "i8").node
    given_ = dt.ones((50, 9, 70)).node
    (node,) = scatter([x], indices, [given_], dims, [cell_update("add", x.type.dtype)])
    box = node.type.box.replace(0, 3, 5).replace(2, 10, 11)
    reads = node.operator.demand(node.input_types, box)
    assert [str(b) for b in reads] == ["[3:5, 0:60, 10:11]", "[3:5, 0:9]", "[3:5, 0:9, 10:11]"]


@pytest.fixture
def of_every_size(monkeypatch):
    """The smallest tables are sent for, in short runs."""
    monkeypatch.setattr(bucket_shuffle, "FEWEST_RUN_PLACES", 2)


@pytest.mark.usefixtures("of_every_size")
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple), st.data())
def test_updates_that_are_sent_have_the_same_bits(shape, data):
    axes = sorted(data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)))
    count = data.draw(st.integers(1, 40))
    seed = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    indices = [seed.integers(-shape[axis], shape[axis], count) for axis in axes]
    kept = [n for dim, n in enumerate(shape) if dim not in axes]
    x, values = seed.normal(size=shape), seed.normal(size=(count, *kept))
    update = ufunc_update(data.draw(st.sampled_from(["add", "maximum"])), x.dtype, x.dtype)
    tensors = [dt.asarray(one).node for one in (x, *indices, values)]
    node = scatter_places(tensors[0], tensors[1:-1], axes, 0, tensors[-1], update)
    whole = dt.Array(node).compute()
    made = by_shuffle(node, data.draw(st.integers(1, 5)))
    assert made.type == node.type
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 40, 10**6]))):
        assert dt.Array(made).compute(scheduler="sync").tobytes() == whole.tobytes()


@pytest.mark.usefixtures("of_every_size")
@pytest.mark.parametrize("index", [[0, 5], [0, -6]])
def test_places_that_are_not_there_are_refused_before_they_are_sent(index):
    x, cells = dt.zeros(5).node, dt.ones(2).node
    node = scatter_places(x, [dt.asarray(np.array(index)).node], [0], 0, cells)
    made = by_shuffle(node, 2)
    for one in (node, made):
        with pytest.raises(IndexError, match=f"index {index[1]} is out of bounds for axis 0"):
            dt.Array(one).compute()


def test_updates_of_a_table_that_no_worker_holds_are_planned():
    places = dt.placeholder((2 * 10**8,), "i8", (2**21,))
    values = dt.placeholder((2 * 10**8,), "i8", (2**21,))
    for name in ("add", "bitwise_or"):
        table = dt.zeros(10**8, "i8")
        getattr(np, name).at(table, places, values)
        plan = dt.plan(
            table.to_zarr("memory://", chunks=10**6, compute=False),
            resources=dt.Resources(2, 1, "500 MB"),
        )
        plan.verify()
        assert plan.cost["peak_worker_bytes"] <= 300 * 10**6

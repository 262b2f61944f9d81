import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators import lanes as lanes_module
from dask_tapestry.operators.sorting import partition as partition_module
from dask_tapestry.operators.sorting.partition import Partition, partition
from dask_tapestry.teg import apply

VALUES = {
    "f8": np.array([-1.0, -0.0, 0.0, 2.0, 3.0, np.inf, -np.inf, np.nan]),
    "f4": np.array([1.0, 2.0, np.nan]),
    "i8": np.arange(-3, 9),
    "u1": np.arange(3),
}


@given(st.sampled_from(sorted(VALUES)), st.integers(0, 1), st.booleans(), st.data())
def test_cells_are_where_they_are_in_the_sorted_lane(kind, axis, places, data):
    """Smaller ones are before them, larger ones behind, all in the order in which they lie."""
    generator = np.random.default_rng(data.draw(st.integers(0, 999)))
    shape = [data.draw(st.integers(1, 3)), data.draw(st.integers(1, 20))]
    x = generator.choice(VALUES[kind], shape).astype(kind)
    length = x.shape[axis]
    kth = data.draw(st.lists(st.integers(-length, length - 1), min_size=1, max_size=3))
    ranked = data.draw(st.booleans())  # whether blocks have parts of lanes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_module, "FEWEST_PARTITIONED_CELLS", 1)
        if ranked:
            patch.setattr(lanes_module, "is_long", lambda _length, _dtype: True)
        node = partition(dt.asarray(x).node, tuple(kth), axis, places=places)
        assert isinstance(node.operator, Partition)
        block = data.draw(st.sampled_from([8, 40, 10**6]))
        with dt.config(block_bytes=block, resources=dt.Resources(2, 1, "1 GiB")):
            plan = dt.Array(node).plan()
            plan.verify()
            made = plan.compute(scheduler="sync")
            part = dt.Array(node)[..., 1 : 2 + data.draw(st.integers(0, 9))].compute()
    wanted = node.operator.reference(x)
    np.testing.assert_array_equal(made, wanted, strict=True)
    assert made.tobytes() == wanted.tobytes()
    np.testing.assert_array_equal(part, wanted[..., 1 : 1 + part.shape[-1]])
    cells = np.take_along_axis(x, made, axis) if places else made
    chosen = [k % length for k in kth]
    ordered = np.take(np.sort(x, axis), chosen, axis)
    np.testing.assert_array_equal(np.take(cells, chosen, axis), ordered)
    np.testing.assert_array_equal(np.sort(cells, axis), np.sort(x, axis))


@pytest.mark.parametrize("kind", ["c16", "M8[s]", "U2"])
def test_what_is_no_real_number_comes_sorted(kind):
    x = dt.asarray(np.zeros(5000, kind))
    assert partition(x.node, (3,), 0).operator.name == "sort"
    assert partition(x.node, (3,), 0, places=True).operator.name == "argsort"


def test_which_lanes_come_sorted():
    def name(length, kth):
        return partition(dt.placeholder((length,), "f8").node, kth, 0).operator.name

    assert name(100, (3,)) == "sort"
    assert name(10_000, (3,)) == "partition"
    assert name(10_000, tuple(range(0, 9000, 100))) == "sort"
    assert name(10**9, (3,)) == "sort"


def test_long_lanes_are_partitioned_in_parts():
    x = np.random.default_rng(0).normal(size=300_000)
    made = dt.argpartition(dt.asarray(x), 1000)
    first = made[:1000].compute()
    assert (np.sort(x[first]) == np.sort(x)[:1000]).all()
    assert (np.diff(first) > 0).all()
    assert (made.compute()[:1000] == first).all()
    assert dt.partition(dt.asarray(x), 1000)[1000] == np.sort(x)[1000]


@pytest.mark.few(1)  # places or cells
@pytest.mark.parametrize("function", [dt.partition, dt.argpartition])
def test_lanes_that_no_worker_holds_are_partitioned_by_an_exchange(function):
    x = dt.placeholder((20_000_000,), "f8", stored_chunks=(250_000,))
    plan = dt.plan(function(x, 1000)[:1000], resources=dt.Resources(2, 2, "300 MB"))
    plan.verify()


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "u8", "u1"])
@pytest.mark.parametrize("places", [False, True])
def test_cells_that_an_exchange_carries_keep_their_bits(kind, places):
    cells = np.random.default_rng(0).bytes(100_000 * np.dtype(kind).itemsize)
    x = np.frombuffer(cells, kind)
    if np.dtype(kind).kind == "f":
        x = np.where(np.isnan(x), x.dtype.type(-0.0), x)
    node = apply(Partition(0, (0, 50_000), places), dt.asarray(x).node)
    (form,) = node.operator.forms(node.input_types)
    made = dt.Array(form.make(node, 4)).compute()
    assert made.tobytes() == node.operator.reference(x).tobytes()

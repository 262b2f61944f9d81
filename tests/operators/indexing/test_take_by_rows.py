"""Takes in the forms of gathers: the same cells, errors and types as whole ones have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.indexing import bucket_shuffle
from dask_tapestry.operators.indexing import take as take_module
from dask_tapestry.operators.indexing.take import take_places
from dask_tapestry.teg import Graph
from tests.operators.in_forms import form_names, forms_of

DTYPES = ["?", "u1", "i8", "f2", "f4", "c16", "M8[s]", "U3", [("a", "i4"), ("b", "f8")]]


@pytest.fixture(autouse=True)
def of_every_size(monkeypatch):
    """The smallest tables have forms, in short runs."""
    monkeypatch.setattr(take_module, "WORTH_SHUFFLING_BYTES", 1)
    monkeypatch.setattr(bucket_shuffle, "FEWEST_RUN_PLACES", 2)


def cells(shape, dtype):
    numbers = np.arange(np.prod(shape)).reshape(shape)
    return numbers.astype(dtype) if not isinstance(dtype, list) else np.zeros(shape, dtype)


@given(st.data())
def test_rows_have_the_same_cells(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    axes = sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    own = tuple(data.draw(st.lists(st.integers(1, 4), max_size=2)))
    at = data.draw(st.integers(0, len(shape) - len(axes)))
    kind = data.draw(st.sampled_from(["i1", "i8", "u8"]))
    indices = []
    for axis in axes:
        least = 0 if kind == "u8" else -shape[axis]
        drawn = st.integers(least, shape[axis] - 1)
        count = int(np.prod(own))
        flat = data.draw(st.lists(drawn, min_size=count, max_size=count))
        indices.append(np.array(flat, kind).reshape(own))
    x = cells(shape, data.draw(st.sampled_from(DTYPES)))
    tensors = [dt.asarray(one).node for one in (x, *indices)]
    node = take_places(tensors[0], tensors[1:], axes, at)
    whole = dt.Array(node).compute()
    for form in forms_of(node).values():
        made = form.make(node, data.draw(st.integers(1, 5)))
        assert made.type == node.type
        block = data.draw(st.sampled_from([8, 40, 10**6]))
        with dt.config(block_bytes=block, resources=dt.Resources(2, 1, "1 GiB")):
            plan = dt.plan(dt.Array(made))
            plan.verify()
            assert plan.compute(scheduler="sync").tobytes() == whole.tobytes()


@pytest.mark.parametrize(
    "index", [np.array([1, 5]), np.array([1, -6]), np.array([1, 2**64 - 1], "u8")]
)
@pytest.mark.parametrize("name", ["shuffle", "mask"])
def test_what_is_out_of_bounds_is_told_as_numpy_does(index, name):
    x = np.arange(5.0)
    node = take_places(dt.asarray(x).node, [dt.asarray(index).node], [0], 0)
    with pytest.raises(IndexError) as theirs:
        np.take(x, index.astype(np.intp) if index.dtype.kind == "i" else [1, 2**63 - 1])
    made = dt.Array(forms_of(node)[name].make(node, 2))
    with pytest.raises(IndexError) as ours:
        made.compute()
    told = str(theirs.value).replace(str(2**63 - 1), str(2**64 - 1))
    assert str(ours.value).startswith(told)


def test_objects_and_nothing_have_no_forms():
    index = dt.asarray(np.array([0, 1]))
    assert not form_names(dt.take(dt.asarray(np.array(["a", None], object)), index + 0).node)
    assert not form_names(dt.take(dt.asarray(np.zeros((0, 3))), index[:0] + 0, axis=0).node)


def test_a_table_larger_than_a_worker_is_read_a_few_times():
    table = dt.placeholder((10_000_000_000,), "f4", stored_chunks=(50_000_000,))
    index = dt.placeholder((1_000_000_000,), "i8", stored_chunks=(10_000_000,))
    machines = dt.Resources(workers=16, threads=4, memory="16 GiB")
    plan = table[index].plan(resources=machines)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.5 * (table.nbytes + 2 * index.nbytes)


def test_cells_in_the_order_of_others_are_planned():
    keys = dt.placeholder((2_000_000_000,), "i4", stored_chunks=(10_000_000,))
    values = dt.placeholder((2_000_000_000,), "f4", stored_chunks=(10_000_000,))
    ordered = values[dt.argsort(keys)]
    assert len(Graph([ordered.node]).nodes) < 10
    ordered.plan(resources=dt.Resources(workers=16, threads=4, memory="16 GiB")).verify()

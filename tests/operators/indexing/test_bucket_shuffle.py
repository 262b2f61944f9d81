import dask
import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.indexing import bucket_shuffle, masked_gather
from dask_tapestry.operators.indexing import gather as gather_module
from dask_tapestry.operators.indexing import scatter as scatter_module
from dask_tapestry.operators.indexing.bucket_shuffle import ShuffleLayout, divided, owner_counts
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather
from dask_tapestry.operators.indexing.scatter import scatter
from tests.operators.dimension_numbers import problems
from tests.operators.in_forms import form_names, forms_of

UPDATES = ["add", "update", "less"]


def of_every_size(patch):
    """Let the smallest tables have forms, in short runs."""
    patch.setattr(gather_module, "WORTH_SHUFFLING_BYTES", 0)
    patch.setattr(scatter_module, "WORTH_SHUFFLING_BYTES", 0)
    patch.setattr(bucket_shuffle, "FEWEST_RUN_PLACES", 2)


def nodes(problem, name, seed):
    """A gather and a scatter of a problem, of windows one cell wide where indices move them."""
    fields, operand, vectors, sizes, shape = problem
    numbers = DimensionNumbers(**fields)
    generator = np.random.default_rng(seed)
    x, updates = generator.normal(size=operand), generator.normal(size=shape)
    indices = generator.integers(-3, 6, vectors)
    tensors = [dt.asarray(one).node for one in (x, indices, updates)]
    f8 = [cell_update(name, x.dtype)]
    yield gather(*tensors[:2], numbers, sizes)
    yield from scatter(tensors[:1], tensors[1], tensors[2:], numbers, f8)


@given(problems(), st.sampled_from(UPDATES), st.data())
def test_shuffles_have_the_same_bits(problem, name, data):
    with pytest.MonkeyPatch.context() as patch:
        of_every_size(patch)
        for node in nodes(problem, name, data.draw(st.integers(0, 2**32))):
            for form in forms_of(node).values():
                made = form.make(node, data.draw(st.integers(1, 5)))
                assert made.type == node.type
                whole = dt.Array(node).compute()
                block = data.draw(st.sampled_from([8, 40, 10**6]))
                with dt.config(block_bytes=block, resources=dt.Resources(2, 1, "1 GiB")):
                    plan = dt.plan(dt.Array(made))
                    plan.verify()
                    assert plan.compute(scheduler="sync").tobytes() == whole.tobytes()


def rows(count, places, width=3):
    """A gather of rows and a scatter that adds them."""
    generator = np.random.default_rng(0)
    x, updates = generator.normal(size=(count, width)), generator.normal(size=(places, 1, width))
    at = generator.integers(-2, count + 2, (places, 1))
    looked_up = dt.patterns.gather(dt.asarray(x), dt.asarray(at), [0], [1])
    added = dt.patterns.scatter(dt.asarray(x), dt.asarray(updates), dt.asarray(at), [0], "kAdd")
    return looked_up, added


@pytest.mark.parametrize("owners", [1, 2, 7])
def test_rows_in_runs(monkeypatch, owners):
    of_every_size(monkeypatch)
    for value in rows(50, 300):
        made = dt.Array(forms_of(value.node)["shuffle"].make(value.node, owners))
        with dt.config(resources=dt.Resources(3, 1, "1 GiB"), block_bytes=1000):
            assert made.compute(scheduler="sync").tobytes() == value.compute().tobytes()


def test_which_have_the_form():
    value = dt.patterns.gather(dt.placeholder((10**6, 10), "f8"), [[1]], [0], [1])
    assert form_names(value.node) == ("shuffle", "mask")
    value = dt.patterns.gather(dt.placeholder((10**6, 10), "f8"), [[1]], [0], [2])
    assert form_names(value.node) == ()
    value = dt.patterns.gather(dt.placeholder((100, 10), "f8"), [[1]], [0], [1])
    assert form_names(value.node) == ()
    assert owner_counts(10) == (4,)
    assert owner_counts(10**9)[-1] == 4096
    assert divided(10, 3, 4) == ShuffleLayout(1, 3, 4, 3)


def test_a_table_larger_than_memory_is_not_replicated():
    table = dt.placeholder((10**8, 100), "f4", stored_chunks=(10**5, 100))
    places = dt.placeholder((10**7, 1), "i8", stored_chunks=(10**6, 1))
    workers = dt.Resources(16, 2, "8 GiB")
    plan = dt.patterns.gather(table, places, [0], [1]).plan(resources=workers)
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 8 * 2**30
    assert plan.cost["bytes_read"] < 2 * (table.nbytes + places.nbytes)
    updates = dt.placeholder((10**7, 1, 100), "f4", stored_chunks=(10**5, 1, 100))
    added = dt.patterns.scatter(table, updates, places, [0], "kAdd").plan(resources=workers)
    added.verify()
    assert added.cost["peak_worker_bytes"] < 8 * 2**30


@pytest.mark.parametrize("form", [bucket_shuffle, masked_gather])
@pytest.mark.parametrize("codec", ["auto", None])
@pytest.mark.parametrize("places", [[95, 3, 4, 41], [7] * 9, list(range(100))[::-1]])
def test_of_a_store_rows_are_read_that_are_asked_for(form, codec, places, tmp_path, monkeypatch):
    """Owners read what lies between the first and last of their rows: of chunks that are decoded,
    those of a block together."""
    monkeypatch.setattr(bucket_shuffle, "FEWEST_RUN_PLACES", 2)
    cells = np.random.default_rng(0).normal(size=(100, 3))
    stored = zarr.create_array(
        tmp_path / "x", shape=cells.shape, dtype="f8", chunks=(10, 3), compressors=codec
    )
    stored[:] = cells
    x, asked = dt.from_zarr(tmp_path / "x"), dt.asarray(np.array(places))
    source, read = type(x.node.operator), []
    own = source.read

    def reading(self, box, out=None):
        read.append((box.lo[0], box.hi[0]))
        return own(self, box, out)

    monkeypatch.setattr(source, "read", reading)
    plan = dt.plan(dt.Array(form.gathered(x.node, asked.node, 10)), resources=dt.Resources(1, 2))
    (blocks,) = [s.count for s in plan.core.steps.values() if s.program.asked_shares]
    np.testing.assert_array_equal(plan.compute(scheduler="sync"), cells[places])
    together = 10 if codec is None else blocks
    groups = [[p for p in places if p * together // 100 == one] for one in range(together)]
    assert sorted(read) == [(min(own), max(own) + 1) for own in groups if own]


def test_a_row_at_a_computed_place_is_read_where_it_lies():
    """Of 100 chunks one; where there are as many places as rows, all."""
    x = dt.placeholder((4_000_000, 100), "f8", (40_000, 100))
    s = (x * x).sum(axis=1)
    small = dt.Resources(workers=2, threads=2, memory="500 MiB")
    row = dt.plan(x[s.argmax()], resources=small)
    assert row.cost["bytes_read"] < 1.02 * x.nbytes
    rows = dt.plan(x[dt.argsort(s)], resources=dt.Resources(2, 2, "8 GiB"))
    assert rows.cost["bytes_read"] >= x.nbytes


@pytest.mark.exhaustive  # `lower/test_cluster.py` sends blocks
@pytest.mark.cluster
def test_rows_travel_between_processes():
    values = rows(200_000, 30_000)
    made = [dt.Array(forms_of(v.node)["shuffle"].make(v.node, 4)) for v in values]
    expected = [value.compute() for value in values]
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        found = dask.compute(*made)
    for one, other in zip(found, expected, strict=True):
        assert one.tobytes() == other.tobytes()

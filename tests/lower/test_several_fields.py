"""Values of several fields, outputs or buckets lie on the device from step to step."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry import patterns
from dask_tapestry.operators.indexing import bucket_shuffle
from dask_tapestry.operators.indexing import gather as gather_module
from dask_tapestry.operators.indexing import scatter as scatter_module
from dask_tapestry.teg.node import topological
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.cupy_stand_in import transfers
from tests.operators.in_forms import forms_of

CELLS = np.random.default_rng(5).normal(size=(60, 24))
LABELS = np.arange(60) % 5
MANY = dt.Resources(workers=4, threads=1, memory="64 GiB", gpus=1, gpu_memory="16 GiB")
WAYS = {
    "variance": lambda x: x.var(axis=0),
    "place": lambda x: x.argmax(axis=0),
    "place of all": lambda x: x.argmin(),
    "spread of numbers": lambda x: dt.nanstd(x, axis=0, ddof=1),
    "range": lambda x: dt.ptp(x, axis=0),
    "several": lambda x: (x.sum(axis=0), x.var(axis=0), x.argmax(axis=0), x.min(axis=0)),
    "shifted": lambda x: ((x[1:] * x[:-1]).mean(axis=0), x.mean(axis=0), x.std(axis=0)),
    "groups": lambda x: dt.groupby_reduce(x, LABELS, func="mean", axis=0)[0],
    "groups without NaN": lambda x: dt.groupby_reduce(x, LABELS, func="nanvar", axis=0)[0],
    "factors": lambda x: tuple(dt.linalg.qr(x)),
    "rotations": lambda x: tuple(dt.linalg.svd(x.reshape(5, 12, 24), full_matrices=False)),
    "eigenvectors": lambda x: tuple(dt.linalg.eigh(x.T @ x)),
    "determinants": lambda x: tuple(dt.linalg.slogdet(x[:48].reshape(2, 24, 24))),
}


def flat(made):
    return made if isinstance(made, tuple) else (made,)


@pytest.fixture
def own_kernels(device_kernels):
    """A device with the kernels that CUDA's table has, and no more."""
    device_kernels.names = set(CUDA)
    return device_kernels


@pytest.mark.parametrize("chunks", [(60, 24), (13, 24), (13, 7)], ids=str)
@pytest.mark.parametrize("name", WAYS)
def test_nothing_of_it_comes_to_the_host(own_kernels, name, chunks):
    kept = dt.asarray(CELLS, chunks=chunks).to_device("cuda").rechunk(chunks).persist()
    made = flat(WAYS[name](kept))
    plan = dt.plan(*made)
    assert "on the host" not in plan.explain()
    transfers.clear()
    found = dt.compute(*made)
    crossed = sum(size for way, size in transfers if way == "to host")
    assert not crossed
    wanted = dt.compute(*flat(WAYS[name](dt.asarray(CELLS, chunks=chunks).rechunk(chunks))))
    for one, other in zip(found, wanted, strict=True):
        assert type(one).__module__ == "cupy"
        assert one.get().tobytes() == np.asarray(other).tobytes()


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["variance", "several", "place of all", "groups without NaN"])
def test_merges_of_states_from_many_workers_are_on_devices(own_kernels, name):
    x = dt.placeholder((4 * 10**8, 24), "f8", stored_chunks=(10**6, 24)).to_device("cuda")
    labels = dt.placeholder((4 * 10**8,), "i8", stored_chunks=(10**6,)).to_device("cuda")
    made = (
        dt.groupby_reduce(x, labels, func="nanvar", axis=0, expected_groups=np.arange(5))[0]
        if "groups" in name
        else WAYS[name](x)
    )
    plan = dt.plan(*flat(made), resources=MANY)
    assert len(plan.core.steps) > 1
    assert all(step.program.device is not None for step in plan.core.steps.values())
    assert "on the host" not in plan.explain()
    plan.verify()


@pytest.mark.parametrize("name", ["several", "groups without NaN", "factors"])
def test_states_go_from_worker_to_worker(own_kernels, name):
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        LocalCluster(**local, dashboard_address=":0", resources={"GPU": 1}) as cluster,
        Client(cluster),
    ):
        x = dt.asarray(CELLS, chunks=(13, 24)).rechunk((13, 24)).to_device("cuda")
        found = dt.compute(*flat(WAYS[name](x)))
    wanted = dt.compute(*flat(WAYS[name](dt.asarray(CELLS, chunks=(13, 24)).rechunk((13, 24)))))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-12)


def small_shuffles(patch):
    """Let the smallest tables have forms, in short runs."""
    for module in (gather_module, scatter_module):
        patch.setattr(module, "WORTH_SHUFFLING_BYTES", 0)
    patch.setattr(bucket_shuffle, "FEWEST_RUN_PLACES", 2)


@pytest.mark.parametrize("work", ["gather", "scatter"])
def test_buckets_lie_on_the_device(own_kernels, work, monkeypatch):
    small_shuffles(monkeypatch)
    places = np.random.default_rng(6).integers(0, 60, 31)

    def of(where):
        x = dt.asarray(CELLS).to_device(where)
        at = dt.asarray(places).to_device(where)
        if work == "gather":
            return dt.patterns.gather(x, at[:, None], [0], [1])
        updates = dt.asarray(CELLS[:31, None]).to_device(where)
        return dt.patterns.scatter(x, updates, at[:, None], [0], "kAdd")

    def node_of(x):
        return next(n for n in topological([x.node]) if n.operator.name == work)

    node, wanted = node_of(of("cuda")), dt.Array(node_of(of("cpu"))).compute()
    forms = forms_of(node)
    assert forms
    for form in forms.values():
        plan = dt.plan(dt.Array(form.make(node, 4)))
        assert "on the host" not in plan.explain()
        transfers.clear()
        found = plan.compute(scheduler="sync")
        assert not [way for way, _ in transfers if way == "to host"]
        assert found.get().tobytes() == wanted.tobytes()


def test_a_scatter_into_several_tensors_is_the_devices(own_kernels):
    places = np.array([3, 1, 3, 7])

    def of(where):
        given = (CELLS[:9, 0], CELLS[:9, 1], CELLS[:4, 2], CELLS[:4, 3])
        a, b, *updates = [dt.asarray(cells).to_device(where) for cells in given]
        return dt.stablehlo.scatter(
            (a, b), dt.asarray(places[:, None]).to_device(where), tuple(updates),
            lambda a, b, c, d: (a + c * d, b - c),
            update_window_dims=[], inserted_window_dims=[0],
            scatter_dims_to_operand_dims=[0], index_vector_dim=1,
        )  # fmt: skip

    made = of("cuda")
    assert "on the host" not in dt.plan(*made).explain()
    for one, other in zip(dt.compute(*made), dt.compute(*of("cpu")), strict=True):
        assert one.get().tobytes() == other.tobytes()


def test_buckets_of_a_sort_stay_where_they_are_made(own_kernels):
    """The host computes exchanges of sorts: their buckets do not cross the link and back."""
    x = dt.placeholder((10**9,), "f8", stored_chunks=(10**7,)).to_device("cuda")
    plan = dt.plan(dt.sort(x), resources=MANY)
    for step in plan.core.steps.values():
        for type_, lies in zip(step.program.inputs, step.program.devices, strict=False):
            assert isinstance(type_.dtype, np.dtype) or lies is None


def rows_of(x, function, *shapes):
    """Threads, each of which reads two rows and writes what a function makes of them."""

    def body(i):
        made = function(dt.extract_slice(x, [2 * i, 0], [2, 24]), i)
        inserts = [
            dt.parallel_insert_slice(one, dt.zeros(shape), [2 * i, 0])
            for one, shape in zip(flat(made), shapes, strict=True)
        ]
        return dt.perform_concurrently(*inserts)

    return flat(dt.patterns.foreach_thread(body, 30))


BODIES = {
    "fold": (lambda x, i: (x * i).sum(axis=1, keepdims=True), (60, 1)),
    "scan": (lambda x, i: np.cumsum(x, axis=1) + i, (60, 24)),
    "several": (lambda x, i: (x[::-1], x.max(axis=1, keepdims=True)), (60, 24), (60, 1)),
    "computed place": (
        lambda x, i: dt.extract_slice(x, [0, x.argmax(axis=1)[0] // 2], [2, 12]),
        (60, 12),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_threads_are_the_devices(own_kernels, name):
    function, *shapes = BODIES[name]
    kept = dt.asarray(CELLS).to_device("cuda").persist()
    made = rows_of(kept, function, *shapes)
    assert "on the host" not in dt.plan(*made).explain()
    transfers.clear()
    found = dt.compute(*made)
    assert not [way for way, _ in transfers if way == "to host"]
    wanted = dt.compute(*rows_of(dt.asarray(CELLS), function, *shapes))
    for one, other in zip(found, wanted, strict=True):
        assert one.get().tobytes() == np.asarray(other).tobytes()


def test_why_the_host_computes_threads_is_said(own_kernels):
    x = dt.asarray(CELLS).to_device("cuda")
    middle = rows_of(x, lambda x, i: dt.median(x, axis=1, keepdims=True), (60, 1))
    (line,) = [one for one in dt.plan(*middle).explain().splitlines() if "on the host" in one]
    assert line.endswith("on the host: the device has no orderstatistics for many threads")


def test_structured_cells_of_a_user_stay_on_the_host(own_kernels):
    pairs = np.zeros(4, [("a", "f8"), ("b", "i4")])
    with pytest.raises(dt.DeviceError, match="no array on cuda can hold cells of"):
        dt.asarray(pairs).to_device("cuda")


def test_turns_of_threads_are_launches_that_follow_each_other(own_kernels):
    x, target = dt.asarray(CELLS).to_device("cuda").persist(), np.zeros(7)

    def body(i):
        patterns.wait(i - 1, when=i > 0)
        before = dt.subview(target, [i], [1])[...]
        rows = dt.extract_slice(x, [10 * i, 0], [10, 24])
        dt.subview(target, [i + 1], [1])[...] = before + rows.max(axis=(0, 1))
        patterns.signal(i)

    effect = patterns.foreach_thread(body, 6)
    own_kernels.called.clear()
    effect.compute()
    assert own_kernels.called.count("threads") >= 6
    wanted = np.cumsum(CELLS.reshape(6, -1).max(axis=1))
    np.testing.assert_array_equal(target, [0, *wanted])

"""What a scheduler is told of a plan's tasks, and in which order it starts them."""

from collections import Counter
from itertools import pairwise

import dask
import numpy as np
import pytest
import zarr
from dask.utils import key_split
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

import dask_tapestry as dt

pytestmark = pytest.mark.cluster
SIDE, CHUNK = 600, 100


class Recording(SchedulerPlugin):
    """Notes which tasks are started, in order, what was said of them and how many results lie."""

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.begin()

    def begin(self):
        """Forget what was noted."""
        self.started, self.told, self.lying, self.most = [], {}, Counter(), Counter()

    def transition(self, key, start, finish, *args, **kwargs):
        if finish == "processing":
            self.started.append(key)
            task = self.scheduler.tasks[key]
            self.told[key] = {
                **(task.annotations or {}),
                "retries": task.retries,
                "workers": set(task.worker_restrictions or ()),
                "resources": dict(task.resource_restrictions or {}),
            }
        kind = key_split(key)
        if finish == "memory":
            self.lying[kind] += 1
            self.most[kind] = max(self.most[kind], self.lying[kind])
        elif start == "memory":
            self.lying[kind] -= 1

    def of(self, kind):
        """What was said of the tasks whose names begin so."""
        return [told for key, told in self.told.items() if key_split(key) == kind]


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        LocalCluster(**options, dashboard_address=":0", resources={"GPU": 1}) as cluster,
        Client(cluster) as client,
    ):
        recording = Recording(cluster.scheduler)
        cluster.scheduler.add_plugin(recording, name="recording")
        yield client, recording


@pytest.fixture
def recording(cluster):
    cluster[1].begin()
    return cluster[1]


@pytest.fixture
def stored(tmp_path):
    cells = np.random.default_rng(0).random((SIDE, SIDE))
    zarr.create_array(tmp_path / "x", data=cells, chunks=(CHUNK, CHUNK), compressors=None)
    return dt.from_zarr(tmp_path / "x"), cells


def test_the_tasks_of_a_step_are_one_group(recording, stored):
    x, cells = stored
    with dt.config(block_bytes=CHUNK * CHUNK * 8):
        job = dt.exp(x) @ x[:, :100]
        steps = dt.plan(job).core.steps
        np.testing.assert_allclose(job.compute(), np.exp(cells) @ cells[:, :100])
    groups = {key[0] for key in recording.started if "slice" not in key[0]}
    assert len(groups) == len(steps), "each step; the blocks of the result are fetched one by one"
    assert max(Counter(key[0] for key in recording.started).values()) > 10


def test_parts_are_combined_while_others_are_to_be_computed(recording, stored):
    """The partial sums of one column of blocks do not wait for those of all others."""
    x, cells = stored
    with dt.config(block_bytes=CHUNK * SIDE * 8):
        held = (x + 1).rechunk((CHUNK, SIDE // 2))
        np.testing.assert_allclose(held.sum(axis=1).compute(), (cells + 1).sum(axis=1))
    blocks = [key for key in recording.started if key[0].startswith("add-")]
    assert len(blocks) == 2 * SIDE // CHUNK
    assert 0 < recording.most["add"] < len(blocks)


def test_blocks_of_a_row_are_started_after_each_other(recording, stored, tmp_path):
    x, cells = stored
    with dt.config(block_bytes=CHUNK * CHUNK * 8):
        (x * 2).to_zarr(tmp_path / "y", chunks=(CHUNK, CHUNK))
    rows = [key[1] for key in recording.started if "store" in key[0]]
    changes = sum(a != b for a, b in pairwise(rows))
    assert len(rows) >= 12
    assert changes <= 2 * len(set(rows))
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "y")[...], cells * 2)


@pytest.mark.parametrize("where", ["built", "computed"])
def test_annotations_reach_the_tasks(cluster, recording, stored, where):
    x, cells = stored
    client, _ = cluster
    first = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
    said = {"priority": 5, "retries": 2, "workers": [first], "resources": {"GPU": 1}}
    if where == "built":
        with dask.annotate(**said):
            y = (x + 1).sum()
        z = y.compute()
    else:
        with dask.annotate(**said):
            z = (x + 1).sum().compute()
    np.testing.assert_allclose(z, (cells + 1).sum())
    tasks = recording.of("sum")
    assert tasks
    for told in tasks:
        assert told["workers"] == {first}
        assert (told["priority"], told["retries"]) == (5, 2)
        assert told["resources"] == {"GPU": 1}


def test_annotations_around_compute_add_to_those_around_construction(recording, stored):
    x, cells = stored
    with dask.annotate(priority=5):
        y = (x + 1).sum()
    with dask.annotate(retries=1, priority=2):
        np.testing.assert_allclose(y.compute(), (cells + 1).sum())
    assert {told["priority"] for told in recording.of("sum")} == {5}
    assert {told["retries"] for told in recording.of("sum")} == {1}


def test_a_function_of_the_key_is_an_annotation(recording):
    with dask.annotate(priority=lambda key: -key[1]):
        x = (dt.arange(4000.0) + 1).rechunk(1000)
    held = x.persist()
    np.testing.assert_array_equal(held.compute(), np.arange(4000.0) + 1)
    told = {
        key[1]: said["priority"]
        for key, said in recording.told.items()
        if len(key) == 2 and said.get("priority") is not None and "gather" not in key[0]
    }
    assert told == {0: 0, 1: -1, 2: -2, 3: -3}


def test_values_of_other_workers_are_computed_there(cluster, recording, stored):
    x, cells = stored
    client, _ = cluster
    one, two = sorted(client.scheduler_info(n_workers=-1)["workers"])
    with dask.annotate(workers=[one]):
        y = dt.exp(x[:200])
    with dask.annotate(workers=[two]):
        z = dt.sqrt(y).sum()
    np.testing.assert_allclose(z.compute(), np.sqrt(np.exp(cells[:200])).sum())
    kept = {frozenset(told["workers"]) for told in recording.told.values()}
    assert {frozenset([one]), frozenset([two])} <= kept


def test_a_task_is_tried_again_as_often_as_said(tmp_path):
    """Of what was built with `retries`; without, an error is an error."""

    def unsteady(block, folder=str(tmp_path)):
        import pathlib

        first = pathlib.Path(folder, "tried")
        if not first.exists():
            first.touch()
            raise OSError("not yet")
        return block + 1

    with dask.annotate(retries=1):
        x = dt.arange(5.0).map_blocks(unsteady, dtype="f8")
    np.testing.assert_array_equal(x.compute(), np.arange(5.0) + 1)
    (tmp_path / "tried").unlink()
    with pytest.raises(OSError, match="not yet"):
        dt.arange(5.0).map_blocks(unsteady, dtype="f8").compute()

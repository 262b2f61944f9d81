"""Named datasets on a real cluster: of several clients and processes, kept, replaced, freed."""

import re
import subprocess
import sys
import time
from textwrap import dedent
from threading import Thread

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, futures_of, wait

import dask_tapestry as dt
from dask_tapestry.arrays.datasets import named_datasets

CELLS = np.arange(48.0).reshape(6, 8)


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=False, protocol="tcp", **options) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client
        for name in client.list_datasets():
            client.unpublish_dataset(name)


@pytest.fixture
def named(client):
    named = dt.datasets()
    named["cells"] = dt.asarray(CELLS).rechunk((3, 4))
    return named


def test_a_mapping(named):
    assert list(named) == ["cells"]
    assert len(named) == 1
    assert "cells" in named
    assert "others" not in named
    np.testing.assert_array_equal(named["cells"].compute(), CELLS)
    with pytest.raises(KeyError, match="others"):
        named["others"]
    with pytest.raises(KeyError, match="others"):
        del named["others"]


def test_layout_is_carried(named):
    assert named["cells"].chunks == ((3, 3), (4, 4))
    assert dt.plan(named["cells"]).chunks() == ((3, 3), (4, 4))


def test_the_lattice_of_sums_is_carried(client, tmp_path):
    cells = np.random.default_rng(0).normal(size=(90, 50)).astype("float32")
    dt.to_zarr(dt.asarray(cells), tmp_path / "x.zarr", chunks=(7, 11))
    x = dt.from_zarr(tmp_path / "x.zarr") * 3
    expected = x.sum(axis=0).compute()
    dt.datasets()["scaled"] = x
    np.testing.assert_array_equal(dt.datasets()["scaled"].sum(axis=0).compute(), expected)
    other = x.rechunk((13, 50)).persist()
    dt.datasets()["scaled"] = other
    np.testing.assert_array_equal(dt.datasets()["scaled"].sum(axis=0).compute(), expected)


def test_another_process_reads_and_overwrites(cluster, named):
    program = dedent(f"""
        import numpy as np
        from distributed import Client
        import dask_tapestry as dt
        with Client({cluster.scheduler_address!r}):
            named = dt.datasets()
            x = named["cells"]
            assert x.chunks == ((3, 3), (4, 4)), x.chunks
            assert float(x.sum().compute()) == {CELLS.sum()}
            named.overwrite("cells", (slice(0, 2), 1), -1.0)
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = CELLS.copy()
    expected[0:2, 1] = -1
    np.testing.assert_array_equal(named["cells"].compute(), expected)


def test_who_took_a_version_keeps_it(named):
    before = named["cells"]
    named.overwrite("cells", 0, 7)
    named.overwrite("cells", np.array([1, 5]), 8)
    np.testing.assert_array_equal(before.compute(), CELLS)
    expected = CELLS.copy()
    expected[0], expected[[1, 5]] = 7, 8
    np.testing.assert_array_equal(named["cells"].compute(), expected)


def test_what_a_client_took_ends_with_that_client_alone(cluster, client, named):
    """Two clients of one process have the same dataset, each by futures of its own."""
    mine = named["cells"]
    with Client(cluster, set_as_default=False) as first:
        taken = first.get_dataset("cells")
        with Client(cluster, set_as_default=False) as second:
            second.get_dataset("cells")
        assert {future.client for future in futures_of(taken)} == {first}
        cells = first.compute(taken[:, 0]).result(timeout=30)
        np.testing.assert_array_equal(cells, CELLS[:, 0])
    np.testing.assert_array_equal(mine.compute(), CELLS)
    np.testing.assert_array_equal((named["cells"] - mine).compute(), np.zeros_like(CELLS))


def test_readers_see_one_version_or_the_other(cluster, named, monkeypatch):
    """A reader that has asked, and whose version is replaced before it says what it wants."""
    seen, stop = [], []

    def read():
        with Client(cluster, set_as_default=False) as reader:
            while not stop:
                x = reader.get_dataset("cells")
                with reader.as_current():
                    cells = reader.compute(x[:, 0]).result(timeout=30)
                seen.append(set(cells.tolist()))

    threads = [Thread(target=read) for _ in range(2)]
    named.overwrite("cells", (slice(None), 0), 0.0)
    for thread in threads:
        thread.start()
    for number in range(1, 12):
        named.overwrite("cells", (slice(None), 0), float(number))
    stop.append(True)
    for thread in threads:
        thread.join(60)
    assert seen
    assert all(len(each) == 1 for each in seen), seen


def test_a_version_that_is_replaced_stays_for_who_is_about_to_take_it(client, named):
    """The two steps of a reader with an overwrite between them."""
    raw = client.sync(client.scheduler.publish_get, names=["cells"])  # asked, not yet wanted
    named["cells"] = dt.zeros((6, 8)).rechunk((3, 4))
    time.sleep(0.2)
    held = client.run_on_scheduler(lambda dask_scheduler: set(map(str, dask_scheduler.tasks)))
    assert {str(key) for key in raw[0]["keys"]} <= held


def test_of_two_that_overwrite_at_once_one_is_told(client, named):
    made = named_datasets.overwritten

    def meanwhile(*args):
        named["cells"] = dt.ones((6, 8)).rechunk((3, 4))
        return made(*args)

    named_datasets.overwritten = meanwhile
    try:
        with pytest.raises(dt.PlanError, match="'cells' was replaced while"):
            named.overwrite("cells", 0, 7)
    finally:
        named_datasets.overwritten = made
    np.testing.assert_array_equal(named["cells"].compute(), np.ones((6, 8)))


def test_blocks_that_do_not_change_are_shared(client, named):
    wait(named["cells"])
    before = _keys(named)
    named.overwrite("cells", (slice(0, 3), slice(0, 4)), 9)
    after = _keys(named)
    assert len(before & after) == 3
    assert len(after) == 4


def test_deleting_frees_the_memory(cluster):
    """In a process of its own: checks of tests keep the last graphs."""
    program = dedent(f"""
        import time
        from distributed import Client, futures_of, wait
        import dask_tapestry as dt

        def held(dask_scheduler):
            wanted = dask_scheduler.plugins["dask_tapestry-replicas"].wanted
            return {{str(key) for known in (dask_scheduler.tasks, wanted) for key in known}}

        with Client({cluster.scheduler_address!r}) as client:
            dt.datasets()["freed"] = dt.arange(100).rechunk(10).persist(replicas=2)
            keys = {{str(future.key) for future in futures_of(dt.datasets()["freed"])}}
            wait(dt.datasets()["freed"])
            assert keys <= client.run_on_scheduler(held)
            del dt.datasets()["freed"]
            for _ in range(100):
                if not keys & client.run_on_scheduler(held):
                    break
                time.sleep(0.1)
            else:
                raise AssertionError("its blocks stay")
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_table(named, client):
    named.overwrite("cells", 0, 7)
    client.publish_dataset(da.ones((4, 4), chunks=2).persist(), name="<b>others")
    rows = repr(named).splitlines()
    assert rows[0].split() == ["name", "version", "shape", "dtype", "blocks", "bytes", "replicas"]
    assert re.split("  +", rows[1]) == ["<b>others", "1", "Array", "1"]
    assert re.split("  +", rows[2]) == [
        "cells",
        "2",
        "(6, 8)",
        "float64",
        "4 of (3, 4)",
        "384 B",
        "1",
    ]
    assert "&lt;b&gt;others" in named._repr_html_()
    assert "<b>" not in named._repr_html_()


def test_an_empty_table(client):
    assert repr(dt.datasets()) == "no named datasets"


def test_replicas_are_kept_for_what_is_overwritten(client):
    named = dt.datasets()
    named["twice"] = dt.asarray(CELLS).rechunk((3, 4)).persist(replicas=2)
    named.overwrite("twice", (0, 0), 1)
    assert repr(named).splitlines()[1].split()[-1] == "2"


def test_wrong_uses(client, named):
    client.publish_dataset(da.ones((4, 4), chunks=2).persist(), name="others")
    with pytest.raises(TypeError, match="'others' is not an array"):
        named.overwrite("others", 0, 1)
    with pytest.raises(KeyError, match="none"):
        named.overwrite("none", 0, 1)
    with pytest.raises(IndexError):
        named.overwrite("cells", 6, 1)
    with pytest.raises(ValueError, match="broadcast"):
        named.overwrite("cells", 0, np.ones(3))
    with pytest.raises(TypeError, match="must be a string"):
        named[3] = dt.ones(3)


def test_without_a_client():
    with pytest.raises(dt.PlanError, match="no Dask client"):
        dt.datasets()


def _keys(named):
    from distributed import futures_of

    return {future.key for future in futures_of(named["cells"])}

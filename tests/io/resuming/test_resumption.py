import json
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.resuming.resumption import identity_there
from dask_tapestry.io.stores.zarr_location import Location
from tests.io.object_server import object_server
from tests.io.resumed_jobs import Tripping, Written

CELLS = np.arange(40.0 * 30).reshape(40, 30)
SIDES = (5, 10)  # 24 chunks
SMALL = "1 kB"


def doubled(double, cells=CELLS):
    return dt.map_blocks(double, dt.asarray(cells.copy()).rechunk(SIDES), dtype=float)


def written(double, store, cells=CELLS, scheduler="sync", block_bytes=SMALL, **options):
    with dt.config(block_bytes=block_bytes):
        options = {"chunks": SIDES, "resume": True, **options}
        return dt.to_zarr(doubled(double, cells), store, scheduler=scheduler, **options)


def failed(store, after=9, **options):
    """A function that has failed, after which something is missing."""
    double = Tripping(after)
    with pytest.raises(OSError, match="on fire"):
        written(double, store, **options)
    return double.mended()


def stored(store):
    return zarr.open_array(store)[...]


@pytest.fixture
def counted(monkeypatch):
    return Written(monkeypatch, SIDES)


@pytest.mark.parametrize("overwrite", [False, True])
def test_it_goes_on_where_it_failed_in_threads(tmp_path, overwrite):
    """Tasks of the first run may end while the second one runs."""
    double = failed(tmp_path / "x", scheduler="threads", overwrite=overwrite)
    written(double, tmp_path / "x", scheduler="threads", overwrite=overwrite)
    assert 0 < double.calls < 24
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), 2 * CELLS)


@pytest.mark.parametrize("overwrite", [False, True])
def test_it_goes_on_where_it_failed(tmp_path, counted, caplog, overwrite):
    options = {"overwrite": overwrite}
    double = failed(tmp_path / "x", **options)
    first = set(counted.chunks)
    assert 5 < len(first) <= 9
    counted.chunks.clear()
    written(double, tmp_path / "x", **options)
    assert set(counted.chunks.values()) == {1}
    assert set(counted.chunks).isdisjoint(first)
    assert double.calls == len(counted.chunks) == 24 - len(first)
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), 2 * CELLS)
    assert f"{tmp_path / 'x'} goes on: {24 - len(first)} of 24 chunks" in caplog.text


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_complete_is_left_and_said_to_be(tmp_path, counted, caplog, overwrite):
    written(Tripping(99), tmp_path / "x", overwrite=overwrite)
    counted.chunks.clear()
    assert not caplog.text
    double = Tripping(0)
    written(double, tmp_path / "x", overwrite=overwrite)
    assert (double.calls, sum(counted.chunks.values())) == (0, 0)
    assert caplog.text.count(f"{tmp_path / 'x'} is complete: nothing is written") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x"]


@pytest.mark.parametrize(
    "options",
    [
        {"shards": (10, 10), "chunks": (5, 5)},
        {"zarr_format": 2},
        {"compressors": None},
        {"component": "a/b"},
    ],
)
def test_other_layouts(tmp_path, monkeypatch, options):
    counted = Written(monkeypatch, options.get("shards", SIDES))
    double = failed(tmp_path / "x", **options)
    first = set(counted.chunks)
    counted.chunks.clear()
    written(double, tmp_path / "x", **options)
    assert first
    assert set(counted.chunks).isdisjoint(first)
    found = dt.from_zarr(tmp_path / "x", options.get("component")).compute()
    np.testing.assert_array_equal(found, 2 * CELLS)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_store_in_memory(counted, overwrite):
    store = zarr.storage.MemoryStore()
    double = failed(store, overwrite=overwrite)
    counted.chunks.clear()
    written(double, store, overwrite=overwrite)
    assert 0 < sum(counted.chunks.values()) == double.calls < 24
    np.testing.assert_array_equal(stored(store), 2 * CELLS)
    written(Tripping(0), store, overwrite=overwrite)


@pytest.mark.parametrize("block_bytes", [500, 3000, "1 MB"])
def test_the_plan_may_be_another(tmp_path, counted, block_bytes):
    """Blocks of several chunks, of which some are done, write those that are not."""
    double = failed(tmp_path / "x")
    first = set(counted.chunks)
    counted.chunks.clear()
    written(double, tmp_path / "x", block_bytes=block_bytes, scheduler="threads")
    assert set(counted.chunks.values()) == {1}
    assert set(counted.chunks) == {(i, j) for i in range(8) for j in range(3)} - first
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


def test_other_resources(tmp_path, counted):
    failed(tmp_path / "x")
    counted.chunks.clear()
    with dt.config(resources=dt.Resources(workers=3, threads=2, memory="1 GiB")):
        written(Tripping(99), tmp_path / "x", scheduler="threads")
    assert 0 < sum(counted.chunks.values()) < 24
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


def chunks_of(path):
    return sorted(p for p in (path / "c").rglob("*") if p.is_file())


@pytest.mark.parametrize("torn", [lambda whole: whole[:7], lambda whole: b"", None])
def test_a_torn_or_missing_chunk_is_written_again(tmp_path, counted, torn):
    double = failed(tmp_path / "x")
    first = set(counted.chunks)
    victim = chunks_of(tmp_path / "x")[3]
    whole = victim.read_bytes()
    victim.unlink()
    if torn:
        victim.write_bytes(torn(whole))
    counted.chunks.clear()
    written(double, tmp_path / "x")
    place = tuple(map(int, victim.relative_to(tmp_path / "x" / "c").parts))
    assert set(counted.chunks) & first == {place}
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


@pytest.mark.parametrize("resume", [True, "checksums"])
def test_a_chunk_of_the_same_size_is_told_by_its_checksum(tmp_path, counted, resume):
    double = failed(tmp_path / "x", compressors=None, resume=resume)
    victim = chunks_of(tmp_path / "x")[3]
    victim.write_bytes(b"\x01" * len(victim.read_bytes()))
    written(double, tmp_path / "x", compressors=None, resume=resume)
    is_right = np.array_equal(stored(tmp_path / "x"), 2 * CELLS)
    assert is_right == (resume == "checksums")


def test_chunks_whose_checksums_were_not_asked_for_are_written_again(tmp_path, counted):
    double = failed(tmp_path / "x")
    counted.chunks.clear()
    written(double, tmp_path / "x", resume="checksums")
    assert len(counted.chunks) == 24


def test_chunks_of_fill_values_are_known_to_be_absent(tmp_path, counted):
    cells = CELLS.copy()
    cells[:10] = 0
    double = failed(tmp_path / "x", cells=cells)
    first = set(counted.chunks)
    counted.chunks.clear()
    written(double, tmp_path / "x", cells=cells)
    assert set(counted.chunks).isdisjoint(first)
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * cells)


@pytest.mark.parametrize("most", [4, 11])
def test_several_chunks_may_have_one_mark(tmp_path, counted, monkeypatch, most):
    monkeypatch.setattr("dask_tapestry.io.journals.write_marks.MOST_MARKS", most)
    double = failed(tmp_path / "x", after=17)
    counted.chunks.clear()
    written(double, tmp_path / "x")
    assert 7 <= len(counted.chunks) < 24
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


def test_data_that_differ_are_refused(tmp_path):
    double = failed(tmp_path / "x")
    with pytest.raises(
        dt.StoreError, match=r"x exists and .*: the data 0 \(memory .* differs; give"
    ):
        written(double, tmp_path / "x", cells=CELLS + 1)
    written(double, tmp_path / "x", cells=CELLS + 1, overwrite=True)
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * (CELLS + 1))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"compressors": None}, "how it is encoded"),
        ({"chunks": (10, 10)}, "how it is encoded"),
    ],
)
def test_another_encoding_is_refused(tmp_path, change, part):
    failed(tmp_path / "x")
    with pytest.raises(dt.StoreError, match=f"{part} differs"):
        written(Tripping(99), tmp_path / "x", **change)


def test_another_computation_is_refused(tmp_path):
    failed(tmp_path / "x")
    with pytest.raises(dt.StoreError, match="what is computed differs"):
        dt.to_zarr(dt.asarray(CELLS) * 3, tmp_path / "x", chunks=SIDES, resume=True)


def test_what_others_have_made_is_refused(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(40, 30), dtype="f8", chunks=SIDES)
    with pytest.raises(
        dt.StoreError, match="exists and belongs to another write, which cannot be resumed here"
    ):
        written(Tripping(99), tmp_path / "x")
    dt.to_zarr(dt.ones(3), tmp_path / "y")
    with pytest.raises(dt.StoreError, match="give overwrite=True to replace it, or another comp"):
        written(Tripping(99), tmp_path / "y")


def test_sources_that_have_changed_are_told(tmp_path):
    def job():
        return dt.to_zarr(dt.from_zarr(tmp_path / "in") * 2, tmp_path / "x", resume=True)

    dt.to_zarr(dt.ones((4, 4)), tmp_path / "in")
    job()
    job()
    dt.to_zarr(dt.ones((4, 4)), tmp_path / "in", overwrite=True)
    with pytest.raises(dt.StoreError, match=r"the data 0 \(zarr float64\[4, 4\]\) differs"):
        job()


def test_what_has_no_name_is_told(tmp_path):
    with pytest.raises(dt.ArgumentError, match=r"seed that the system chose.*default_rng"):
        dt.to_zarr(dt.random.default_rng().normal(size=3), tmp_path / "x", resume=True)
    with pytest.raises(dt.ArgumentError, match=r"zip file, which is written in one go"):
        dt.to_zarr(dt.ones(3), tmp_path / "x.zip", resume=True)
    with pytest.raises(dt.ArgumentError, match="enlarged again"):
        dt.to_zarr(dt.ones(3), tmp_path / "x", append_dim=0, resume=True)
    assert not list(tmp_path.iterdir())


def test_a_value_that_reads_what_it_replaces_is_refused(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path / "x")
    with pytest.raises(dt.ArgumentError, match="which it replaces"):
        dt.to_zarr(dt.from_zarr(tmp_path / "x") * 2, tmp_path / "x", overwrite=True, resume=True)


def test_a_run_whose_cells_another_write_has_taken_begins_anew(tmp_path, counted):
    double = failed(tmp_path / "x")
    dt.to_zarr(dt.zeros((7, 30)), tmp_path / "x", region=(slice(7), slice(None)))
    counted.chunks.clear()
    written(double, tmp_path / "x")
    assert len(counted.chunks) == 24
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)
    counted.chunks.clear()
    written(Tripping(0), tmp_path / "x")
    assert not counted.chunks


def test_an_array_that_was_deleted_is_written_anew(tmp_path):
    written(Tripping(99), tmp_path / "x")
    shutil.rmtree(tmp_path / "x")
    written(Tripping(99), tmp_path / "x")
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


def test_it_may_be_killed_before_its_first_cell_and_after_its_last(tmp_path, counted, monkeypatch):
    """Between any two of the things that make a store ready, and that end a write."""
    steps = ["zarr_create.create", "zarr_create.begin_write", "zarr_sink.end_write"]
    for number, name in enumerate(steps):
        for before in (True, False):
            path = tmp_path / f"{number}{before}"
            with monkeypatch.context() as patch:
                module, function = name.split(".")
                real = getattr(
                    __import__(f"dask_tapestry.io.sinks.{module}", fromlist="x"), function
                )

                def dying(*args, before=before, real=real, **kwargs):
                    if not before:
                        real(*args, **kwargs)
                    raise KeyboardInterrupt

                patch.setattr(f"dask_tapestry.io.sinks.{name}", dying)
                with pytest.raises(KeyboardInterrupt):
                    written(Tripping(99), path)
            counted.chunks.clear()
            written(Tripping(99), path)
            assert len(counted.chunks) == (0 if "end" in name else 24)
            np.testing.assert_array_equal(dt.from_zarr(path).compute(), 2 * CELLS)


def test_reductions_that_feed_missing_chunks_are_computed(tmp_path, counted):
    def job(double):
        x = doubled(double)
        with dt.config(block_bytes=SMALL):
            y = dt.map_blocks(double, x - x.mean(0), dtype=float)
            dt.to_zarr(y, tmp_path / "x", chunks=SIDES, resume=True, scheduler="sync")

    double = Tripping(24 + 10)
    with pytest.raises(OSError, match="on fire"):
        job(double)
    counted.chunks.clear()
    job(double.mended())
    assert 0 < len(counted.chunks) < 24
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * (2 * CELLS - (2 * CELLS).mean(0)))


def test_a_pyramid_goes_on_level_by_level(tmp_path, counted):
    """Several sinks of one compute: what all of them lack is computed, once."""

    def job(double):
        with dt.config(block_bytes=SMALL):
            levels = [doubled(double)]
            for _ in range(2):
                rows, columns = levels[-1].shape
                part = levels[-1][: rows // 2 * 2, : columns // 2 * 2]
                levels.append(part.reshape(rows // 2, 2, columns // 2, 2).mean((1, 3)))
            sinks = [
                dt.to_zarr(x, tmp_path / "x", f"{n}", chunks=SIDES, resume=True, compute=False)
                for n, x in enumerate(levels)
            ]
            dt.compute(*sinks, scheduler="sync")
            return [x.compute() for x in levels] if double.after == np.inf else None

    double = Tripping(13)
    with pytest.raises(OSError, match="on fire"):
        job(double)
    first = sum(counted.chunks.values())
    counted.chunks.clear()
    expected = job(double.mended())
    assert 0 < sum(counted.chunks.values()) <= 24 + 8 + 2 + 2 - first
    for number, level in enumerate(expected):
        np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x", f"{number}").compute(), level)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1), (7,)])
def test_small_shapes(tmp_path, shape):
    for _ in range(2):
        dt.to_zarr(dt.ones(shape) * 2, tmp_path / "x", resume=True)
        np.testing.assert_array_equal(stored(tmp_path / "x"), np.full(shape, 2.0))


def test_records_tell_the_identity(tmp_path):
    failed(tmp_path / "x")
    (made,) = (tmp_path / "x" / ".dask_tapestry.writes").glob("made.*")
    write = json.loads(made.read_text())[0]
    place = Location.of(str(tmp_path / "x"), None, "")
    assert set(identity_there(place, write)) > {"what is computed", "how it is encoded"}
    assert identity_there(place, "another") is None
    assert Path(made).exists()
    assert logging.getLogger("dask_tapestry.io.resuming.resumption").level == 0


def test_what_a_killed_overwrite_left_does_not_replace_what_is_complete(tmp_path):
    failed(tmp_path / "x", overwrite=True)
    written(Tripping(99), tmp_path / "x")
    written(Tripping(0), tmp_path / "x", overwrite=True)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), 2 * CELLS)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("resume", [True, "checksums"])
def test_objects_behind_a_network(caplog, overwrite, resume):
    with object_server() as server:
        options = {"overwrite": overwrite, "resume": resume}
        failed(server.url, **options)
        stored = [key for key in server.objects if "/c/" in key]
        victim = stored[0]
        server.objects[victim] = server.objects[victim][:5]
        double = Tripping(99)
        written(double, server.url, **options)
        assert 24 - len(stored) < double.calls < 24
        np.testing.assert_array_equal(dt.from_zarr(server.url).compute(), 2 * CELLS)
        assert f"{24 - len(stored) + 1} of 24 chunks are missing" in caplog.text
        written(Tripping(0), server.url, **options)


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_was_left_of_chunks_that_were_being_stored_goes(tmp_path, overwrite):
    failed(tmp_path / "x", overwrite=overwrite)
    (place,) = tmp_path.iterdir()
    left = place / "c" / "0.7f.partial"
    left.write_text("half")
    written(Tripping(99), tmp_path / "x", overwrite=overwrite)
    assert not list((tmp_path / "x").rglob("*.partial"))


BOXLESS = '{"boxes": [], "dense": true, "over": [], "stored": {"a": 1}}'


@pytest.mark.parametrize("text", ["", "{", BOXLESS])
def test_marks_that_are_damaged_tell_nothing(tmp_path, counted, text):
    double = failed(tmp_path / "x")
    for mark in (tmp_path / "x" / ".dask_tapestry.writes").glob("mark.*"):
        mark.write_text(text)
    counted.chunks.clear()
    written(double, tmp_path / "x")
    assert len(counted.chunks) == 24
    np.testing.assert_array_equal(stored(tmp_path / "x"), 2 * CELLS)


@pytest.mark.parametrize("wrong", ["checksum", "yes", 2, []])
def test_ways_to_resume_that_there_are_not(tmp_path, wrong):
    target = zarr.create_array(tmp_path / "y", shape=3, dtype="f8")
    for write in (
        lambda: dt.to_zarr(dt.ones(3), tmp_path / "x", resume=wrong),
        lambda: dt.store(dt.ones(3), target, resume=wrong),
    ):
        with pytest.raises(dt.ArgumentTypeError, match="resume must be True or False"):
            write()
    assert not (tmp_path / "x").exists()

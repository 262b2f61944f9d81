import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.errors import StoreError
from dask_tapestry.io.sources.zarr_source import ZarrSource
from dask_tapestry.lower import unread_values
from dask_tapestry.lower.values_until_last_use import ValuesUntilLastUse
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.search import form_choice
from dask_tapestry.teg import Source
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import unread_folds
from tests.comparisons import same_bits

X = np.random.default_rng(3).normal(size=(256, 200))
CHUNKS = (128, 200)
PART = 2**15
OPENED = ZarrSource.opened


@pytest.fixture
def reads(monkeypatch):
    """The boxes that are read of stores, where parts are few cells and no file is folded."""
    found = []
    read_some = ZarrSource.read_some

    def noted(self, box, out, every):
        found.append(box)
        return read_some(self, box, out, every)

    monkeypatch.setattr(ZarrSource, "read_some", noted)
    monkeypatch.setattr(ZarrSource, "opened", Source.opened)
    monkeypatch.setattr(unread_values, "LEAST_UNREAD_BYTES", 2 * PART)
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", PART)
    monkeypatch.setattr(unread_folds, "RUN_BYTES", PART // 4)
    return found


def stored(path, x=X, chunks=CHUNKS, **options):
    zarr.create_array(path, data=x, chunks=chunks, **{"compressors": None, **options})
    return dt.from_zarr(path)


WORKS = {
    "sum": lambda x: x.sum(),
    "mean of rows": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(),
    "squares": lambda x: (x * x).sum(),
    "three": lambda x: dt.stack([x.min(), x.max(), x.sum()]),
    "greatest place": lambda x: x.argmax(),
}


@pytest.mark.parametrize("work", WORKS)
def test_values_are_those_of_whole_chunks(work, reads, tmp_path, monkeypatch):
    x = stored(tmp_path / "x")
    parts = WORKS[work](x).compute(scheduler="sync")
    assert sum(box.size for box in reads) == X.size
    assert work == "greatest place" or max(box.size for box in reads) * 8 <= PART + 32 * 200 * 8
    reads.clear()
    monkeypatch.setattr(unread_values, "LEAST_UNREAD_BYTES", 2 * X.nbytes)
    assert same_bits(parts, WORKS[work](x + 0).compute(scheduler="sync"))
    assert max(box.size for box in reads) >= 128 * 200


def test_what_no_fold_reads_is_read_whole(reads, tmp_path):
    x = stored(tmp_path / "x")
    assert same_bits((x + 1).compute(scheduler="sync"), X + 1)
    assert {box.size for box in reads} <= {128 * 200, X.size}


def test_what_two_read_is_held(reads, tmp_path):
    x = stored(tmp_path / "x")
    program = group_of((x - x.mean(axis=1, keepdims=True)).node, frozenset()).program
    held = ValuesUntilLastUse(program, program.schedule(program.type.box), {})
    for work in held.schedule.works:
        held.compute(work, None)
    assert reads == [program.type.box]
    np.testing.assert_allclose(held.output(), X - X.mean(axis=1, keepdims=True))


def test_encoded_chunks_are_read_whole(reads, tmp_path):
    x = stored(tmp_path / "x", compressors="auto")
    np.testing.assert_allclose(x.sum().compute(scheduler="sync"), X.sum())
    assert {box.size for box in reads} <= {128 * 200, X.size}


def test_errors_say_what_was_read(reads, tmp_path):
    x = stored(tmp_path / "x")
    (file,) = [path for path in (tmp_path / "x" / "c").rglob("0") if path.is_file()][:1]
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(StoreError, match="cannot read chunk"):
        x.sum().compute(scheduler="sync")


def test_absent_chunks_hold_the_fill_value(reads, tmp_path):
    x = stored(tmp_path / "x", X[:128], fill_value=2.5)
    zarr.open_array(tmp_path / "x").resize((256, 200))
    x = dt.from_zarr(tmp_path / "x")
    np.testing.assert_allclose(x.sum().compute(scheduler="sync"), X[:128].sum() + 2.5 * 128 * 200)
    assert len(reads) > 2


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("work", ["sum", "mean of rows", "squares", "three"])
def test_rows_are_taken_as_they_are_folded(axis, work, monkeypatch):
    made = []
    call = unread_values.called

    def noted(instruction, work, blocks, *others):
        made.append(work.box)
        return call(instruction, work, blocks, *others)

    monkeypatch.setattr(unread_values, "called", noted)
    monkeypatch.setattr(unread_values, "LEAST_UNREAD_BYTES", 2 * PART)
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", PART)
    monkeypatch.setattr(form_choice, "COMPARING_SECONDS", 0.0)  # else it is one fold
    places = np.random.default_rng(1).integers(-200, 200, 500)
    taken = WORKS[work](dt.take(dt.asarray(X), dt.asarray(places), axis=axis))
    with compile_service.mode("off"):  # compiled folds copy no lines
        found = taken.compute(scheduler="sync")
    assert len(made) > 2
    assert sum(box.size for box in made) == X.size // X.shape[axis] * 500
    expected = WORKS[work](dt.asarray(X.take(places, axis))).compute(scheduler="sync")
    assert same_bits(found, expected)


def test_places_out_of_bounds_are_an_error(monkeypatch):
    monkeypatch.setattr(unread_values, "LEAST_UNREAD_BYTES", 2 * PART)
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", PART)
    places = np.arange(500) % 256
    places[450] = 256
    with pytest.raises(IndexError, match="out of bounds"):
        dt.take(dt.asarray(X), dt.asarray(places), axis=0).sum().compute(scheduler="sync")


@pytest.mark.parametrize("work", [lambda x: x.sum(axis=1), lambda x: x.std(axis=1)])
def test_rows_that_are_folded_by_themselves_are_not_taken(work, monkeypatch):
    def called(*_):
        raise AssertionError("a row is taken")

    monkeypatch.setattr(unread_values, "called", called)
    monkeypatch.setattr(unread_values, "LEAST_UNREAD_BYTES", 2 * PART)
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", PART)
    places = np.random.default_rng(1).integers(-256, 256, 500)
    with compile_service.mode("wait"):
        found = work(dt.asarray(X)[dt.asarray(places)]).compute(scheduler="sync")
    assert same_bits(found, work(dt.asarray(X[places])).compute(scheduler="sync"))


@pytest.fixture
def files(reads, monkeypatch):
    """The boxes that are read of stores, where compiled code folds files."""
    monkeypatch.setattr(ZarrSource, "opened", OPENED)
    monkeypatch.setattr(unread_folds, "PIECE_BYTES", 2**20)
    with compile_service.mode("wait"):
        yield reads


def stored_large(path, **options):
    """Two chunks, each of as many cells as are folded to a node of its own."""
    cells = np.random.default_rng(4).normal(size=(2100, 1000))
    return cells, stored(path, cells, (1050, 1000), **options)


@pytest.mark.parametrize("work", ["sum", "std"])
def test_files_are_folded_where_they_are_read(work, files, tmp_path):
    _, x = stored_large(tmp_path / "x")
    found = WORKS[work](x).compute(scheduler="sync")
    assert not files
    with compile_service.mode("off"):
        assert same_bits(found, WORKS[work](x).compute(scheduler="sync"))
    assert files


def test_errors_say_what_was_read_of_files_that_are_folded(files, tmp_path):
    _, x = stored_large(tmp_path / "x")
    (tmp_path / "x" / "c" / "1" / "0").write_bytes(b"short")
    with pytest.raises(StoreError, match=r"cannot read .* it has 5 bytes"):
        x.sum().compute(scheduler="sync")


def test_absent_files_hold_the_fill_value(files, tmp_path):
    cells, x = stored_large(tmp_path / "x", fill_value=2.0)
    (tmp_path / "x" / "c" / "1" / "0").unlink()
    np.testing.assert_allclose(x.sum().compute(scheduler="sync"), cells[:1050].sum() + 2.1e6)

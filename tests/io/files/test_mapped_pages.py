import mmap
import pickle
from pathlib import Path

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.files import mapped_pages, memmap_file
from dask_tapestry.io.files.memmap_file import mapped_file

SIDE, KEPT = 1024, 2**20  # 8 MiB of float64, of which one is kept
SMAPS = Path("/proc/self/smaps")

pytestmark = pytest.mark.skipif(not SMAPS.exists(), reason="pages are counted on Linux")


def resident(path):
    """Bytes of the pages of a file that count as memory of this process."""
    total, inside = 0, False
    for line in SMAPS.read_text().splitlines():
        if "-" in line.split(" ", 1)[0]:
            inside = line.endswith(str(path))
        elif inside and line.startswith("Rss:"):
            total += int(line.split()[1]) * 1024
    return total


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_pages, "MAPPED_PAGES_BYTES", KEPT)
    np.save(tmp_path / "x.npy", np.ones((SIDE, SIDE)))
    return tmp_path / "x.npy"


def own(file):
    return mapped_file(np.load(file, mmap_mode="r+"))


def of_another_process(file):
    return pickle.loads(pickle.dumps(own(file)))


@pytest.mark.parametrize("opened", [own, of_another_process])
@pytest.mark.parametrize("rows", [1, 100, SIDE])
def test_what_was_read_goes(file, opened, rows):
    cells = opened(file)
    for begin in range(0, SIDE, rows):
        assert cells.read((slice(begin, begin + rows), ...)).mean() == 1
    cells.read((slice(1), slice(1), ...))
    most = max(KEPT, rows * SIDE * 8) + 2 * KEPT
    assert resident(file) <= most


@pytest.mark.parametrize("opened", [own, of_another_process])
def test_what_was_written_goes_and_stays_in_the_file(file, opened):
    cells = opened(file)
    for begin in range(0, SIDE, 64):
        cells.write((slice(begin, begin + 64), ...), np.full((64, SIDE), begin))
    assert resident(file) <= 3 * KEPT
    np.testing.assert_array_equal(np.load(file)[:, 0], np.repeat(np.arange(0, SIDE, 64), 64))


def test_columns_reach_all_pages(file):
    cells = of_another_process(file)
    for begin in range(0, SIDE, 256):
        assert cells.read((slice(None), slice(begin, begin + 256), ...)).sum() == SIDE * 256
    cells.read((slice(1), slice(1), ...))
    assert resident(file) <= 3 * KEPT


def test_arrays_that_hold_views_have_their_cells(file):
    x = dt.from_npy(file)
    held = [x[i : i + 64].compute() for i in range(0, SIDE, 64)]
    kept = (x[:, :8] * 2).persist()
    assert float(x.sum()) == SIDE**2
    assert all((one == 1).all() for one in held)
    assert float(kept.sum()) == 2 * 8 * SIDE
    small = np.memmap(file.parent / "one", "f8", "w+", shape=())
    dt.store(dt.asarray(5.0), small)
    assert dt.asarray(small).compute() == 5


def test_a_mapping_that_was_closed_is_passed_by(file):
    pages = mapped_pages.MappedPages()
    mapped = np.load(file, mmap_mode="r")
    pages.add(mapped._mmap)
    pages.add(None)
    mapping = mapped._mmap
    del mapped
    mapping.close()
    pages.touch(2 * KEPT)
    pages.touch(2 * KEPT)
    assert pages.touched == 2 * KEPT


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "box", [(slice(None), slice(3, 5)), (slice(3, 5), slice(None)), (slice(700), slice(0, 900, 7))]
)
def test_cells_far_apart_are_copied_part_by_part(tmp_path, monkeypatch, order, box):
    monkeypatch.setattr(mapped_pages, "MAPPED_PAGES_BYTES", KEPT)
    monkeypatch.setattr(memmap_file, "MAPPED_PAGES_BYTES", KEPT)
    cells = np.asarray(np.arange(SIDE**2, dtype="f8").reshape(SIDE, SIDE), order=order)
    np.save(tmp_path / "x.npy", cells)
    opened = of_another_process(tmp_path / "x.npy")
    np.testing.assert_array_equal(opened.read((*box, ...)), cells[box])
    np.testing.assert_array_equal(opened.read((*box, ...))[::-1], cells[box][::-1])
    assert resident(tmp_path / "x.npy") <= 3 * KEPT


def test_bytes_of_the_pages_that_a_box_touches(file):
    rows, columns = own(file), mapped_file(np.load(file, mmap_mode="r").T)
    page, row = mmap.PAGESIZE, SIDE * 8
    assert rows.touched_bytes((1, 1)) == columns.touched_bytes((1, 1)) == 8
    assert rows.touched_bytes((SIDE, SIDE)) == columns.touched_bytes((SIDE, SIDE)) == SIDE * row
    assert rows.touched_bytes((5, SIDE)) == columns.touched_bytes((SIDE, 5)) == 5 * row
    assert rows.touched_bytes((SIDE, 1)) == columns.touched_bytes((1, SIDE)) == SIDE * page
    assert rows.touched_bytes((0, 7)) == 0
    narrow = mapped_file(np.load(file, mmap_mode="r").reshape(-1, 4))
    assert narrow.touched_bytes((1000, 1)) == 999 * 32 + 8


def test_a_plan_cuts_a_mapped_file_along_its_rows(file):
    np.save(file, np.ones((2_000_000, 64), "f4"))
    x = dt.from_npy(file)
    small = dt.Resources(workers=2, threads=1, memory="500 MB")
    plan = dt.plan(x.mean(axis=0), x.std(axis=0), resources=small)
    assert plan.cost["bytes_read"] == x.nbytes
    assert ", 64] (store)" in plan.explain()

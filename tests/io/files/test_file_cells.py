import os
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.io.files import file_cells as module
from dask_tapestry.io.files.file_cells import CellFile

AT = 40  # bytes before the array


@pytest.fixture(scope="module", params=["small limits", "usual limits"])
def limits(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "small limits":
            patch.setattr(module, "READ_SCRATCH_BYTES", 48)
            patch.setattr(module, "SHORTEST_ROW_BYTES", 12)
            patch.setattr(module, "SKIPPED_ROW_BYTES", 6)
            patch.setattr(module, "READ_THROUGH_BYTES", 16)
            patch.setattr(module, "ROWS_A_CALL", 4)
        yield


def memory_file(content):
    number = os.memfd_create("cells")
    os.write(number, content)
    return number


def place_of(shape, dtype, layout):
    """Memory of a shape: in order, the other way round, or with gaps between its cells."""
    if layout in "CF":
        return np.empty(shape, dtype, layout)
    wide = np.empty([2 * n + 1 for n in shape], dtype)
    return wide[(*(slice(None, 2 * n, 2) for n in shape), ...)]


@st.composite
def parts(draw):
    shape = tuple(draw(st.lists(st.integers(1, 6), max_size=4)))
    spans = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for n in shape]
    return shape, tuple(slice(*span) for span in spans)


@given(
    parts(),
    st.sampled_from(["<f4", ">f4", "u1", "M8[s]", "i2,f8"]),
    st.sampled_from(["C", "F", "gaps"]),
)
def test_any_part_goes_to_any_place(limits, case, dtype, layout):
    shape, part = case
    stored = np.arange(prod(shape) * np.dtype(dtype).itemsize, dtype="u1").view(dtype)
    stored = stored.reshape(shape)
    expected = stored[(*part, ...)]
    out = place_of(expected.shape, expected.dtype.newbyteorder("="), layout)
    number = memory_file(b"?" * AT + stored.tobytes())
    try:
        CellFile(number, stored.dtype).fill(AT, shape, part, out)
    finally:
        os.close(number)
    assert out.tobytes() == expected.astype(out.dtype).tobytes()


def test_a_file_that_ends_too_soon_says_where():
    number = memory_file(bytes(100))
    with pytest.raises(EOFError, match="ends at byte 100"):
        CellFile(number, np.dtype("u1")).fill(0, (200,), (slice(0, 200),), np.empty(200, "u1"))
    os.close(number)


def test_whole_rows_are_not_copied(monkeypatch):
    monkeypatch.setattr(CellFile, "_scratch", None)
    stored = np.arange(300 * 1024.0).reshape(300, 1024)
    number = memory_file(stored.tobytes())
    every = (slice(0, 300), slice(0, 1024))
    for wide in (np.empty((300, 1024)), np.empty((300, 2048))[:, 100:1124]):
        CellFile(number, stored.dtype).fill(0, stored.shape, every, wide)
        np.testing.assert_array_equal(wide, stored)
    os.close(number)


def test_of_long_rows_only_what_is_wanted_is_read(monkeypatch):
    read = []
    system = os.preadv
    monkeypatch.setattr(module.os, "preadv", lambda *a: read.append(system(*a)) or read[-1])
    stored = np.arange(20 * 14_000.0).reshape(20, 14_000)
    number, out = memory_file(stored.tobytes()), np.empty((20, 3500))
    CellFile(number, stored.dtype).fill(0, stored.shape, (slice(0, 20), slice(7000, 10_500)), out)
    os.close(number)
    np.testing.assert_array_equal(out, stored[:, 7000:10_500])
    assert sum(read) == out.nbytes


@pytest.mark.parametrize("most", [10**9, 20_000, 12_000, 8000, 5])
def test_of_rows_that_lie_close_many_are_read_by_a_call(monkeypatch, most):
    """The system may stop anywhere: in a row, behind one, or in what nobody wants."""
    calls = []
    system = os.preadv

    def some(number, places, at):
        calls.append(len(places))
        room, left = [], most
        for place in places:
            room.append(place[:left])
            left -= len(room[-1])
            if not left:
                break
        return system(number, room, at)

    monkeypatch.setattr(module.os, "preadv", some)
    monkeypatch.setattr(module, "SKIPPED_ROW_BYTES", 8000)
    stored = np.arange(20 * 2000.0).reshape(20, 2000)
    number, out = memory_file(stored.tobytes()), np.empty((20, 1000))
    CellFile(number, stored.dtype).fill(0, stored.shape, (slice(0, 20), slice(500, 1500)), out)
    os.close(number)
    np.testing.assert_array_equal(out, stored[:, 500:1500])
    assert calls[0] == 2 * 20 - 1
    assert (len(calls) == 1) == (most == 10**9)


@pytest.mark.parametrize("at", [0, 16, 4000, 4096 + 40, 4096 + 64])
def test_scratch_memory_begins_in_its_page_where_the_file_does(at):
    number = memory_file(b"")
    cells = CellFile(number, np.dtype("u1"))._scratch((100,), at)
    os.close(number)
    assert (
        0
        <= at % module.COPY_PAGE_BYTES - cells.ctypes.data % module.COPY_PAGE_BYTES
        < module.COPY_ALIGNED_BYTES
    )


@given(
    parts(),
    st.sampled_from(["<f4", ">f4", "u1", "M8[s]", "i2,f8"]),
    st.sampled_from(["C", "F", "gaps"]),
)
def test_cells_from_anywhere_are_written_in_order(limits, case, dtype, layout):
    shape, _ = case
    cells = place_of(shape, np.dtype(dtype).newbyteorder("="), layout)
    cells[...] = (
        np.arange(prod(shape) * cells.itemsize, dtype="u1").view(cells.dtype).reshape(shape)
    )
    number = os.memfd_create("cells")
    try:
        CellFile(number, np.dtype(dtype)).put(AT, cells)
        written = os.pread(number, 10**5, AT)
    finally:
        os.close(number)
    assert written == cells.astype(dtype).tobytes()


@pytest.mark.parametrize("most", [1, 5, 4096, 5000, 9000, 10**6])
@pytest.mark.parametrize("name", ["preadv", "pwritev"])
def test_the_system_may_move_less_than_it_is_asked_to(monkeypatch, most, name):
    def some(number, places, at):
        left, rest = [], most
        for place in places:
            left.append(place[:rest])
            rest -= len(left[-1])
            if not rest:
                break
        return system(number, left, at)

    system = getattr(os, name)
    stored = np.arange(3 * 512.0).reshape(3, 512)
    number = memory_file(stored.tobytes())
    wide = np.zeros((3, 1024))[:, 3:515]
    monkeypatch.setattr(module, "READ_SCRATCH_BYTES", 8)
    monkeypatch.setattr(module.os, name, some)
    file = CellFile(number, stored.dtype)
    if name == "preadv":
        file.fill(0, stored.shape, (slice(0, 3), slice(0, 512)), wide)
        np.testing.assert_array_equal(wide, stored)
    else:
        wide[:] = -stored
        file.put(0, wide)
        assert os.pread(number, 10**5, 0) == (-stored).tobytes()
    os.close(number)

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from zarr.storage import MemoryStore

from dask_tapestry.io.chunks.zarr_array_format import ArrayFormat, chunks_met


def format_of(**options):
    options = {"shape": (7, 5), "chunks": (2, 2), "dtype": "f8"} | options
    return ArrayFormat.of(zarr.create_array(MemoryStore(), **options))


def test_an_array_of_plain_cells():
    found = format_of(compressors=None, fill_value=3)
    assert (found.shape, found.chunk, found.fill) == ((7, 5), (2, 2), 3)
    assert found.key((1, 0)) == "c/1/0"
    assert not found.is_encoded


@pytest.mark.parametrize("options", [{}, {"shards": (4, 4), "compressors": None}])
def test_an_array_of_encoded_chunks(options):
    found = format_of(**options)
    assert found.is_encoded
    assert found.chunk == options.get("shards", (2, 2))


def test_an_array_without_a_fill_value():
    assert format_of(zarr_format=2, fill_value=None, compressors=None).fill == 0


def test_an_array_that_only_zarr_decodes():
    assert format_of(dtype=str) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 5)), max_size=3))
def test_the_chunks_that_meet_a_selection(spans):
    selection = tuple(slice(min(a, b), max(a, b)) for a, b, _ in spans)
    sides = [side for *_, side in spans]
    cells = np.arange(10 ** len(spans)).reshape((10,) * len(spans))
    out = np.full([s.stop - s.start for s in selection], -1)
    for place, part, there in chunks_met(selection, sides):
        whole = tuple(slice(p * side, (p + 1) * side) for p, side in zip(place, sides, strict=True))
        assert (out[(*there, ...)] == -1).all()
        out[(*there, ...)] = cells[whole][(*part, ...)]
    np.testing.assert_array_equal(out, cells[selection])

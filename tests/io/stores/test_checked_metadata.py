import json
import re
import subprocess
import sys

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from tests.io.hostile_stores import VERSION_2, VERSION_3, stored, with_fields

CASES = {**VERSION_3, **VERSION_2}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What reading each hostile store says, in a process that has half a GiB for all."""
    place = str(tmp_path_factory.mktemp("hostile"))
    command = [sys.executable, "-m", "tests.io.hostile_stores", place]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return place, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux")
@pytest.mark.parametrize("name", CASES)
def test_metadata_that_lie_are_errors_that_name_the_store_and_take_no_memory(said, name):
    place, errors = said
    assert re.search(CASES[name][1], errors[name]), errors[name]
    assert re.match("StoreError|MemoryLimitError", errors[name]), errors[name]
    assert place in errors[name] or "hostile_stores.py:" in errors[name]


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_a_group_whose_consolidated_metadata_disagree_has_the_cells_of_its_arrays(tmp_path):
    group = zarr.open_group(tmp_path, zarr_format=3)
    made = group.create_array("a", shape=(8,), chunks=(4,), dtype="f8")
    made[...] = np.arange(8.0)
    zarr.consolidate_metadata(tmp_path)
    name = tmp_path / "zarr.json"
    metadata = json.loads(name.read_text())
    metadata["consolidated_metadata"]["metadata"]["a"]["shape"] = [10**30]
    name.write_text(json.dumps(metadata))
    found = dt.from_zarr(tmp_path)["a"]
    np.testing.assert_array_equal(found.compute(), np.arange(8.0))


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_consolidated_metadata_with_names_that_lead_away_are_refused(tmp_path):
    other = tmp_path / "other"
    zarr.create_array(other, shape=(4,), dtype="f8")
    store = tmp_path / "store"
    zarr.open_group(store, zarr_format=3)
    zarr.consolidate_metadata(store)
    name = store / "zarr.json"
    metadata = json.loads(name.read_text())
    there = json.loads((other / "zarr.json").read_text())
    for path in ("../other", "a/../../other", "/etc"):
        metadata["consolidated_metadata"]["metadata"] = {path: there}
        name.write_text(json.dumps(metadata))
        with pytest.raises(dt.StoreError):
            dt.from_zarr(store)


def test_chunks_that_nobody_can_list_are_an_error(tmp_path):
    x = dt.from_zarr(stored(tmp_path / "x", 3, with_fields(shape=[2**50, 8])))
    with pytest.raises(dt.ArgumentError, match=r"281,474,976,710,656 chunks .* too many to list"):
        x.chunks  # noqa: B018
    assert x.numblocks == (2**48, 2)
    assert x[4].compute(scheduler="sync").tolist() == list(range(32, 40))

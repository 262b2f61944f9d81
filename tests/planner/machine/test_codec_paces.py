import numpy as np
import pytest
import zarr
from numcodecs import Blosc, GZip, Zlib

import dask_tapestry as dt
from dask_tapestry.planner.machine.codec_paces import USUAL_PACE, codec_pace
from tests.planner.graphs import stored

HERE = dt.Resources(1, 2, "24 GiB", local=True)


def test_names_that_are_not_known_are_as_fast_as_zstd():
    assert codec_pace("zstd") == codec_pace("made of straw") == codec_pace("plain") == USUAL_PACE


@pytest.mark.parametrize(
    ("codec", "least", "most"),
    [(Blosc("lz4"), 0.1, 0.6), (GZip(), 2.0, 4.0), (Zlib(), 2.0, 4.0), (Blosc("zstd"), 1.0, 1.0)],
    ids=repr,
)
def test_stores_take_as_long_as_their_codecs(tmp_path, codec, least, most):
    seconds = []
    for name, compressor in (("this", codec), ("usual", "auto")):
        told = {"shape": (8000, 1000), "dtype": "f8", "chunks": (500, 1000), "zarr_format": 2}
        zarr.create_array(tmp_path / name, compressors=compressor, **told)
        (step,) = dt.plan(
            dt.from_zarr(tmp_path / name)[:8000] + 1, resources=HERE
        ).core.steps.values()
        seconds.append(step.cost.store)
    assert least <= seconds[0] / seconds[1] <= most


@pytest.mark.parametrize(("codec", "encoded"), [("zlib", 5.0), ("lz4", 1 / 3.5), ("zstd", 1.0)])
def test_what_is_written_takes_as_long_as_its_codec(tmp_path, codec, encoded):
    x = stored((8000, 1000), "f8", (500, 1000))
    seconds = []
    for place, blosc in (("this", codec), ("usual", "zstd")):
        written = dt.to_zarr(
            x, tmp_path / place, compressors=Blosc(blosc), zarr_format=2, compute=False
        )
        (step,) = dt.plan(written, resources=HERE).core.steps.values()
        seconds.append(step.cost.store)
    assert (seconds[0] > seconds[1]) is (encoded > 1)
    assert (seconds[0] == seconds[1]) is (encoded == 1)


def test_a_store_that_decodes_fast_is_read_by_few_blocks(tmp_path):
    """All threads decode zstd while columns wait; columns of lz4 are folded as they come."""
    told = {"shape": (10_000, 10_000), "dtype": "f8", "chunks": (2000, 2000), "zarr_format": 2}
    steps = {}
    for name in ("zstd", "lz4"):
        zarr.create_array(tmp_path / name, compressors=Blosc(name), **told)
        x = dt.from_zarr(tmp_path / name)
        plan = dt.plan((x - x.mean(axis=0)).std(axis=0), resources=HERE)
        assert plan.cost["bytes_read"] == np.prod(told["shape"]) * 8
        steps[name] = plan.cost["peak_worker_bytes"]
    assert steps["lz4"] <= steps["zstd"]

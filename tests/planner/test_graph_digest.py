import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.graph_digest import digest
from dask_tapestry.teg import Graph


def of(*arrays):
    return digest(Graph([x.node for x in arrays]))


def stored(tmp_path, name, chunks=(2, 4), dtype="f8"):
    import zarr

    zarr.create_array(tmp_path / name, shape=(8, 8), chunks=chunks, dtype=dtype)
    return dt.from_zarr(tmp_path / name)


def test_graphs_that_differ_in_data_and_places_alone_share_it(tmp_path):
    one, other = (dt.asarray(np.full((8, 8), value)) for value in (1.0, 2.0))
    assert of(one.sum()) == of(other.sum())
    assert of(stored(tmp_path, "a").T) == of(stored(tmp_path, "b").T)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.sum(0),
        lambda x: x.astype("f4").sum(1),
        lambda x: x[:4].sum(1),
        lambda x: (x + 1).sum(1),
        lambda x: x.T.sum(1),
    ],
)
def test_others_have_another(change):
    x = dt.asarray(np.ones((8, 8)))
    assert of(change(x)) != of(x.sum(1))


def test_chunks_types_roots_and_their_order_count(tmp_path):
    x = stored(tmp_path, "x")
    others = [stored(tmp_path, "c", chunks=(4, 4)), stored(tmp_path, "d", dtype="f4")]
    every = [of(x + 1), *[of(o + 1) for o in others], of(x + 1, x), of(x, x + 1), of(x)]
    assert len(set(every)) == len(every)

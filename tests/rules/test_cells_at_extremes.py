import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
SCORE = RANDOM.integers(0, 5, (60, 6, 30)).astype("f4")
SCORE[RANDOM.random(SCORE.shape) < 0.05] = np.nan
BANDS = RANDOM.normal(size=(2, *SCORE.shape))


def stored(cells):
    return dt.from_zarr(zarr.create_array({}, data=np.asarray(cells), chunks=(16, 6, 30)))


S, B, C = map(stored, (SCORE, *BANDS))


def operators(*arrays):
    graph = rewritten(Graph([a.node for a in arrays]), Trace(), ())
    return sorted([n.operator.name for n in graph.nodes if n.inputs and n.operator.name != "field"])


def there(x, score, axis=0, find="argmax"):
    place = getattr(score, find)(axis)
    return dt.take_along_axis(x, dt.expand_dims(place, axis), axis)


def test_what_lies_at_an_extreme_is_carried():
    graph = rewritten(Graph([S.node, there(B, S).node]), Trace(), ())
    assert str(graph).splitlines()[2:] == [
        "%2 = cellsatextreme(%0, %1, argmax, axes=(0,); float64($1) there) : void128[6, 30]",
        "%3 = field(%2, f0) : float64[6, 30]",
        "%4 = view(%3, [0+1*o1, 0+1*o2]) : float64[1, 6, 30]",
        "return %0, %4",
    ]


def test_one_pass_has_all_bands_and_the_place():
    assert operators(there(B, S), there(C, S), S.argmax(0)) == ["cellsatextreme", "view", "view"]
    assert operators(there(B, S), there(B, S, find="argmin")).count("cellsatextreme") == 2
    many = [there(B + k, S) for k in range(9)]
    assert operators(*many).count("cellsatextreme") == 2


def test_what_needs_the_place_is_taken_when_it_is_known():
    best = there(B, S)
    assert "takealongaxis" in operators(there(B - best, S))
    assert operators(there(B - B.mean(0), S)).count("takealongaxis") == 1
    after = there(B, S - best)
    assert operators(after).count("cellsatextreme") == 2
    assert "takealongaxis" not in operators(after)


def test_cells_in_memory_are_taken_when_the_place_is_known():
    in_memory = dt.asarray(BANDS[0])
    assert "takealongaxis" in operators(there(in_memory, S))
    assert "takealongaxis" in operators(there(dt.exp(in_memory[:, ::-1]), S))
    assert "takealongaxis" not in operators(there(in_memory + B, S))


@pytest.mark.parametrize(
    "taken",
    [
        lambda: dt.take_along_axis(B, S[:, :, :6].argmax(2, keepdims=True)[:1], 2),
        lambda: dt.take_along_axis(B, S[:50].argmax(0)[None], 0),
        lambda: dt.take_along_axis(B, S.argmax(0)[None] * 0, 0),
        lambda: dt.take_along_axis(B, dt.concatenate([S.argmax(0)[None]] * 2), 0),
        lambda: dt.take_along_axis(B[:, :1, :1], S.argmax(0)[None], 0),
        lambda: dt.take_along_axis(B, S[:, 0, 0].argmax(0)[None, None, None], 0),
    ],
    ids=["axis", "cells", "formula", "twice", "table", "many"],
)
def test_it_stays_where_one_pass_would_not_do(taken):
    assert "takealongaxis" in operators(taken())


@pytest.mark.few(3)  # each axis, and either extreme
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("find", ["argmax", "argmin"])
def test_values_of_every_dtype(axis, find):
    kinds = ("f4", "f8", "f2", "i2", "u1", "?", "c8", "M8[s]")
    scores = [np.nan_to_num(SCORE).astype(kind) for kind in kinds] + [SCORE]
    for score in scores:
        place = np.expand_dims(getattr(np, find)(score, axis), axis)
        for band in (*scores[:3], BANDS[0], score):
            expected = np.take_along_axis(band, place, axis)
            assert same_bits(there(stored(band), stored(score), axis, find).compute(), expected)


def test_bands_along_an_axis_of_their_own_and_views_of_the_place():
    bands, place = dt.stack([B, C]), np.argmax(SCORE, 0)
    got = dt.take_along_axis(bands, S.argmax(0)[None, None], 1)
    assert "cellsatextreme" in operators(got)
    assert same_bits(got.compute(), np.take_along_axis(BANDS, place[None, None], 1))
    turned = dt.take_along_axis(B.transpose(2, 0, 1), S.argmax(0).T[:, None], 1)
    assert "cellsatextreme" in operators(turned)
    expected = np.take_along_axis(BANDS[0].transpose(2, 0, 1), place.T[:, None], 1)
    assert same_bits(turned.compute(), expected)
    some = dt.take_along_axis(B[:, ::-2], S.argmax(0)[None, ::-2], 0)
    assert "cellsatextreme" in operators(some)
    assert same_bits(some.compute(), np.take_along_axis(BANDS[0][:, ::-2], place[None, ::-2], 0))


def test_every_cut_has_one_value(shardings):
    expected = np.take_along_axis(BANDS[0], np.argmax(SCORE, 0)[None], 0)
    for chunks in ((60, 6, 30), (7, 2, 30), (60, 1, 11)):
        with shardings.tiny(200_000):
            found = there(B.rechunk(chunks), S.rechunk(chunks)).compute()
        assert same_bits(found, expected)

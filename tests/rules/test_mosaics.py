import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.joins.mosaic import Mosaic, MosaicAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.mosaics import (
    MOSAIC_RULES,
    drop_empty_from_mosaic,
    flatten_concat,
    join_neighbours,
    joins_as_mosaic,
    mosaic_as_concat,
    view_into_pieces,
)
from dask_tapestry.rules.tuning import MOST_MOSAIC_PIECES
from dask_tapestry.rules.views import VIEW_RULES, selector_as_view
from dask_tapestry.teg import apply
from tests.comparisons import same_bits

from .graphs import after, graph_of, meaning


def memory(*shape):
    return dt.asarray(np.arange(float(np.prod(shape))).reshape(shape))


def test_flatten_concat():
    x, y = memory(2), memory(3)
    text = after(dt.concatenate([x, dt.concatenate([y, x]), y]), flatten_concat)
    assert "concat(%0, %1, %0, %1, axis=0) : float64[10]" in text


def test_joins_as_mosaic():
    x, y = memory(2, 3), memory(2, 1)
    table = dt.block([[x, y], [y, x]])
    assert after(table, joins_as_mosaic).splitlines()[2:] == [
        "%2 = mosaic(%0, %1, %1, %0, (4, 4), 4 pieces) : float64[4, 4]",
        "return %2",
    ]


def test_a_mosaic_of_mosaics():
    x = memory(2)
    inner = dt.interleave([x, x + 1])
    text = after(dt.interleave([inner, inner + 4]), joins_as_mosaic)
    assert text.count("mosaic") == 2
    x = dt.concatenate([dt.interleave([memory(2), memory(2) + 1]), memory(3)])
    (value,) = meaning(rewrite(x.teg, (joins_as_mosaic,)))
    assert value.tolist() == [0, 1, 1, 2, 0, 1, 2]


def test_a_mosaic_has_only_so_many_pieces():
    rows = [dt.concatenate([memory(1, 1) + n] * 9, 1) for n in range(15)]
    assert MOST_MOSAIC_PIECES < 9 * 15
    assert "mosaic" not in after(dt.concatenate(rows, 0), joins_as_mosaic)


def test_what_adds_no_piece_is_joined_whatever_their_number():
    y = memory(2, 1)
    for _ in range(2 * MOST_MOSAIC_PIECES):
        y = dt.concatenate([y[-1:], y, y[:1]])
    graph = graph_of(y)
    joined = rewrite(graph, [*VIEW_RULES, *MOSAIC_RULES])
    assert len(joined.nodes) < 6  # the array, views of it, and one join
    for one, other in zip(meaning(graph), meaning(joined), strict=True):
        assert same_bits(one, other)


def test_a_view_of_a_join_shows_the_pieces_between_its_ends():
    parts = [memory(n, 2) + n for n in (3, 0, 1, 0, 4, 2)]
    for key in (slice(2, 5), slice(8, 1, -3), slice(3, 4), slice(0, 0), slice(9, None), 3):
        graph = graph_of(dt.concatenate([dt.concatenate(parts)[key].reshape(-1, 2), parts[0]]))
        joined = rewrite(graph, [*VIEW_RULES, *MOSAIC_RULES])
        for one, other in zip(meaning(graph), meaning(joined), strict=True):
            assert same_bits(one, other)


def test_view_into_pieces():
    x, y = memory(2, 3), memory(1, 3)
    text = after(dt.concatenate([x, y]).T[:, ::-1], selector_as_view, view_into_pieces)
    assert text.splitlines()[-2] == "%4 = concat(%1, %3, axis=1) : float64[3, 3]"
    assert "view(%0" in text.splitlines()[1]
    assert text.startswith("%0 = memory() : float64[1, 3]")


def test_a_slice_stays_before_a_concat():
    text = after(dt.concatenate([memory(2), memory(3)])[1:4], selector_as_view, view_into_pieces)
    assert "view" in text.splitlines()[-2]


def test_drop_empty_from_mosaic():
    x = memory(2, 2)
    table = dt.block([[x, x[:, :0]], [x[:0], x[:0, :0]]])
    assert after(table, joins_as_mosaic, drop_empty_from_mosaic).splitlines()[1:] == ["return %0"]


def test_mosaic_as_concat():
    x, y = memory(2, 3), memory(2, 1)
    here, there = MosaicAxis(0, 1), MosaicAxis(1, 1)
    joined = apply(Mosaic((2, 4), ((here, there), (here, here))), x.node, y.node)
    text = after(dt.Array(joined), mosaic_as_concat)
    assert text.splitlines()[0] == "%0 = memory() : float64[2, 1]"
    assert "concat(%0, %1, axis=1) : float64[2, 4]" in text
    assert after(dt.interleave([y, y], 1), joins_as_mosaic, mosaic_as_concat).count("concat") == 1
    assert "mosaic" in after(dt.interleave([x, x], 1), mosaic_as_concat)
    assert "mosaic" in after(dt.block([[x, y], [y, x]]), joins_as_mosaic, mosaic_as_concat)


def test_names_of_dimensions_stay():
    x = dt.asarray(np.ones((2, 3)), dims=("row", "column"))
    made = dt.pad(x, 1).T[::-1]
    (root,) = rewrite(made.teg, VIEW_RULES).roots
    assert root.type == made.node.type
    assert root.type.dims == ("column", "row")


def test_a_chain_of_joins_and_views_is_one_mosaic():
    x = memory(4, 5)
    made = dt.roll(dt.pad(x, ((1, 2), (3, 0)), mode="edge").T[::-1], (2, -3), (0, 1))
    made = dt.rot90(dt.concatenate([made, made[:2]], 0), 1)
    graph = rewrite(graph_of(made), VIEW_RULES)
    kinds = [n.operator.name for n in graph.nodes]
    assert kinds.count("mosaic") + kinds.count("concat") >= 1
    for before, now in zip(meaning(graph_of(made)), meaning(graph), strict=True):
        assert same_bits(before, now)


def test_join_neighbours():
    x = memory(9, 2)
    y = dt.concatenate([x[1:3], x[3:4], x[4:], x[:1]])
    text = after(y, selector_as_view, join_neighbours)
    assert text.count("view") == 2
    assert same_bits(meaning(rewrite(y.teg, (selector_as_view, join_neighbours)))[0], y.compute())
    backwards = dt.concatenate([x[5:2:-1], x[2::-1]])
    text = after(backwards, selector_as_view, join_neighbours)
    assert text.count("view") == 1
    assert "concat" not in text


def test_what_is_not_next_to_each_other_is_not_joined():
    x = memory(9, 2)
    for parts in (
        [x[1:3], x[4:]],
        [x[1:3], x[3:6][::-1]],
        [x[:4:2], x[4:]],
        [x[1:3, ::-1], x[3:]],
        [x[1:3], memory(9, 2)[3:] + 1],
    ):
        y = dt.concatenate(parts)
        assert "concat" in after(y, selector_as_view, join_neighbours)
        found = rewrite(y.teg, (selector_as_view, join_neighbours))
        assert same_bits(meaning(found)[0], y.compute())


def test_a_chain_of_rolls_is_one_roll():
    y = dt.placeholder((100, 10), "f8", (10, 10))
    for _ in range(50):
        y = dt.roll(y, 1, axis=0)
    plan = dt.plan(y).core
    (joined,) = [node for node in plan.graph if node.operator.name == "concat"]
    assert len(joined.inputs) == 2

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.cells.tuning import ELEMENTARY_FLOPS
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.rules.tuning import COSTLY_FLOPS
from dask_tapestry.rules.views import (
    VIEW_RULES,
    compose_views,
    drop_empty_from_concat,
    drop_identity_view,
    lengths_of_one_in_order,
    selector_as_view,
    selector_before_elementwise,
    view_of_full,
)
from dask_tapestry.teg import apply

from .graphs import after


def memory(*shape):
    return dt.asarray(np.ones(shape))


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: memory(2, 3).T, "view(%0, [0+1*o1, 0+1*o0]) : float64[3, 2]"),
        (lambda: dt.flip(memory(2, 3), 1), "view(%0, [0+1*o0, 2-1*o1]) : float64[2, 3]"),
        (lambda: memory(5, 3)[1::2, 0], "view(%0, [1+2*o0, 0]) : float64[2]"),
        (lambda: memory(2, 1).squeeze(), "view(%0, [0+1*o0, 0]) : float64[2]"),
        (lambda: dt.expand_dims(memory(3), 0), "view(%0, [0+1*o1]) : float64[1, 3]"),
        (lambda: dt.broadcast_to(memory(1, 3), (2, 3)), "view(%0, [0, 0+1*o1]) : float64[2, 3]"),
    ],
)
def test_selector_as_view(make, line):
    assert after(make(), selector_as_view).splitlines()[1] == f"%1 = {line}"


def test_compose_views():
    assert after(memory(5, 3).T[::-1, ::2], selector_as_view, compose_views).splitlines()[1:] == [
        "%1 = view(%0, [0+2*o1, 2-1*o0]) : float64[3, 3]",
        "return %1",
    ]


def test_drop_identity_view():
    x = memory(5, 3)
    again = after(x.T[::-1].T[:, ::-1], selector_as_view, compose_views, drop_identity_view)
    assert again.splitlines()[1:] == ["return %0"]


def test_a_view_that_drops_cells_is_no_identity():
    text = after(memory(5)[:4], selector_as_view, drop_identity_view)
    assert "view(%0, [0+1*o0]) : float64[4]" in text


def test_view_of_full():
    x = dt.full((4, 3), 7, dims=("a", "b"))
    assert after(x.T[:2], selector_as_view, view_of_full) == (
        "%0 = full((2, 4), 7) : int64[b=2, a=4]\nreturn %0"
    )


def test_drop_empty_from_concat():
    x, none = memory(2, 3), memory(0, 3)
    assert after(dt.concatenate([none, x, none]), drop_empty_from_concat).splitlines()[1:] == [
        "return %0"
    ]
    text = after(dt.concatenate([x, none, x + 1]), drop_empty_from_concat)
    assert "concat(%0, %1, axis=0) : float64[4, 3]" in text


def test_a_concat_of_nothing_is_its_first():
    assert "concat" not in after(dt.concatenate([memory(0), memory(0)]), drop_empty_from_concat)


def test_names_alone_leave_no_trace():
    x = memory(2, 3).rename("row", "column")
    assert after(x, *VIEW_RULES).splitlines()[1:] == ["return %0"]


def test_selector_before_elementwise():
    text = after((memory(4, 3) + 1).T.reshape(6, 2), selector_as_view, selector_before_elementwise)
    assert text.splitlines()[1:] == [
        "%1 = view(%0, [0+1*o1, 0+1*o0]) : float64[3, 4]",
        "%2 = reshape(%1, (6, 2)) : float64[6, 2]",
        "%3 = elementwise(%2) : float64[6, 2]  # add(%2, 1.0)",
        "return %3",
    ]


def test_a_narrower_formula_that_others_read_stays_before_reshapes_of_it():
    narrow = (memory(4, 3) + 1).astype("f4")
    both = dt.plan(narrow, narrow.reshape(6, 2).sum(axis=0)).teg
    assert "reshape(%2, (6, 2)) : float32[6, 2]" in str(both)
    wide = (memory(4, 3).astype("f4")).astype("f8")
    text = str(dt.plan(wide, wide.reshape(6, 2).sum(axis=0)).teg)
    assert "reshape(%0, (6, 2))" in text


def test_levels_of_a_pyramid_are_made_of_each_other():
    cells = np.arange(64, dtype="u2").reshape(8, 8) * 997
    x, levels, expected = dt.asarray(cells), [], []
    for _ in range(3):
        n = x.shape[0] // 2
        x = x.reshape(n, 2, n, 2).mean(axis=(1, 3)).astype("u2")
        cells = cells.reshape(n, 2, n, 2).mean(axis=(1, 3)).astype("u2")
        levels.append(x)
        expected.append(cells)
    for found, wanted in zip(dt.compute(*levels), expected, strict=True):
        assert found.dtype == wanted.dtype
        assert (found == wanted).all()
    assert str(dt.plan(*levels).teg).count("uint16(") == 3


def test_a_formula_is_not_computed_on_repeated_cells():
    repeated = dt.broadcast_to(memory(3) + 1, (4, 3))
    text = after(repeated, selector_as_view, selector_before_elementwise)
    assert "elementwise(%0) : float64[3]" in text


def test_a_costly_formula_stays_before_its_selectors():
    builder = CellBuilder([np.dtype("f8")])
    value = 0
    for _ in range(-(-COSTLY_FLOPS // ELEMENTARY_FLOPS)):
        value = builder.call("exp", (value,), np.dtype("f8"))
    x = dt.Array(apply(Elementwise(builder.finish(value)), memory(3).node))
    text = after(x[::-1], selector_as_view, selector_before_elementwise)
    assert text.splitlines()[-2] == "%2 = view(%1, [2-1*o0]) : float64[3]"


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: memory(1, 3, 1).transpose(2, 1, 0), "view(%0, [0+1*o0, 0+1*o1, 0+1*o2])"),
        (lambda: memory(1, 1, 3).transpose(2, 1, 0), "view(%0, [0+1*o1, 0+1*o2, 0+1*o0])"),
        (lambda: memory(1, 3)[0, :, None], "view(%0, [0+1*o1, 0+1*o0])"),
        (lambda: memory(5, 3)[2, None], "view(%0, [2+1*o0, 0+1*o1])"),
        (lambda: dt.flip(memory(1, 3), 0), "view(%0, [0+1*o0, 0+1*o1])"),
        (lambda: memory(5, 1, 1)[2], "view(%0, [2+1*o0, 0+1*o1, 0])"),
    ],
)
def test_dimensions_of_length_one_follow_axes_in_order(make, line):
    text = after(make(), selector_as_view, compose_views, lengths_of_one_in_order)
    assert f"= {line} : " in text


def test_an_exchange_of_dimensions_of_length_one_is_no_view():
    x = memory(1, 3, 1)
    assert after(x.transpose(2, 1, 0), *VIEW_RULES).splitlines()[1:] == ["return %0"]
    named = dt.asarray(np.ones((1, 3, 1)), dims=("a", "b", "c"))
    assert after(named.transpose(2, 1, 0), *VIEW_RULES).count("view") == 1

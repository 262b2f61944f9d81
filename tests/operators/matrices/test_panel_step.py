"""Steps of panels: named for what they do, cut along what they do not have whole."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_step import (
    Part,
    panel_factors,
    panel_step,
    panel_tiles,
    spread,
)
from dask_tapestry.teg.check import check
from dask_tapestry.zspace import ZRange
from tests.operators.large import cells, definite

A = definite(6, "f8")


def test_a_step_is_named_for_its_kernel():
    made = panel_step(
        "cholesky", [(dt.asarray(A).node, "mm")], ("mm", A.dtype), ("mmm", 1 / 3), upper=False
    )
    assert (made.operator.label, made.operator.text()) == ("cholesky", "cholesky, upper=False")
    np.testing.assert_allclose(dt.Array(made).compute(), np.linalg.cholesky(A))
    np.testing.assert_allclose(made.operator.reference(A), np.linalg.cholesky(A))


def test_what_it_has_whole_is_not_cut():
    triangle, right = np.linalg.cholesky(A), cells((6, 9), "f8")
    parts = [(dt.asarray(triangle).node, "mm"), (dt.asarray(right).node, "mk")]
    made = panel_step("solvetriangle", parts, ("mk", A.dtype), ("mmk", 1.0), "k", lower=True)
    assert made.operator.granularity(made.input_types) == (0, 1)
    box = ZRange((0, 3), (6, 5))
    assert made.operator.demand(made.input_types, box) == (ZRange((0, 0), (6, 6)), box)
    np.testing.assert_allclose(dt.Array(made).compute(), np.linalg.solve(triangle, right))


def test_factors_of_a_panel_are_outputs():
    panel = dt.asarray(A[:, :2]).node
    made = {"pn": A.dtype, "p": np.dtype("i8")}
    packed, order = panel_factors("lupanel", [(panel, "pn")], made, ("pnn", 2.0), 1.5)
    assert (packed.type.shape, order.type.shape) == ((6, 2), (6,))
    both = packed.inputs[0].operator.reference(A[:, :2])
    np.testing.assert_array_equal(dt.Array(packed).compute(), both["0"])
    np.testing.assert_array_equal(dt.Array(order).compute(), both["1"])
    (first,) = packed.inputs
    assert first.operator.scratch_bytes(first.input_types, ZRange((), ())) == 1.5 * 12 * 8


def test_a_copy_is_cut_as_it_may_be():
    made = spread(dt.asarray(A).node)
    assert made.operator.holds
    assert made.operator.granularity(made.input_types) == (1, 1)
    np.testing.assert_array_equal(dt.Array(made).compute(), A)
    np.testing.assert_array_equal(made.operator.reference(A), A)


def test_tiles_read_parts_where_they_lie():
    x = cells((9, 6), "f8")
    whole = dt.asarray(x).node
    parts = [Part(whole, "mn", (2, 1)), Part(whole, "mk", (2, 4)), Part(whole, "nk", (3, 4))]
    sides = {"m": 7, "n": 2, "k": 2}
    made = panel_tiles("lessproducts", parts, ("mn", x.dtype), ("mnk", 1.0), sides, {"m": 3})
    assert [cut.count for cut in made.operator.layout] == [3, 1]
    assert made.operator.holds
    box = ZRange((3, 0), (6, 2))
    reads = ZRange((5, 1), (8, 3)), ZRange((5, 4), (8, 6)), ZRange((3, 4), (5, 6))
    assert made.operator.demand(made.input_types, box) == reads
    wanted = x[2:, 1:3] - x[2:, 4:] @ x[3:5, 4:].T
    np.testing.assert_allclose(made.operator.reference(x, x, x), wanted)
    check(dt.Array(made).teg)
    np.testing.assert_allclose(dt.Array(made).compute(), wanted)


def test_a_tile_as_high_as_the_step_is_not_cut():
    made = panel_tiles(
        "choleskycorner",
        [Part(dt.asarray(A).node, "mm", (2, 2))],
        ("mm", A.dtype),
        ("mmm", 1 / 3),
        {"m": 4},
        {},
    )
    assert [cut.count for cut in made.operator.layout] == [1, 1]
    np.testing.assert_allclose(dt.Array(made).compute(), np.linalg.cholesky(A[2:, 2:]))


def test_tiles_along_two_dimensions_and_options():
    triangle, right = np.tril(A), cells((6, 9), "f8")
    parts = [Part(dt.asarray(triangle).node, "mm"), Part(dt.asarray(right).node, "mk")]
    sides, tiles = {"m": 6, "k": 9}, {"k": 4}
    made = panel_tiles(
        "solvetriangle", parts, ("mk", A.dtype), ("mmk", 1.0), sides, tiles, lower=True
    )
    assert [cut.count for cut in made.operator.layout] == [1, 3]
    np.testing.assert_allclose(dt.Array(made).compute(), np.linalg.solve(triangle, right))
    parts = [Part(dt.asarray(right).node, "mk"), Part(dt.asarray(A).node, "mn", (0, 2))]
    parts.append(Part(dt.asarray(right).node, "nk", (0, 0)))
    sides = {"m": 6, "k": 9, "n": 3}
    less = panel_tiles(
        "lesssolved", parts[::-1], ("mk", A.dtype), ("mnk", 1.0), sides, {"m": 4, "k": 5}
    )
    assert [cut.count for cut in less.operator.layout] == [2, 2]
    np.testing.assert_allclose(dt.Array(less).compute(), right - A[:, 2:5] @ right[:3])

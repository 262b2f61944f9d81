import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import panel_lu as lu
from dask_tapestry.operators.tuning import PANEL_COUNTS
from dask_tapestry.teg import Graph
from dask_tapestry_kernels.cpu.blocks.matrices import packed_lu
from tests.operators.large import KINDS, cells, computed, near


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(17, 12), (12, 20)])
def test_panels_make_the_triangles_that_a_block_makes(dtype, shape):
    """Pivots are the same, as a panel is whole; so no cell of the lower triangle grows."""
    a = cells(shape, dtype)
    found, whole = computed(lu.lu_by_panels, a, width=5), packed_lu(a)
    near(found, whole, dtype, 1000)
    np.testing.assert_array_equal(found[:, -2:], whole[:, -2:])


def test_as_many_panels_as_a_plan_may_have():
    a = cells((70, max(PANEL_COUNTS) + 1), "f8")
    found, whole = computed(lu.lu_by_panels, a, width=1), packed_lu(a)
    near(found, whole, "f8", 1000)
    assert len(lu.LETTERS) > max(PANEL_COUNTS)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", KINDS)
def test_equations_inverses_and_determinants(dtype):
    a, b = cells((24, 24), dtype), cells((24, 2), dtype, 1)
    a += 5 * np.eye(24, dtype=dtype)
    x = computed(lu.solve_by_panels, a, b, width=7)
    near(a @ x, b, dtype)
    near(computed(lu.inverse_by_panels, a, width=7) @ a, np.eye(24), dtype)
    det = computed(lu.determinant_by_panels, a, width=7)
    np.testing.assert_allclose(det, np.linalg.det(a), rtol=1000 * np.finfo(dtype).eps)
    near(
        computed(lu.sign_and_logarithm_by_panels, a, width=7),
        np.stack(np.linalg.slogdet(a)).astype(dtype),
        dtype,
        1000,
    )


def test_growth_is_that_of_partial_pivoting():
    """Wilkinson's matrix, whose last column doubles in each row, and a random one."""
    side = 20
    worst = np.tril(-np.ones((side, side)), -1) + np.eye(side)
    worst[:, -1] = 1
    packed = computed(lu.lu_by_panels, worst, width=6)
    assert packed[-1, side - 1] == 2 ** (side - 1)
    packed = computed(lu.lu_by_panels, cells((60, 60), "f8"), width=16)
    assert abs(np.tril(packed[:, :60], -1)).max() <= 1
    assert abs(packed[:, :60]).max() < 10 * abs(cells((60, 60), "f8")).max()


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("width", [1, 4, 12, 20])
@pytest.mark.parametrize("columns", [0, 1, 30])
def test_right_sides_of_any_number_of_columns(columns, width):
    """More than a panel's are cut into strips of their own."""
    a, b = cells((12, 12), "f8"), cells((12, columns), "f8", 1)
    x = computed(lu.solve_by_panels, a, b, width=width)
    assert x.shape == b.shape
    near(a @ x, b, "f8", 1000)


@pytest.mark.parametrize("rows_scaled", [False, True])
def test_badly_scaled_and_nearly_singular_matrices_are_solved_as_by_lapack(rows_scaled):
    """The residual is that of backward stability, whatever the condition number."""
    generator = np.random.default_rng(0)
    side = 40
    a = cells((side, side), "f8") * 10.0 ** generator.integers(-12, 12, side)
    a = a.T.copy() if rows_scaled else a
    near_a = cells((side, side), "f8", 2)
    near_a[:, -1] = near_a[:, 0] + 1e-14 * near_a[:, 1]  # singular to within rounding
    for matrix in (a, near_a, np.vander(np.linspace(0.1, 1, side))):
        b = cells((side, 3), "f8", 1)
        x = computed(lu.solve_by_panels, matrix, b, width=7)
        sizes = abs(matrix).sum(axis=1).max() * abs(x).max() + abs(b).max()
        assert abs(matrix @ x - b).max() <= 100 * np.finfo("f8").eps * sizes
        wanted = np.linalg.solve(matrix, b)
        of_lapack = abs(matrix @ wanted - b).max()
        assert abs(matrix @ x - b).max() <= 100 * of_lapack


def test_pivots_are_sought_in_the_whole_column():
    """The largest cell is in the last tile of rows: others would let cells grow by 1e20."""
    a = np.eye(20) * 1e-20 + np.roll(np.eye(20), 11, axis=0)
    b = cells((20, 1), "f8")
    np.testing.assert_allclose(computed(lu.solve_by_panels, a, b, width=4), np.linalg.solve(a, b))
    packed = computed(lu.lu_by_panels, a, width=4)
    assert abs(packed[:, :20]).max() <= 1


def test_strips_are_held_once_and_each_cell_is_read_once():
    """A panel takes the same steps; strips are as wide as panels, whatever reads them."""
    x, b = (dt.asarray(cells(shape, "f8")) for shape in ((16, 16), (16, 2)))
    made = dt.Array(lu.solve_by_panels(x.node, b.node, 4)).teg
    assert len([n for n in made if x.node in n.inputs]) == 1
    kernels = [n.operator.kernel for n in made if hasattr(n.operator, "kernel")]
    assert kernels.count("lupanel") == 4
    assert kernels.count("lustrip") == 3 + 4
    strips = [n for n in made if n.operator.name == "paneltiles" and n.type.shape[0] == 16]
    assert all(rows.count == 1 and columns.step in (2, 4) for rows, columns in
               (n.operator.layout for n in strips))  # fmt: skip


def test_orders_that_only_strips_read_are_not_copied():
    """They come with the panel; those that outlive it, and would hold it, are copied."""
    x = dt.asarray(cells((16, 16), "f8")).node
    for function, copies in ((lu.inverse_by_panels, 0), (lu.lu_by_panels, 4)):
        nodes = Graph([function(x, 4)]).nodes
        orders = [n for n in nodes if n.operator.name == "heldcopy" and n.type.dtype.kind == "i"]
        assert len(orders) == copies


def test_a_panel_waits_for_strips_of_the_panel_before_the_last_one():
    """Its own strip alone is read of the last version: others may be made while it is factored."""
    a, b = (dt.asarray(cells((40, columns), "f8")).node for columns in (40, 2))
    nodes = Graph([lu.solve_by_panels(a, b, 8)]).nodes
    panels = [node for node in nodes if node.operator.label == "lupanel"]
    assert len(panels) == 5
    for at in range(2, 5):
        tokens = [x for x in panels[at].inputs if x.operator.label == "copied"]
        applied = [x.inputs[0] for x in tokens if x.inputs[0].operator.label == "lustrip"]
        made_by = {strips.inputs[0].inputs[0] for strips in applied if strips.type.shape[1] > 2}
        assert panels[at - 2] in made_by


@pytest.mark.parametrize("shape", [(13, 30), (30, 13), (21, 21)])
def test_strips_that_are_cut_otherwise_than_panels(shape):
    """The last panel of a wide matrix is narrower, and the strips behind it begin within a tile."""
    a = cells(shape, "f8")
    near(computed(lu.lu_by_panels, a, width=4), packed_lu(a), "f8", 1000)


def test_singular_matrices():
    a = np.ones((12, 12))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        computed(lu.solve_by_panels, a, np.ones((12, 1)), width=5)
    assert computed(lu.determinant_by_panels, a, width=5) == 0
    sign, logarithm = computed(lu.sign_and_logarithm_by_panels, a, width=5)
    assert (sign, logarithm) == (0, -np.inf)

"""Nodes of the canonical tree, of several fields too, are merged on a GPU with the CPU's bits."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Lattice, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda.reduction import folds
from dask_tapestry_kernels.field_blocks import FieldBlocks
from tests.kernels.cuda.simulated.fold_cases import (
    arguments,
    check,
    check_fields,
    drawn,
    with_nan,
)
from tests.kernels.cuda.simulated.run_kernel import run
from tests.operators.monoid_names import monoids_of

F8 = np.dtype("f8")
STATES = [n for n in monoids_of(F8) if MONOIDS[n].dtypes(F8, None)[1].names]


def check_merges(cells, name, axes, levels=(1, 2, None), **ways):
    """Fold cells to nodes on the CPU, and these from level to level on both."""
    told = arguments(cells.dtype, cells.shape, name, axes, target=0, **ways)
    nodes = CPU["reduce"](None, cells, **told)
    level = 0
    for target in levels:
        told |= {"source": level, "target": target}
        expected = np.asarray(CPU["reduce"](None, nodes, **told))
        got = run(CUDA["reduce"], None, nodes, **told)
        check_fields(got, expected, (name, target))
        nodes, level = got, target


@pytest.mark.parametrize("name", ["sum", "mean", "prod", *STATES])
def test_nodes_of_a_level_go_on_to_the_next(gpu, name):
    cells = drawn("f8", (5000, 1))
    check_merges(with_nan(cells, 0.1) if name.startswith("nan") else cells, name, (0,))


@pytest.mark.parametrize("name", ["var", "argmax", "ptp"])
@pytest.mark.parametrize("dtype", [*"?bBhHiIlLef"])
def test_states_of_every_dtype(gpu, name, dtype):
    if name != "ptp" or dtype != "?":
        check_merges(drawn(dtype, 2100), name, (0,), (1, None))


@pytest.mark.parametrize("name", ["var", "nanvar"])
@pytest.mark.parametrize("dtype", "FD")
def test_states_of_complex_cells(gpu, name, dtype):
    check_merges(drawn(dtype, 2100), name, (0,), (1, None))


@pytest.mark.parametrize("name", ["var", "argmin", "nanmean"])
@pytest.mark.parametrize("axes", [(0, 2), (2,), (0, 1, 2)], ids=str)
def test_nodes_lie_anyhow_along_any_axes(gpu, name, axes):
    told = arguments("f8", (70, 3, 70), name, axes, target=0)
    nodes = CPU["reduce"](None, drawn("f8", (70, 3, 70)), **told)
    told |= {"source": 0, "target": None}
    fields = FieldBlocks.of(np.asfortranarray(nodes)).structured()
    check_fields(
        run(CUDA["reduce"], None, fields, **told), CPU["reduce"](None, nodes, **told), name
    )


@pytest.mark.parametrize("name", STATES)
def test_a_node_alone_and_none(gpu, name):
    check_merges(drawn("f8", (7, 2)), name, (0,), (0, None))
    check_merges(drawn("f8", (2100, 0)), name, (0,), (1, None))
    if name in ("var", "std", "nanmean", "nanvar", "nanstd"):
        check_merges(drawn("f8", (0, 2)), name, (0,), (0, None), ddof=1.0)


@pytest.mark.parametrize("name", ["var", "argmin", "nanstd", "sum"])
def test_nodes_of_stored_chunks(gpu, name):
    cells = drawn("f8", (70, 50))
    tree = Tree(cells.shape, lattice=Lattice((16, 20), (-4, -10)))
    check_merges(cells, name, (0, 1), (1, 3, None), tree=tree)


def test_a_part_of_the_nodes_in_the_middle(gpu):
    cells = drawn("f8", (8000, 1))
    told = arguments("f8", cells.shape, "var", (0,), target=0)
    nodes = CPU["reduce"](None, cells, **told)[4:]
    told |= {"source": 0, "target": 2, "origin": (4,)}
    expected = CPU["reduce"](None, nodes, **told)
    check_fields(run(CUDA["reduce"], None, nodes, **told), expected, "var")


def joint(cells, *names, **ways):
    return [arguments(cells.dtype, cells.shape, name, (0,), **ways) for name in names]


@pytest.mark.parametrize("dtype", "efdlB")
@pytest.mark.parametrize("rows", [0, 1, 33, 2100])
def test_several_reductions_of_the_same_cells(gpu, dtype, rows):
    cells = drawn(dtype, (rows, 3))
    names = ("sum", "var", "argmax", "ptp") if rows else ("sum", "var", "prod")
    told = {"parts": joint(cells, *names)}
    expected = CPU["reductions"](None, cells, **told)
    check_fields(run(CUDA["reductions"], None, cells, **told), expected, names)


def test_fields_of_several_states_are_merged_each(gpu):
    cells, names = drawn("f8", (3000, 2)), ("sum", "var", "argmin", "nanvar")
    told = {"parts": joint(cells, *names, target=0)}
    nodes = CPU["reductions"](None, cells, **told)
    check_fields(run(CUDA["reductions"], None, cells, **told), nodes, names)
    for source, target in ((0, 1), (1, None)):
        told = {"parts": joint(cells, *names, source=source, target=target)}
        expected = CPU["reductions"](None, nodes, **told)
        nodes = run(CUDA["reductions"], None, nodes, **told)
        check_fields(nodes, expected, names)


def test_reductions_of_different_formulas_and_blocks(gpu):
    builder = CellBuilder((F8, F8))
    product = builder.finish(builder.call("multiply", (0, 1), F8))
    x, y, short = drawn("f8", (1100, 2)), drawn("f8", (1100, 2)), drawn("f8", (1030, 2))
    parts = [
        arguments("f8", x.shape, "mean", (0,), target=0, expression=product),
        arguments("f8", x.shape, "var", (0,), target=0, expression=product),
        arguments("f8", short.shape, "sum", (0,), target=0),
    ]
    told = {"parts": parts, "passes": (((0, 1), (0, 1)), ((2,), (2,)))}
    expected = CPU["reductions"](None, x, y, short, **told)
    check_fields(run(CUDA["reductions"], None, x, y, short, **told), expected, "joint")


def test_one_field_is_taken_without_a_launch(gpu):
    cells = drawn("f8", (2100, 3))
    nodes = CPU["reduce"](None, cells, **arguments("f8", cells.shape, "var", (0,), target=0))
    for name in ("mean", "m2"):
        got = run(CUDA["member"], None, nodes, name=name, keep=())
        check_fields(got, nodes[name], name)
    assert not gpu.launches


LATTICES = [
    ((21, 13), (0, 1), Lattice((8, 6), (-2, -3))),
    ((21, 13), (1, 0), Lattice((6, 8), (-3, -2))),
    ((2, 40), (1,), Lattice((8,), (-3,))),
    ((30, 2), (0,), Lattice((40,), (-20,))),
]


@pytest.mark.parametrize("name", ["sum", "var", "argmin", "nanvar", "nanargmax"])
@pytest.mark.parametrize(("shape", "axes", "lattice"), LATTICES)
def test_cells_of_a_lattice_are_folded_together(gpu, name, shape, axes, lattice):
    cells = drawn("f8", shape)
    cells = with_nan(cells, 0.1) if name.startswith("nan") else cells
    tree = Tree(tuple([shape[axis] for axis in axes]), lattice=lattice)
    check([cells], name, axes, tree=tree)
    low = lattice.sides[0] + lattice.offset[0]
    part = cells[(*[slice(None)] * axes[0], slice(low, None))]
    check([part], name, axes, tree=tree, target=0, origin=(low, *[0] * (len(axes) - 1)))


@pytest.mark.parametrize("name", ["sum", "argmin"])
def test_where_there_are_too_many_leaves_cells_follow_each_other(gpu, name, monkeypatch):
    monkeypatch.setattr(folds, "TOGETHER", -1)
    shape, axes, lattice = LATTICES[0]
    check([drawn("f8", shape)], name, axes, tree=Tree(shape, lattice=lattice))
    assert len(gpu.launches) == 9 + 8 + 1  # cells of one leaf each, merges, the value


def test_as_many_launches_as_the_trees_are_deep(gpu):
    cells = drawn("f8", 120)
    tree = Tree((120,), lattice=Lattice((8,), (0,)))
    check([cells], "sum", (0,), tree=tree)
    assert len(gpu.launches) == 1 + tree.depth + 1  # leaves, merges, the value

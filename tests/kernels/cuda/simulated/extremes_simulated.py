"""Cells at extremes are carried on a GPU with the CPU's bits."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Lattice, Tree
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.kernels.cuda.simulated.fold_cases import arguments, check_fields, drawn, with_nan
from tests.kernels.cuda.simulated.run_kernel import run

F8 = np.dtype("f8")


def told(cells, monoid, axis, count, carried=(), **ways):
    fold = arguments(cells.dtype, cells.shape, monoid, (axis,), **ways)
    return {"score": ((0,), fold), "carried": carried, "count": count}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("monoid", ["argmax", "nanargmin"])
def test_cells_and_formulas_of_cells_there(gpu, monoid, axis):
    score, band = with_nan(drawn("f8", (70, 9)), 0.1), drawn("f8", (70, 9))
    builder = CellBuilder((F8, F8))
    product = builder.finish(builder.call("multiply", (0, 1), F8))
    given = told(score, monoid, axis, 2, (((1,), None), ((0, 1), product)))
    expected = CPU["cellsatextreme"](None, score, band, **given)
    check_fields(run(CUDA["cellsatextreme"], None, score, band, **given), expected, monoid)


@pytest.mark.parametrize("lattice", [None, Lattice((16,), (-5,))], ids=str)
def test_nodes_carry_them_from_level_to_level(gpu, lattice):
    score, band, tree = drawn("f4", (90, 3)), drawn("i4", (90, 3)), Tree((90,), 8, lattice)
    given = told(score, "argmax", 0, 1, (((1,), None),), tree=tree, target=0)
    nodes = CPU["cellsatextreme"](None, score, band, **given)
    check_fields(run(CUDA["cellsatextreme"], None, score, band, **given), nodes, "nodes")
    for source, target in ((0, 1), (1, None)):
        given = told(score, "argmax", 0, 1, (), tree=tree, source=source, target=target)
        expected = CPU["cellsatextreme"](None, nodes, **given)
        check_fields(run(CUDA["cellsatextreme"], None, nodes, **given), expected, target)
        nodes = expected

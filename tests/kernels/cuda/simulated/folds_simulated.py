"""Folds over the canonical tree in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Lattice, Tree
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.kernels.cpu.cells.expressions import special
from tests.kernels.cuda.simulated.fold_cases import GENERATOR, arguments, check, drawn
from tests.kernels.cuda.simulated.run_kernel import run

NAMES = "sum mean var std min max fmin fmax prod any all argmin argmax".split()
X = drawn("f8", (33, 2, 3))
FEW = ["sum", "std", "argmin", "max"]


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)], ids=str)
def test_folds_of_every_shape(gpu, name, axes):
    gpu.threads = 64  # two leaves at a time
    check([X if 0 in axes else X[:5]], name, axes)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [*"?bBhHiIlLef"])
def test_folds_of_every_dtype(gpu, name, dtype):
    x = drawn(dtype, 1070)
    check([x], name, (0,))


@pytest.mark.parametrize("cells", [0, 1, 2, 31, 32, 33, 63, 1023, 1024, 1025, 2050])
@pytest.mark.parametrize("name", ["sum", "var", "mean"])
def test_folds_of_any_number_of_cells(gpu, name, cells):
    check([drawn("f8", cells)], name, (0,))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [*"def"])
def test_folds_of_special_cells(gpu, name, dtype):
    numbers = special(np.dtype(dtype))
    numbers = numbers[~np.isnan(numbers)]
    check([GENERATOR.permutation(numbers)], name, (0,))
    zeros = np.array([0.0, -0.0] * 40, dtype)
    check([zeros], name, (0,))
    check([zeros[::-1]], name, (0,))
    check([np.array([-0.0] * 3, dtype)], name, (0,))
    some_nan = np.arange(100.0).astype(dtype)
    some_nan[[17, 50, 80]] = np.nan
    check([some_nan], name, (0,))


@pytest.mark.parametrize("name", ["sum", "var", "argmin"])
@pytest.mark.parametrize("shape", [(50, 40), (1030, 32), (33, 1, 33)], ids=str)
def test_columns_side_by_side(gpu, name, shape):
    check([drawn("f4", shape)], name, (0,))
    assert gpu.launches[0][0].threads == 1024


@pytest.mark.parametrize("name", ["sum", "std", "argmax"])
def test_operands_lie_anyhow(gpu, name):
    for x in (X[::-1, :, ::2], X.T, np.broadcast_to(X[:, :1, :1], X.shape)):
        check([x], name, (0, 2))


@pytest.mark.parametrize("name", ["sum", "var", "argmin", "all"])
@pytest.mark.parametrize("axes", [(0,), (0, 1)], ids=str)
def test_formulas_are_folded_as_they_are_evaluated(gpu, name, axes):
    f8, f4 = np.dtype("f8"), np.dtype("f4")
    builder = CellBuilder((f4, f8))
    wide = builder.call("exp", (builder.cast(0, f8),), f8)
    scaled = builder.call("multiply", (wide, builder.constant(np.float64(0.3))), f8)
    formula = builder.finish(
        builder.call("add", (builder.call("multiply", (scaled, 1), f8), 1), f8)
    )
    x = drawn("f4", (33, 9)) / 500
    check([x.astype("f4"), drawn("f8", (9, 33)).T], name, axes, expression=formula)


@pytest.mark.parametrize("name", FEW)
def test_a_block_in_the_middle_of_a_tree(gpu, name):
    tree = Tree((8000,))
    check([drawn("f8", (2048, 1))], name, (0,), tree=tree, origin=(2048,), target=1)
    check([drawn("f8", (1856, 1))], name, (0,), tree=tree, origin=(6144,), target=1)


@pytest.mark.parametrize("name", FEW)
def test_trees_over_stored_chunks(gpu, name):
    x = drawn("f8", (70, 50))
    lattice = Lattice((32, 40), (-20, -10))
    check([x], name, (0, 1), tree=Tree(x.shape, lattice=lattice))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("logaddexp", "f8"), ("hypot", "f8")],
)
def test_what_has_no_form_on_a_gpu_is_an_error_with_kernel_and_dtypes(gpu, name, dtype):
    told = arguments(dtype, (10,), name, (0,))
    x = np.ones(10, dtype)
    with pytest.raises(KernelDeviceError, match=f"kernel reduce: {name} of {x.dtype} to "):
        run(CUDA["reduce"], None, x, **told)

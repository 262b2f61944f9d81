"""Steps in a thread's own loop have the bits of the CPU's kernels, of every dtype and layout."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda.blocks.thread_launch import ThreadLaunch
from tests.kernels.cpu.cells.expressions import special
from tests.kernels.cuda.simulated.fold_cases import arguments, check_fields, drawn, with_nan
from tests.kernels.cuda.simulated.run_kernel import lying, on_host
from tests.operators.monoid_names import monoids_of

KINDS = "?bBhHiIlLefdFD"
NO_FORM = {"hypot", "logaddexp", "logaddexp2"}  # which are NumPy's on the CPU
RAISING = {"nanargmin", "nanargmax"}


def check(gpu, name, *blocks, rank=2, launches=1, **told):
    """Run a step, and nothing else, on both."""
    before = len(gpu.launches)
    launch = ThreadLaunch(CUDA, gpu, rank)
    made = launch[name](None, *map(lying, blocks), **told)
    launch.launch()
    assert len(gpu.launches) - before == launches, (name, told)
    with np.errstate(all="ignore"):
        expected = np.asarray(CPU[name](None, *blocks, **told))
    check_fields(np.ascontiguousarray(on_host(made)), expected, name)


def folded(name, cells, axes, **ways):
    return arguments(cells.dtype, cells.shape, name, axes, **ways)


def names_of(kind):
    names = [name for name in monoids_of(kind) if name not in NO_FORM]
    compared = "argmin argmax nanargmin nanargmax min max fmin fmax ptp".split()
    return [name for name in names if kind not in "FD" or name not in compared]


@pytest.mark.parametrize("kind", KINDS)
def test_folds_of_every_monoid_and_dtype(gpu, kind):
    cells = drawn(kind, (3, 2, 7, 13))
    if kind in "efdFD":
        cells = with_nan(cells, 0.1)
    for name in names_of(kind):
        if name not in RAISING:
            check(gpu, "reduce", cells, **folded(name, cells, (2, 3)))


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 64, 1000, 1024])
@pytest.mark.parametrize("name", ["sum", "var", "nanstd", "argmax", "mean", "ptp", "prod"])
def test_folds_of_any_number_of_cells(gpu, name, count):
    cells = drawn("f8", (2, 1, count))
    check(gpu, "reduce", cells, **folded(name, cells, (2,), ddof=1.0))


@pytest.mark.parametrize("axes", [(2,), (3,), (2, 3), (3, 2), (2, 4)], ids=str)
@pytest.mark.parametrize("name", ["sum", "argmin", "var"])
def test_folds_along_any_axes_of_cells_that_lie_anyhow(gpu, name, axes):
    cells = drawn("f8", (2, 3, 5, 4, 6))
    for lie in (cells, np.asfortranarray(cells), cells[:, ::-1, :, ::-1, ::2]):
        check(gpu, "reduce", lie, **folded(name, lie, axes))
    alike = np.broadcast_to(cells[:, :1, :, :1], cells.shape)
    check(gpu, "reduce", alike, **folded(name, alike, axes))


@pytest.mark.parametrize("kind", "efd")
def test_folds_and_scans_of_special_cells(gpu, kind):
    numbers = np.random.default_rng(3).permutation(special(np.dtype(kind)))[None]
    zeros = np.array([[0.0, -0.0] * 40, [-0.0, 0.0] * 40, [-0.0] * 80], kind)
    for cells in (numbers, zeros):
        for name in names_of(kind):
            if name not in RAISING:
                check(gpu, "reduce", cells, rank=1, **folded(name, cells, (1,)))
        for name in ("add", "minimum", "maximum", "fmax"):
            check(gpu, "scan", cells, rank=1, **scanned(name, cells, 1))


def test_folds_of_formulas_of_several_blocks(gpu):
    f8, f4 = np.dtype("f8"), np.dtype("f4")
    builder = CellBuilder((f4, f8))
    wide = builder.call("exp", (builder.cast(0, f8),), f8)
    scaled = builder.call("multiply", (wide, builder.constant(np.float64(0.3))), f8)
    formula = builder.finish(builder.call("add", (scaled, 1), f8))
    x, y = drawn("f4", (3, 2, 40)) / 500, drawn("f8", (3, 2, 40))
    for name in ("sum", "var", "argmin", "all"):
        told = arguments("f8", x.shape, name, (2,), expression=formula)
        check(gpu, "reduce", x, y, **told)
    check(gpu, "map", x, y, expression=formula, launches=1)


@pytest.mark.parametrize("name", ["sum", "var", "argmin"])
def test_folds_of_more_than_a_leaf_or_of_none_are_the_kernels(gpu, name):
    cells = drawn("f8", (2, 1100))
    told = folded(name, cells, (1,))
    launches = 2 + told["tree"].depth
    check(gpu, "reduce", cells, rank=1, launches=launches, **told)
    if name != "argmin":
        none = cells[:, :0]
        check(gpu, "reduce", none, rank=1, launches=0, **folded(name, none, (1,)))


def scanned(name, cells, axis, leaf=128):
    state = np.add(cells[:1, :1], cells[:1, :1]).dtype if name == "add" else cells.dtype
    wide = np.dtype("f4") if state == np.float16 else state
    return {
        "function": name, "axis": axis, "leaf": leaf, "state": wide, "dtype": cells.dtype,
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum"])
def test_scans_of_every_dtype(gpu, name, kind):
    if kind in "FD" and name in ("minimum", "maximum"):
        return
    cells = drawn(kind, (3, 2, 5, 4))
    for axis in (2, 3):
        check(gpu, "scan", cells, **scanned(name, cells, axis))


@pytest.mark.parametrize("count", [0, 1, 2, 127, 128, 129, 256, 300, 1000])
def test_scans_of_any_number_of_cells(gpu, count):
    cells = drawn("f8", (2, count))
    told = scanned("add", cells, 1)
    check(gpu, "scan", cells, rank=1, launches=int(count > 0), **told)
    check(gpu, "scan", cells[::-1, ::-1], rank=1, launches=int(count > 0), **told)


@pytest.mark.parametrize("kind", KINDS)
def test_joins_and_other_shapes(gpu, kind):
    a, b, c = (drawn(kind, (3, 2, n, 4)) for n in (1, 3, 0))
    check(gpu, "concat", a, b, c, axis=2)
    check(gpu, "concat", a[..., ::-1], np.asfortranarray(b), axis=2)


def test_steps_follow_each_other_in_one_launch(gpu):
    cells = drawn("f8", (3, 2, 6))
    launch = ThreadLaunch(CUDA, gpu, 2)
    sums = launch["scan"](None, lying(cells), **scanned("add", cells, 2))
    told = folded("max", cells, (2,))
    greatest = launch["reduce"](None, sums, **told)
    assert not gpu.launches
    launch.launch()
    assert len(gpu.launches) == 1
    totals = CPU["scan"](None, cells, **scanned("add", cells, 2))
    check_fields(on_host(greatest), CPU["reduce"](None, totals, **told), "max of sums")


def test_steps_of_other_threads_are_another_launch(gpu):
    cells = drawn("f8", (3, 2, 6))
    launch = ThreadLaunch(CUDA, gpu, 2)
    launch["reduce"](None, lying(cells), **folded("sum", cells, (2,)))
    few = cells[:, :1]
    launch["reduce"](None, lying(few), **folded("sum", few, (2,)))
    assert len(gpu.launches) == 1
    launch.launch()
    assert len(gpu.launches) == 2


def test_a_step_without_cells_takes_none_with_it(gpu):
    """A fold is the only step, and a formula without cells is asked for after it."""
    cells, f8 = drawn("f8", (3, 6)), np.dtype("f8")
    launch = ThreadLaunch(CUDA, gpu, 1)
    total = launch["reduce"](None, lying(cells), **folded("sum", cells, (1,)))
    builder = CellBuilder([f8])
    twice = builder.finish(builder.call("add", (0, 0), f8))
    launch["map"](None, lying(cells[:, :0]), expression=twice)
    launch.launch()
    expected = CPU["reduce"](None, cells, **folded("sum", cells, (1,)))
    check_fields(on_host(total), expected, "sum")


def test_there_is_a_monoid_for_each_name():
    assert set(MONOIDS) > NO_FORM
    assert set(MONOIDS) > RAISING
    assert Tree((1024,)).depth == 0

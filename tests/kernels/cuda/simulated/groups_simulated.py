"""Folds by group in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry.operators.reductions import group_fold
from dask_tapestry.operators.reductions.group_fold import identity_of
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(51)
SHAPE, AXES = (13, 3, 4), (0, 2)
TREES = {
    "whole": Tree((13, 4), 16),
    "of chunks": Tree((13, 4), 16, Lattice((6, 4), (-2, 0))),
}


def some(kind, shape=SHAPE):
    dtype = np.dtype(kind)
    if kind == "?":
        return GENERATOR.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        top = np.iinfo(dtype)
        return GENERATOR.integers(top.min, top.max, shape, dtype, endpoint=True)
    made = GENERATOR.normal(size=shape) * np.exp(GENERATOR.normal(size=shape))
    made = np.where(GENERATOR.random(shape) < 0.2, GENERATOR.choice([0.0, -0.0], shape), made)
    made = np.where(GENERATOR.random(shape) < 0.1, np.nan, made)
    return (made + 1j * np.flip(made) if dtype.kind == "c" else made).astype(dtype)


def way(name, kind, tree="whole", skipna=True, **more):
    counts = name.startswith("nan") and kind not in "efdFD"
    result, state = MONOIDS[name].dtypes(np.dtype("d" if counts else kind), None)
    state = group_fold._wide(name, state)
    told = {"monoid": name, "skipna": skipna, "axes": AXES, "labelled": AXES, "ddof": 0.0}
    told |= {"tree": TREES.get(tree, tree), "origin": (0, 0), "groups": range(5), "dtype": result}
    return told | {"state": state, "identity": identity_of(name, state), "target": None} | more


def check(cells, codes, **told):
    with np.errstate(all="ignore"):
        expected = CPU["groupfold"](None, cells, codes, **told)
    found = run(CUDA["groupfold"], None, cells, codes, **told)
    if expected.dtype.names:
        assert found.dtype == expected.dtype
        for name in expected.dtype.names:
            assert same_bits(found[name], expected[name])
    else:
        assert same_bits(found, expected)


CODES = GENERATOR.integers(-1, 6, (13, 4))


@pytest.mark.covering
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("target", [None, 0, 1])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "fmin", "fmax", "nanmean", "nanvar", "nanstd"]
)
def test_groups_are_folded_in_order(gpu, name, target, tree):
    x = some("d")
    check(x, CODES, **way(name, "d", tree, target=target))
    check(np.asfortranarray(x)[::-1], CODES[::-1], **way(name, "d", tree, target=target))


@pytest.mark.covering
@pytest.mark.parametrize("kind", "?bHilefFD")
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "any"])
def test_cells_of_every_dtype(gpu, name, kind, skipna):
    check(some(kind), CODES, **way(name, kind, skipna=skipna))


@pytest.mark.covering
@pytest.mark.parametrize("kind", "hlef")
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize("name", ["nanmean", "nanvar"])
def test_means_and_spreads_of_every_dtype(gpu, name, kind, skipna):
    check(some(kind), CODES, **way(name, kind, skipna=skipna))


@pytest.mark.parametrize("of", "bBlL")
def test_codes_of_any_integers(gpu, of):
    check(some("d"), np.abs(CODES).astype(of), **way("sum", "d", groups=range(1, 4)))


@pytest.mark.parametrize("labelled", [(0,), (2,)])
def test_codes_of_some_of_the_folded_axes(gpu, labelled):
    codes = CODES[:, 0] if labelled == (0,) else CODES[0]
    check(some("d"), codes, **way("sum", "d", labelled=labelled))


def test_groups_and_cells_that_there_are_none_of(gpu):
    for name in ("sum", "min", "fmax", "nanmean", "nanvar"):
        check(some("d"), CODES, **way(name, "d", groups=range(0)))
        check(some("d"), CODES, **way(name, "d", groups=range(40, 42)))
        none = way(name, "d", axes=(0,), labelled=(0,), tree=Tree((0,)), origin=(0,))
        check(some("d")[:0], CODES[:0, 0], **none)
        one = way(name, "d", axes=(0,), labelled=(0,), tree=Tree((13,), 4), origin=(0,))
        check(some("d")[:, :0], CODES[:, 0], **one)
        check(some("d", (13,)), CODES[:, 0], **one)


@pytest.mark.parametrize("name", ["sum", "max", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("tree", TREES)
def test_tables_are_merged_as_nodes(gpu, name, tree):
    told = way(name, "d", TREES[tree], target=0)
    tables = CPU["groupfold"](None, some("d"), CODES, **told)
    part = {name: told[name] for name in ("monoid", "axes", "tree", "origin", "dtype", "state")}
    part |= {"ddof": 1.0, "source": 0, "target": None}
    expected = CPU["groupmerge"](None, tables, **part)
    assert same_bits(run(CUDA["groupmerge"], None, tables, **part), expected)


@pytest.mark.parametrize(("name", "kind"), [("nanvar", "D"), ("fmin", "d")])
def test_what_has_no_form_on_a_gpu_is_refused(gpu, name, kind):
    told = way(name, kind, skipna=False)
    with pytest.raises(KernelDeviceError, match=f"kernel groupfold: {name}"):
        CUDA["groupfold"](None, some(kind), CODES, **told)

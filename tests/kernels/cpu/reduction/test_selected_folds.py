import numpy as np

from dask_tapestry.cells import Tree, selected_by
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from tests.comparisons import same_bits

X = np.random.default_rng(8).normal(size=(60, 9))
TREES = [
    Tree((60,), 16, Lattice((10,), (-5,)), selected_by(np.arange(60) % 7 == n, 0)) for n in range(7)
]
F8 = np.dtype("f8")


def part(monoid, tree):
    told = {"monoid": monoid, "axes": (0,), "tree": tree, "origin": (0,), "dtype": F8, "state": F8}
    return {**told, "ddof": 0.0, "source": None, "target": None}


def test_selections_lie_along_the_last_axis():
    value = KERNELS["selectedfolds"](
        None, X, trees=TREES, parts=[part("sum", TREES[0])], joint=False
    )
    assert value.shape == (9, 7)
    for number, tree in enumerate(TREES):
        alone = KERNELS["reduce"](None, X, **part("sum", tree))
        assert same_bits(value[:, number].copy(), alone)


def test_joint_folds_are_fields():
    parts = [part("sum", TREES[0]), part("max", TREES[0])]
    value = KERNELS["selectedfolds"](None, X, trees=TREES, parts=parts, joint=True)
    assert value.dtype.names == ("f0", "f1")
    for number, tree in enumerate(TREES):
        alone = KERNELS["reduce"](None, X, **part("max", tree))
        assert same_bits(value["f1"][:, number].copy(), alone)

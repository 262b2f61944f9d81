import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.tiled_fold import TiledFold

F8 = np.dtype("f8")
X = np.random.default_rng(2).normal(size=(7, 6))


def told(axes, sides):
    tree = Tree(tuple(X.shape[a] for a in axes), lattice=Lattice(sides, (0,) * len(sides)))
    return {
        "monoid": "sum", "axes": axes, "tree": tree, "origin": (0,) * len(axes), "dtype": F8,
        "state": F8, "ddof": 0.0, "source": None, "target": 0,
    }  # fmt: skip


def tiled(points, *folds):
    return KERNELS["tiledreductions"](None, X, points=points, folds=folds)


def test_each_fold_writes_its_windows():
    columns = OutputShape("f0", F8, (OutputAxis(0, 1), OutputAxis(1, 3)))
    rows = OutputShape("f1", F8, (OutputAxis(0, 4), OutputAxis(1, 1)))
    made = tiled(
        (2, 2),
        TiledFold("reduce", told((0,), (4,)), columns, (slice(0, 2), slice(0, 6))),
        TiledFold("reduce", told((1,), (3,)), rows, (slice(0, 7), slice(0, 2))),
    )
    assert (made.shape, made["f0"].shape, made["f1"].shape) == ((2, 2), (2, 6), (8, 2))
    assert np.allclose(made["f0"], np.add.reduceat(X, [0, 4], axis=0))
    assert np.allclose(made["f1"][:7], np.add.reduceat(X, [0, 3], axis=1))
    assert not made["f1"][7].any()  # beyond the array


def test_no_tiles_write_nothing():
    rows = OutputShape("f0", F8, (OutputAxis(0, 4), OutputAxis(1, 1)))
    made = tiled((0, 2), TiledFold("reduce", told((1,), (3,)), rows, (slice(0, 0), slice(0, 2))))
    assert made["f0"].shape == (0, 2)

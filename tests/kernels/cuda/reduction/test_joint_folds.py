import numpy as np
import pytest

from dask_tapestry_kernels.cuda.reduction import joint_folds as module
from dask_tapestry_kernels.field_blocks import FieldBlocks


@pytest.fixture
def asked(monkeypatch):
    """What each reduction reads, in place of a fold."""
    found = []

    def reduce(out, *blocks, source):
        found.append([block.tolist() for block in blocks])
        return np.asarray(float(len(found)))

    monkeypatch.setattr(module, "reduce", reduce)
    return found


def test_each_is_of_all_blocks_or_of_those_of_its_pass(asked):
    blocks = [np.array([n]) for n in range(3)]
    parts = [{"source": None}] * 3
    made = module.reductions(None, *blocks, parts=parts)
    assert asked == [[[0], [1], [2]]] * 3
    assert made.dtype.names == ("f0", "f1", "f2")
    assert [float(made[name]) for name in made.dtype.names] == [1, 2, 3]
    asked.clear()
    module.reductions(None, *blocks, parts=parts, passes=(((0, 2), (1,)), ((1,), (0, 2))))
    assert asked == [[[1]], [[0], [2]], [[1]]]


def test_nodes_are_folded_field_by_field(asked):
    nodes = FieldBlocks.of(np.array([(1, 2)], [("f0", "i4"), ("f1", "i8")]))
    module.reductions(None, nodes, parts=[{"source": 0}] * 2)
    assert asked == [[[1]], [[2]]]

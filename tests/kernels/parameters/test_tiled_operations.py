import numpy as np

from dask_tapestry_kernels.parameters.tiled_operations import GridLine, Operation


def test_they_are_told_as_integers():
    assert np.array([GridLine(4, 30, 68)], np.int64).tolist() == [[4, 30, 68]]
    operation = Operation(None, (np.zeros(3),), ((8,),))
    assert len(operation.arrays) == len(operation.moves)

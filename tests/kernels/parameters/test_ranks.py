import numpy as np

from dask_tapestry_kernels.parameters.ranks import FEW_PASSES, LONG, are_few, groups, is_long

SIZE = 4000


def test_long_lines_of_numbers_are_worth_it():
    assert is_long(10**6, np.dtype("f8"))
    assert not is_long(10**3, np.dtype("f8"))
    assert not any(is_long(10**6, np.dtype(d)) for d in ("f2", "c16", "S3", "M8[s]", ">f8", "?"))


def test_near_ranks_are_found_together():
    chosen = [SIZE - 1, 2000, 1999, 2000, 0]
    assert groups(chosen, SIZE) == [[0], [1999, 2000], [SIZE - 1]]


def test_ranks_are_few_by_their_passes():
    step = LONG // (FEW_PASSES + 1)
    far = list(range(0, LONG, step))[: FEW_PASSES + 1]
    assert are_few(far[:-1], LONG)
    assert not are_few(far, LONG)
    assert are_few(range(100), LONG)

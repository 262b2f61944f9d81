import numpy as np

import dask_tapestry as dt
from dask_tapestry.io.files.memmap_file import mapped_file
from dask_tapestry.io.targets.memmap_target import MemmapTarget

CELLS = np.arange(600.0).reshape(20, 30)


def test_a_target_is_written_and_read_again(mapped):
    x = dt.store(CELLS * 2, mapped, return_stored=True)
    np.testing.assert_array_equal(mapped, CELLS * 2)
    np.testing.assert_array_equal(x.compute(), CELLS * 2)
    y = dt.store(CELLS[:5], mapped, regions=slice(0, 20, 4), return_stored=True, compute=False)
    assert mapped[4, 0] == 240
    np.testing.assert_array_equal(y.compute(), CELLS[:5])
    assert str(MemmapTarget(mapped_file(mapped))).endswith("/x")


def test_in_place(mapped):
    dt.store(dt.asarray(mapped[::-1]), mapped)
    np.testing.assert_array_equal(mapped, CELLS[::-1])
    plan = dt.plan(dt.store(dt.asarray(mapped) + 1, mapped, compute=False))
    assert "place(" not in str(plan.teg)

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import philox

KEY, DRAW = (11, 2**64 - 5), (3, 1)


def test_it_has_the_factors_of_its_paper():
    assert [hex(f) for f in philox.FACTORS] == ["0xd2e7470ee14c6c93", "0xca5a826395121157"]
    assert [hex(s) for s in philox.STEPS] == ["0x9e3779b97f4a7c15", "0xbb67ae8584caa73b"]


@pytest.mark.parametrize("step", [1, 3, 4, 7])
def test_runs_hold_numpys_numbers_from_any_place_on(step):
    counter = np.array([0, DRAW[1], DRAW[0], 0], np.uint64)
    numbers = np.random.Philox(key=np.array(KEY, np.uint64), counter=counter).random_raw(100)
    starts = np.array([0, 1, 2, 3, 30], np.uint64)
    out = np.empty((len(starts), 9), np.uint64)
    key, draw = (tuple(map(np.uint64, pair)) for pair in (KEY, DRAW))
    philox.fill(out, starts, np.uint64(step), key, draw)
    for start, run in zip(starts.tolist(), out, strict=True):
        assert np.array_equal(run, numbers[start::step][:9])

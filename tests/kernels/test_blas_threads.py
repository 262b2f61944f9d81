from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import dask_tapestry as dt
from dask_tapestry_kernels.blas_threads import threads_each


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def before():
    return blas_threads()  # of the libraries that are loaded by now


def test_blas_has_one_thread_inside_and_its_own_after(before):
    with threads_each():
        assert set(blas_threads()) <= {1}
        with threads_each():
            assert set(blas_threads()) <= {1}
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def test_a_block_alone_keeps_all_threads(before):
    with threads_each(None):
        assert blas_threads() == before


def test_blocks_that_overlap_leave_no_limit_behind(before):
    together = Barrier(4)

    def block(number):
        with threads_each():
            together.wait()
            return set(blas_threads()) <= {1}

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(block, range(4)))
    assert blas_threads() == before


def test_an_error_takes_the_limit_back(before):
    with pytest.raises(ZeroDivisionError), threads_each():
        _ = 1 / 0
    assert blas_threads() == before


def test_a_product_in_several_blocks(before):
    x = np.random.default_rng(0).normal(size=(300, 40))
    seen = []

    def look(block):
        seen.append(max(blas_threads(), default=1))
        return block

    y = dt.map_blocks(look, dt.asarray(x).rechunk((100, 40)), dtype=x.dtype)
    assert np.array_equal(y.compute(scheduler="threads"), x)
    assert set(seen) == {1}
    assert blas_threads() == before

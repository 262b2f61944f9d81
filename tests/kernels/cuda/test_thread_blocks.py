"""What the simulated blocks of threads find in kernels that are wrong."""

import numpy as np
import pytest

from tests.kernels.cuda.simulated.thread_blocks import FEW, run_blocks

HEAD = "import numpy as np\nfrom numba import cuda\n\n\ndef kernel(x, out):\n"
REVERSED = """\
    shared = cuda.shared.array(64, np.int64)
    thread = cuda.threadIdx.x
    shared[thread] = x[thread]
    cuda.syncthreads()
    out[thread] = shared[63 - thread]
"""
X = np.arange(64)


def ran(body, blocks=1, threads=64, cells=64):
    out = np.zeros(cells, np.int64)
    run_blocks(HEAD + body, blocks, threads, (X, out))
    return out


def test_threads_wait_for_each_other():
    np.testing.assert_array_equal(ran(REVERSED), X[::-1])


def test_a_barrier_that_is_missing_gives_other_cells():
    assert (ran(REVERSED.replace("cuda.syncthreads()", "pass")) != X[::-1]).any()


def test_a_barrier_that_some_threads_do_not_reach_is_an_error():
    body = """\
    if cuda.threadIdx.x % 2:
        cuda.syncthreads()
    else:
        out[0] = 1
        cuda.syncthreads()
"""
    with pytest.raises(AssertionError, match="not at one barrier"):
        ran(body)


def test_threads_that_have_ended_are_not_waited_for():
    body = "    if cuda.threadIdx.x < 60:\n        return\n"
    body += "    cuda.syncthreads()\n    out[cuda.threadIdx.x] = 1\n"
    assert ran(body).sum() == 4


def test_memory_of_blocks_and_threads_begins_as_rubbish():
    body = "    shared = cuda.shared.array(1, np.int64)\n    own = cuda.local.array(1, np.int64)\n"
    body += "    out[cuda.blockIdx.x] = shared[0]\n    shared[0] = 0\n    out[2] = own[0]\n"
    assert ran(body, blocks=2, threads=1, cells=3).min() < -1
    assert (ran(body, blocks=2, threads=1, cells=3) != 0).all()


def test_blocks_that_take_what_lies_a_grid_further_are_few():
    body = "    cuda.atomic.add(out, 0, 1)\n    out[1] = cuda.gridsize(1)\n"
    assert ran(body, blocks=9, threads=8).tolist()[:2] == [8 * FEW, 8 * FEW]
    assert ran("    cuda.atomic.add(out, 0, 1)\n", blocks=9, threads=8)[0] == 72

from multiprocessing import Pipe
from threading import Thread

import pytest

from dask_tapestry_kernels.cuda.jit import cubin_cache
from dask_tapestry_kernels.cuda.jit.child import compiler
from dask_tapestry_kernels.jit import object_cache
from tests.kernels.cuda.assembled import CONTRACTIBLE, FUSED

CONTRACTED = """\
from numba import cuda, njit

SIGNATURE = "(CPointer(float64),)"


@njit
def inner(x):
    return x * x + 1.0


def kernel(out):
    out[0] = inner(out[1]) * out[2] + out[3]
"""
GREEDY = """\
import numpy as np
from numba import cuda

SIGNATURE = "(int64, CPointer(float64),)"


def kernel(n, out):
    room = cuda.local.array(2000, np.float64)
    shared = cuda.shared.array(64, np.float64)
    for i in range(n):
        room[i] = out[i]
    shared[n] = out[n]
    cuda.syncthreads()
    for i in range(n):
        out[i] = room[n - i] + shared[i]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))


@pytest.mark.parametrize("sm", [80, 90, 100])
def test_nothing_is_contracted_in_kernels_and_what_they_call(sm):
    ptx = compiler.ptx_of(CONTRACTED, sm)
    assert f".target sm_{sm}" in ptx
    assert ptx.count("mul.rn.f64") == ptx.count("add.rn.f64") == 2
    assert not FUSED.findall(ptx)
    assert not CONTRACTIBLE.findall(ptx)


def test_a_source_is_typed_once_for_all_architectures():
    compiler._typed.cache_clear()
    texts = {compiler.ptx_of(CONTRACTED, sm) for sm in (80, 90, 100)}
    assert len(texts) == 3
    assert compiler._typed.cache_info().misses == 1


def test_contraction_is_seen_where_it_is():
    assert CONTRACTIBLE.findall("\tmul.f64 \t%fd1, %fd2, %fd3;") == ["mul.f64"]
    assert not CONTRACTIBLE.findall("\tmul.rn.f64 \t%fd1, %fd2, %fd3;")


def test_resources_are_those_that_the_assembler_says():
    used = compiler.assemble(compiler.ptx_of(GREEDY, 90), 90).resources
    assert used.stack >= 16_000
    assert used.shared == 512
    assert 0 < used.registers < 256


def test_what_the_assembler_refuses_is_an_error():
    with pytest.raises(ValueError, match="error"):
        compiler.assemble(".version 8.0\n.target sm_90\nnonsense", 90)


def test_an_answer_is_a_cubin_or_a_line():
    key = cubin_cache.key_of(CONTRACTED, 90)
    made = compiler.answer(key, CONTRACTED, 90)
    assert object_cache.read(key) == made
    assert compiler.answer("other", CONTRACTED, 90).startswith("the package has changed")
    broken = "def kernel(:"
    assert compiler.answer(cubin_cache.key_of(broken, 90), broken, 90).startswith("SyntaxError: ")


def test_requests_are_served_until_the_parent_hangs_up():
    ours, theirs = Pipe()
    thread = Thread(target=compiler.main, args=(theirs.fileno(),))
    thread.start()
    assert ours.recv() == "begun"
    ours.send(("wrong", CONTRACTED, 90, True))
    assert ours.recv().startswith("the package has changed")
    ours.close()
    thread.join(10)
    assert not thread.is_alive()
    theirs._handle = None  # `main` has closed it

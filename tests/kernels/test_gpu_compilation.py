from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.gpu_compilation import compiling_for


def test_kernels_are_compiled_for_gpus_that_are_not_here():
    with compiling_for([80, 100]):
        assert runtime.runtime().architectures == (80, 100)
        assert runtime.runtime().empty((2, 3), "f4").tolist() == [[0, 0, 0], [0, 0, 0]]

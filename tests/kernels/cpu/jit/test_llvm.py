import subprocess
import sys

from dask_tapestry_kernels.cpu.jit.llvm import llvm


def test_it_is_the_binding_and_no_import_of_the_kernels_waits_for_it():
    assert llvm().get_host_cpu_name()
    program = "import sys, dask_tapestry_kernels.cpu; assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)

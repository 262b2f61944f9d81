import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dask_tapestry_kernels
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection
from dask_tapestry_kernels import cpu, cuda
from dask_tapestry_kernels.devices import has_cells, kernels_of, lacking

PACKAGE = Path(next(iter(dask_tapestry_kernels.__path__)))


def test_each_device_has_its_table():
    assert kernels_of("cpu") is cpu.KERNELS
    assert kernels_of("cuda") is cuda.KERNELS


def test_a_device_has_no_kernel_that_the_cpu_lacks():
    assert set(kernels_of("cuda")) <= set(kernels_of("cpu"))
    assert set(kernels_of("cuda")) >= cuda.SEVERAL


def test_what_a_device_lacks_is_a_key_error():
    with pytest.raises(KeyError):
        kernels_of("cuda")["no such kernel"]


def test_another_device_is_refused():
    with pytest.raises(ValueError, match="device 'tpu' is none of cpu, cuda"):
        kernels_of("tpu")


def test_what_a_device_lacks_is_told_without_blocks(device_kernels):
    device_kernels.names = {"map"}
    assert lacking("cuda", "map", [np.dtype("f4")]) is None
    assert lacking("cuda", "map", [np.dtype("f4"), np.dtype("M8[s]")]) == "no datetime64[s]"
    assert lacking("cuda", "reduce", []) == "no kernel"
    state = np.dtype([("mean", "f8"), ("m2", "f8")])
    device_kernels.names |= {"reduce"}
    assert lacking("cuda", "reduce", [np.dtype("f8")], state) is None
    assert lacking("cuda", "reduce", [state], np.dtype("f8")) is None
    assert "no [" in lacking("cuda", "map", [np.dtype("f8")], state)
    assert "no [" in lacking("cuda", "reduce", [np.dtype([("value", "U3")])])
    assert has_cells("cuda", np.dtype([("f0", state), ("f1", "?")]))
    assert not has_cells("cuda", np.dtype([("f0", "f8", (3,))]))
    points = IndexProjection([[1]], [0], [1])
    several = outputs_dtype((OutputWindow("q", np.dtype("f8"), points),))
    device_kernels.names |= {"qr", "eig"}
    assert lacking("cuda", "qr", [np.dtype("f8")], several) is None
    assert lacking("cuda", "eig", [np.dtype("f8")], several) == "no (q float64)"
    assert has_cells("cpu", np.dtype("U3"))
    assert not has_cells("cuda", np.dtype("U3"))
    assert not has_cells("cuda", np.dtype("g"))


def test_looking_into_a_table_imports_no_compiler_and_no_cupy():
    program = """
import sys
from dask_tapestry_kernels.devices import kernels_of
"map" in kernels_of("cuda"), list(kernels_of("cuda"))
assert not {"cupy", "numba", "numba_cuda", "llvmlite"} & set(sys.modules)
"""
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr

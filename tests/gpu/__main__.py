"""What only a GPU shows: ``python -m tests.gpu [--json FILE] [--bytes N] [--no-tests]``.

On a machine with a CUDA device and CuPy it runs the kernels' tests on the device, where they must
have the bits of the CPU's kernels, and then measures kernels beside CuPy. It writes what it found
as JSON. Where there is no device it says so and ends with 2.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.gpu import bandwidth

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "kernels" / "cuda" / "simulated"
NO_DEVICE = 2


def main(arguments=None):
    """Run all; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--json", default="build/gpu.json", type=Path)
    parser.add_argument("--bytes", default=10**9, type=int, help="of the largest operand")
    parser.add_argument("--no-tests", action="store_true")
    told = parser.parse_args(arguments)
    try:
        gpu = runtime.runtime()
    except KernelDeviceError as error:
        print(f"Nothing was run on a GPU: {error}")
        return NO_DEVICE
    found = {"commit": commit(), "device": bandwidth.device(), "processors": gpu.processors}
    found["tests"] = {} if told.no_tests else device_tests()
    found["rows"] = bandwidth.rows(told.bytes)
    told.json.parent.mkdir(parents=True, exist_ok=True)
    told.json.write_text(json.dumps(found, indent=1) + "\n")
    print(bandwidth.table(found["rows"]))
    print(f"written to {told.json}")
    return 1 if any(found["tests"].values()) else 0


def device_tests():
    """Exit codes of the kernels' tests on the device, by module."""
    codes = {}
    for module in sorted(TESTS.glob("*_simulated.py")):
        command = [sys.executable, "-m", "pytest", "-q", "-m", "", str(module)]
        environment = os.environ | {"DASK_TAPESTRY_TEST_DEVICE": "cuda"}
        done = subprocess.run(command, env=environment, cwd=ROOT, check=False)
        codes[module.stem] = done.returncode
    return codes


def commit():
    """The commit of the working tree, if it has one."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())

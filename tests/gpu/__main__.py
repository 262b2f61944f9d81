"""What only a GPU shows, in one command: ``python -m tests.gpu [--no-install] [--seconds S] ...``.

It runs the kernels' tests on the device, where they must have the bits of the CPU's kernels, the
operator table and random programs on the device beside the host, and times works beside peers. What
fails does not keep the rest from running. It writes what it found as JSON, after each part, and as
a page. Where there is no device it says so and ends with 2; where anything failed, with 1.

``--no-install`` asks no package registry: packages are there, or what needs them says that it has
not got them. Nothing of it needs `make` or an environment of its own.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

from tests.gpu import parts, report

NO_DEVICE = 2
INSTALLED = ("cupy-cuda12x>=14,<15",)
PEERS = ("cupy", "jax", "torch", "dask")


def main(arguments=None):
    """Run all; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--json", default="build/gpu.json", type=Path)
    parser.add_argument("--page", default="build/gpu.md", type=Path)
    parser.add_argument("--bytes", default=4 * 2**30, type=int, help="of the largest operand")
    parser.add_argument("--programs", default=1000, type=int, help="random programs to compare")
    parser.add_argument("--seconds", default=510.0, type=float, help="of all parts together")
    parser.add_argument("--only", default="", help="parts whose names have this in them")
    parser.add_argument("--no-install", action="store_true", help="ask no package registry")
    told = parser.parse_args(arguments)
    if not told.no_install:
        install()
    began = time.monotonic()
    found = {"command": " ".join(["python -m tests.gpu", *(arguments or sys.argv[1:])])}
    about = parts.Part("machine", (parts.module("machine"),), 60)
    found["machine"] = parts.run_part(about)["machine"]
    if "device" not in found["machine"]:
        machine = found["machine"]
        print(f"Nothing was run on a GPU: {machine.get('without') or machine.get('said')}")
        return NO_DEVICE
    found["parts"] = {}
    for part in parts.all_parts(told.seconds, told.bytes, told.programs, PEERS):
        if told.only not in part.name:
            continue
        print(f"{part.name} ...", flush=True)
        found["parts"][part.name] = parts.run_part(part)
        found["seconds"] = time.monotonic() - began
        write(found, told)
        for line in report.failures({"parts": {part.name: found["parts"][part.name]}}):
            print(f"  {line}", flush=True)
    print(report.page(found))
    print(f"written to {told.json} and {told.page}")
    return 1 if report.failures(found) else 0


def write(found, told):
    """Write what was found till now."""
    for file, text in ((told.json, json.dumps(found, indent=1)), (told.page, report.page(found))):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def install():
    """Have CuPy in this environment, if it is not there; else what needs it says so."""
    if importlib.util.find_spec("cupy") is not None:
        return
    command = [sys.executable, "-m", "pip", "install", "--quiet"]
    constraints = ["--constraint", str(parts.ROOT / "constraints-dev.txt")]
    subprocess.run([*command, *constraints, *INSTALLED], check=False)


if __name__ == "__main__":
    sys.exit(main())

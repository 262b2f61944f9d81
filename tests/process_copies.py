"""Programs in copies of one process: each the first that is asked of it, of imports made once.

A fresh process imports NumPy, Dask and this library for a second before a test's own line is run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIES = """
import os, sys, traceback, warnings
sys.path[:0] = PATHS
exec(BEGIN)
failed = []
for program in PROGRAMS:
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()  # no thread that was started holds a lock
    if not child:
        try:
            exec(program)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(program)
    print("END", flush=True)
assert not failed, failed
"""


def printed_by_copies(begin: str, programs: Sequence[str]) -> list[str]:
    """What programs print, each in a copy of a process that has run `begin`; warnings are errors.

    Raises
    ------
    CalledProcessError
        If one of them failed; all are run.
    """
    paths = [str(ROOT), str(ROOT / "kernels")]
    given = f"PATHS, BEGIN, PROGRAMS = {paths!r}, {begin!r}, {[*programs]!r}\n"
    command = [sys.executable, "-W", "error", "-c", given + COPIES]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, text=True, check=True)
    return done.stdout.split("END\n")[:-1]

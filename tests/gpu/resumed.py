"""What a process has found, step by step, in a file from which another one goes on.

A kernel that writes where it may not leaves its process without a device: all that is tried after
it fails. Such a process ends with `AGAIN`, one that crashes by a signal, and the next one begins
behind what was tried last.
"""

import json

AGAIN = 75  # the exit code that asks for another process


def begun(file, empty):
    """What the file has, where a process was there before; else what is empty."""
    return json.loads(file.read_text()) if file.exists() else empty


def write(file, found):
    """Write all that was found till now, at once: a process may be ended."""
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(found))
    beside.replace(file)


def is_lost():
    """Whether this process has lost its device; not, if it has no CuPy."""
    try:
        import cupy
    except ImportError:
        return False
    try:
        cupy.cuda.Device().synchronize()
        return int(cupy.asarray([3]).get()[0]) != 3
    except Exception:
        return True

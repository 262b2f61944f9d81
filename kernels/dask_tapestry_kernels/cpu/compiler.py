"""The compiler: a child process that turns kernel sources into object code.

It reads a request a line, ``{"key": ..., "source": ...}``, and answers each with a line,
``{"key": ..., "symbol": ..., "code": ...}`` or ``{"key": ..., "error": ...}``; it ends with its
input. A source is the text of a module that defines `kernel`, a numba function with one signature
that takes and returns nothing but integers.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
from base64 import b64encode
from typing import Any

from dask_tapestry_kernels.cpu import store

LOWER_PRIORITY = 5  # than the computation that waits for nothing


def compile_source(source: str, name: str = "kernel") -> store.Compiled:
    """Compile a source; raises whatever its compilation raises."""
    file = f"<tapestry {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)  # numba reads it
    scope: dict[str, Any] = {"__name__": f"tapestry_{name}"}
    exec(compile(source, file, "exec"), scope)
    kernel = scope["kernel"]
    (result,) = kernel.overloads.values()
    code = result.library._get_compiled_object()
    return store.Compiled(result.fndesc.llvm_cfunc_wrapper_name, code)


def answer(request: dict[str, str]) -> dict[str, str]:
    """Compile what is asked for and keep it on disk."""
    key = request["key"]
    try:
        compiled = compile_source(request["source"], key)
    except Exception as error:
        return {"key": key, "error": f"{type(error).__name__}: {error}"}
    store.write(key, compiled)
    return {"key": key, "symbol": compiled.symbol, "code": b64encode(compiled.code).decode()}


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a compilation prints is no answer
    os.nice(LOWER_PRIORITY)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()

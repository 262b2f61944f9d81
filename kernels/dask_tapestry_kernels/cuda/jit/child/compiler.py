"""The compiler for GPUs: kernel sources turned into cubins, in a child process.

A request is for an architecture, as 90 for ``sm_90``. numba-cuda turns a source into PTX in which
no product and sum is contracted (``fma`` off), so that every sum and product has its rounding
written out (``add.rn``), which the assembler leaves alone; only the elementary functions' own
``fma`` are fused.
"""

from __future__ import annotations

import linecache
import re
import subprocess
import tempfile
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from dask_tapestry_kernels.cuda.jit import cubin_cache
from dask_tapestry_kernels.cuda.jit.toolkit import ptxas
from dask_tapestry_kernels.jit.object_cache import Compiled, name_of
from dask_tapestry_kernels.jit.serving import made, serve

OPTIONS: Final = {"fma": 0, "fastmath": False, "opt": 3}
OLDEST: Final = (8, 0)  # numba-cuda asks whether what it writes is older than 6.0 and 7.5
ENTRY: Final = re.compile(r"^\.visible \.entry (\w+)\(", re.MULTILINE)
RESOURCES: Final = {
    "registers": re.compile(r"Used (\d+) registers"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
    "shared": re.compile(r"(\d+) bytes smem"),
}


class KernelResources(NamedTuple):
    """What a kernel takes of a multiprocessor: registers a thread, and bytes."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


class Assembly(NamedTuple):
    """A kernel for one architecture."""

    ptx: str
    symbol: str
    cubin: bytes
    resources: KernelResources


def ptx_of(source: str, sm: int) -> str:
    """The PTX of a source; raises whatever its compilation raises."""
    (text,) = _typed(source).get_asm_strs(cc=divmod(sm, 10))
    return str(text)


@lru_cache(1)  # a source is compiled for one architecture after the other
def _typed(source: str) -> Any:
    """A source as LLVM's text, which is that of every architecture.

    It took .12 s of a scatter's rows, and then LLVM and the assembler .06 s of each architecture.
    """
    name = name_of(source)
    types = import_module("numba").types  # here, where a source is compiled, and is not annotated
    compiler: Any = import_module("numba.cuda.compiler")
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    file = f"<tapestry {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope: dict[str, Any] = {"__name__": f"tapestry_{name}"}
    exec(compile(source, file, "exec"), scope)
    # Functions that a kernel calls are compiled for "the current device"; here is none.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=OLDEST)
    contracting, to_ir = compiler.compile_cuda, _uncontracted(compiler.compile_cuda)
    compiler.compile_cuda = dispatcher.compile_cuda = to_ir
    try:
        arguments = eval(scope["SIGNATURE"], vars(types))
        bounds = (scope["THREADS"], 1) if scope.get("THREADS") else None
        options = {"device": False, "abi": "numba", "cc": OLDEST, "opt": True}
        library, _ = compiler._compile_pyfunc_with_fixup(
            scope["kernel"], arguments, launch_bounds=bounds, **options
        )
    finally:
        compiler.compile_cuda = dispatcher.compile_cuda = contracting
    return library


def _uncontracted(to_ir: Any) -> Any:
    """numba-cuda's compiler with our options; its callers have none for ``fma``."""

    def compiled(*arguments: Any, **options: Any) -> Any:
        return to_ir(*arguments, **(options | {"nvvm_options": dict(OPTIONS)}))

    return compiled


def assemble(ptx: str, sm: int) -> Assembly:
    """Turn PTX into a cubin; raises ValueError with what the assembler says."""
    with tempfile.TemporaryDirectory() as folder:
        text, cubin = Path(folder) / "kernel.ptx", Path(folder) / "kernel.cubin"
        text.write_text(ptx)
        command = [str(ptxas()), "-v", f"-arch=sm_{sm}", "-o", str(cubin), str(text)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return Assembly(ptx, _entry(ptx), cubin.read_bytes(), _resources(done.stderr))


def _entry(ptx: str) -> str:
    (symbol,) = ENTRY.findall(ptx)
    return str(symbol)


def _resources(said: str) -> KernelResources:
    """What the assembler says of the kernel and the functions that it calls: the most of each."""
    found = {name: pattern.findall(said) for name, pattern in RESOURCES.items()}
    return KernelResources(
        **{name: max(map(int, numbers), default=0) for name, numbers in found.items()}
    )


def compile_source(source: str, sm: int) -> Compiled:
    """Compile a source; raises whatever its compilation raises."""
    kernel = assemble(ptx_of(source, sm), sm)
    return Compiled(kernel.symbol, kernel.cubin)


def answer(key: str, source: str, sm: int) -> Compiled | str:
    """Compile what is asked for and keep it on disk; or say why not, in a line."""
    return made(key, cubin_cache.key_of(source, sm), lambda: compile_source(source, sm))


def main(descriptor: int) -> None:
    """Serve until the parent ends or hangs up."""
    serve(descriptor, answer)

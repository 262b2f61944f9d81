"""Libraries of numba that are linked first and turned into machine code once.

numba gives every function that compiled code calls its own library, optimises it with all that it
calls, and writes its machine code, as a user may call it next. Of a kernel's forty functions nobody
calls any but the kernel, so all are linked first; the kernel's library is optimised and its machine
code written. All kernels of the twelve works of `benchmarks/cluster` take 29 s of a busy processor,
and 67 s by numba's way; of the 29 s numba's types and LLVM's text take 22. Python calls none of
them, and C the kernel alone: wrappers for these calls took a quarter of the time of formulas.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import codegen
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target

JITCodeLibrary: Any = codegen.JITCodeLibrary  # which is not annotated


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library whose machine code is made when it is asked for; none of it can be called here."""

    def finalize(self) -> None:
        """Link what is called, as it is."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address: nothing is loaded into this process."""
        self._ensure_finalized()
        return 0

    def object_code(self) -> bytes:
        """Optimise the whole, and return its machine code."""
        self._ensure_finalized()
        self._optimize_final_module()
        self._final_module.verify()
        code: bytes = self._codegen._tm.emit_object(self._final_module)
        return code


def link_first() -> None:
    """Have numba make such libraries from here on; for processes that compile and do not call."""
    context: Any = cpu_target.target_context
    context.create_cpython_wrapper = _wrap_for_no_python
    context.create_cfunc_wrapper = _wrap_kernel
    target: Any = context.codegen()
    target._library_class = LinkedLibrary
    target.set_env = _keep_no_environment


def _keep_no_environment(_name: str, _environment: Any) -> None:
    """A function's globals are for calls from Python, which do not happen."""


def _wrap_for_no_python(*_asked: Any, release_gil: bool) -> None:
    """Add no function that takes and returns objects of Python."""


def _wrap_kernel(library: Any, function: Any, *others: Any) -> None:
    """Add a function that C may call, of one that may be the kernel: it takes integers alone."""
    if function.restype == types.void and set(function.argtypes) <= {types.int64}:
        wrap: Any = CPUContext.create_cfunc_wrapper
        wrap(cpu_target.target_context, library, function, *others)

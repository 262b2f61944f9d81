"""Kernels as users meet them: interpreted at first, then compiled, and both in one computation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

from dask_tapestry_kernels.cpu.blocks import (
    between_compiled,
    counting_sort,
    gather_compiled,
    nearest_sites_compiled,
    random,
    region_boxes_compiled,
    region_runs_compiled,
    scatter_compiled,
    search_compiled,
    select_compiled,
)
from dask_tapestry_kernels.cpu.cells import interpreter
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import (
    bin_numbers_compiled,
    bincount_compiled,
    binned_counts_compiled,
)
from dask_tapestry_kernels.cpu.scan import scan_compiled

OF_MANY_CELLS = (  # kernels that are not asked for of fewer cells than their module's `SMALL`
    between_compiled, bin_numbers_compiled, gather_compiled, nearest_sites_compiled, random,
    region_boxes_compiled, region_runs_compiled, scan_compiled, scatter_compiled, search_compiled,
    select_compiled, counting_sort, bincount_compiled, binned_counts_compiled,
)  # fmt: skip


@contextmanager
def by_turns(draws: Random, share: float = 0.5) -> Iterator[None]:
    """Have a kernel there or not whenever it is asked for, as while kernels are being compiled.

    A computation in which they arrive is one of those that this draws: of two blocks of a step the
    first may be interpreted and the second compiled.
    """
    service = compile_service._service
    get = service.get

    def sometimes(*asked: Any) -> Any:
        found = get(*asked)
        return found if draws.random() < share else None

    with compile_service.mode("wait"), patch.object(service, "get", sometimes):
        yield


@contextmanager
def however_few() -> Iterator[None]:
    """Have kernels asked for, of however few cells."""
    with ExitStack() as patches:
        for module in OF_MANY_CELLS:
            patches.enter_context(patch.object(module, "SMALL", 1))
        patches.enter_context(patch.object(interpreter, "COMPILED_FROM", 1))
        yield


def kept_kernel(source: str, arity: int = 3) -> compile_service.Native:
    """A kernel as the library has it: compiled by the child, and kept for other tests.

    numba takes twice as long for what this process may call itself, and does it in each process.
    """
    with compile_service.mode("wait"):
        kernel = compile_service.compiled(source, arity, "a kernel of a test")
    assert kernel is not None
    return kernel

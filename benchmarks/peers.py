"""The libraries that the machine benchmark compares, each as one small class.

A peer takes NumPy inputs as arrays of its own, outside what is timed, and makes of a program a call
that is timed: graph building, planning and computing, to a result that is there. JAX compiles
beforehand; `first_call` in `benchmarks/fresh.py` times that too.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tests.comparisons import COMPARISONS, Comparison

BENCHED: dict[str, Comparison] = {
    c.name.removeprefix("program "): c for c in COMPARISONS if c.bench is not None
}
TOLERANCE = {"f2": 2e-2, "f4": 1e-3, "f8": 1e-9}


class Peer(ABC):
    """A library that runs programs.

    `module` is what must be importable, `package` what is installed.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    package: ClassVar[str]

    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    def refusal(self, comparison: Comparison) -> str | None:
        """Why this library cannot run a program; None if it can."""
        return comparison.bench.cannot.get(self.name)

    def load(self) -> Any:
        """Import the library and return its array namespace."""
        return importlib.import_module(self.module)

    def give(self, x: np.ndarray) -> Any:
        """An array of the library's with the cells of `x`."""
        return self.load().asarray(x)

    @abstractmethod
    def program(self, comparison: Comparison, arrays: Sequence[Any]) -> Callable[[], Any]:
        """A call that computes the program on the library's arrays."""

    def settle(self) -> None:
        """Return once nothing that earlier calls have started is still running."""
        return

    def warm(self, call: Callable[[], Any]) -> None:
        """Call until everything is loaded that the library loads for it."""
        call()
        self.settle()
        call()

    def partial(self, comparison: Comparison, arrays: Sequence[Any]) -> Callable[[], Any]:
        """The program on the library's arrays as the library runs it, finished or not."""
        return partial(comparison.ours, self.load(), *arrays, **comparison.bench.arguments)


class NumPy(Peer):
    """NumPy as it comes: one thread but for BLAS, every intermediate in memory."""

    name, module, package = "NumPy", "numpy", "numpy"

    def program(self, comparison, arrays):
        return self.partial(comparison, arrays)


class Dask(Peer):
    """dask.array on threads; its results are NumPy arrays."""

    name, module, package = "dask.array", "dask.array", "dask"

    def give(self, x):
        return self.load().from_array(x)

    def program(self, comparison, arrays):
        from dask import compute

        build = self.partial(comparison, arrays)
        return lambda: compute(*as_tuple(build()), scheduler="threads")


class DaskExpressions(Dask):
    """The same with query planning."""

    name, module, package = "dask-array", "dask_array", "dask-array"


class Tapestry(Dask):
    """Ours, on Dask's threads."""

    name, module, package = "dask_tapestry", "dask_tapestry", "dask_tapestry"

    def program(self, comparison, arrays):
        compute = importlib.import_module(self.module).compute
        build = self.partial(comparison, arrays)
        return lambda: compute(*as_tuple(build()), scheduler="threads")

    def settle(self):
        """Wait for kernels that are being compiled beside the calls."""
        compiled = self._compiled()
        if compiled is not None:
            compiled.wait()

    def warm(self, call):
        """Have its kernels compiled too, which are not for few cells."""
        compiled = self._compiled()
        if compiled is not None:
            with compiled.mode("wait"):
                call()
        super().warm(call)

    def _compiled(self):
        """The module of compiled kernels by its names, new and old; the oldest versions lack it."""
        for name in ("jit.compile_service", "compiled"):
            with suppress(ModuleNotFoundError):
                return importlib.import_module(f"dask_tapestry_kernels.cpu.{name}")
        return None


class JAX(Peer):
    """JAX on the CPU with 64-bit types, compiled for the inputs before it is timed."""

    name, module, package = "JAX", "jax.numpy", "jax"

    def is_installed(self):
        return importlib.util.find_spec("jax") is not None

    def load(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        return super().load()

    def program(self, comparison, arrays):
        import jax

        namespace = self.load()
        function = partial(comparison.ours, namespace, **comparison.bench.arguments)
        compiled = jax.jit(function).lower(*arrays).compile()
        return lambda: jax.block_until_ready(compiled(*arrays))


class NumExpr(Peer):
    """numexpr on all cores, for the programs that are one of its expressions."""

    name, module, package = "numexpr", "numexpr", "numexpr"

    def refusal(self, comparison):
        return None if comparison.bench.numexpr else "not one of its expressions"

    def give(self, x):
        return x

    def program(self, comparison, arrays):
        names = dict(zip("abc", arrays, strict=False))
        return partial(self.load().evaluate, comparison.bench.numexpr, local_dict=names)


class Cubed(Peer):
    """Cubed on threads with chunks as dask.array's; run when it is asked for."""

    name, module, package = "Cubed", "cubed", "cubed"

    def refusal(self, comparison):
        return None if comparison.bench.cubed else "takes seconds: a few rows only"

    def load(self):
        return importlib.import_module("cubed.array_api")

    def give(self, x):
        import cubed
        import dask.array

        chunks = dask.array.from_array(x, name=False).chunksize
        return cubed.from_array(x, chunks=chunks, spec=cubed.Spec(allowed_mem="8GB"))

    def program(self, comparison, arrays):
        import cubed

        build = self.partial(comparison, arrays)
        return lambda: cubed.compute(*as_tuple(build()))


OURS = Tapestry()
PEERS: tuple[Peer, ...] = (
    OURS, NumPy(), Dask(), DaskExpressions(), JAX(), NumExpr(), Cubed(),
)  # fmt: skip


def as_tuple(result: Any) -> tuple[Any, ...]:
    """The results of a program that may have one or several."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def named(names: str) -> list[Peer]:
    """The peers of a list of names with commas between, in any case."""
    wanted = [name.strip().lower() for name in names.split(",")]
    known = {peer.name.lower(): peer for peer in PEERS} | {"dask": PEERS[2], "dt": OURS}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no peer {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in wanted]


def chosen(only: str | None) -> dict[str, Comparison]:
    """The rows whose names start as one of a list of names does; all of them without a list."""
    if not only:
        return BENCHED
    starts = tuple(name.strip() for name in only.split(","))
    rows = {name: row for name, row in BENCHED.items() if name.startswith(starts)}
    if not rows:
        raise SystemExit(f"no row starts with {only}; there are {', '.join(BENCHED)}")
    return rows


def difference(result: Any, expected: Any) -> str | None:
    """How the results of two libraries differ by more than rounding; None if they do not.

    Dtypes may differ: JAX counts in float. Cells are compared on the scale of the largest one, as
    sums and differences round on the scale of what they are made of.
    """
    made, wanted = as_tuple(result), as_tuple(expected)
    if len(made) != len(wanted):
        return f"{len(made)} results instead of {len(wanted)}"
    for one, other in zip(map(np.asarray, made), map(np.asarray, wanted), strict=True):
        if one.shape != other.shape:
            return f"shape {one.shape} instead of {other.shape}"
        worst, scale = apart(one, other)
        if not worst <= TOLERANCE.get(other.dtype.str[1:], 0) * scale:
            return f"off by {worst:.3g} where cells are up to {scale:.3g}"
    return None


def apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Largest difference of two arrays and largest cell, a slab at a time to save memory."""
    if not other.ndim:
        return abs(float(one) - float(other)), abs(float(other))
    worst = scale = 0.0
    wide = np.result_type(other.dtype, "f8")
    step = max(1, 2**20 * len(other) // max(1, other.size))
    for start in range(0, len(other), step):
        left = one[start : start + step].astype(wide)
        right = other[start : start + step].astype(wide)
        worst = float(np.maximum(worst, np.abs(left - right).max(initial=0)))
        scale = float(np.maximum(scale, np.abs(right).max(initial=0)))
    return worst, scale

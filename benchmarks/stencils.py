"""Iterated stencils: NumPy, loops by hand and `stencil.iterate`, in updates of cells a second.

    python benchmarks/stencils.py
    python benchmarks/stencils.py --side 6000 --steps 10 --only heat

Each program is run by NumPy, by this library in a loop that pads and persists each step ("by
hand") or none ("lazily"), and by `dt.stencil.iterate`; with ``--jax`` also by JAX, if that is
installed, and heat with ``--c`` by loops in C, compiled here: one pass a step, and tiles that stay
in cache for sixteen steps, as an expert would write them for one thread. Shown are the best
wall and CPU seconds of some runs, the first of which has compiled the kernels, and what planning
takes of the last one.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.planner import cache  # noqa: E402

State = tuple[Any, ...]
C_CODE: Final = r"""
#include <stdlib.h>
#include <string.h>
#define ROWS 110
#define COLUMNS 512
static void step(const double *u, double *v, long stride, long rows, long columns) {
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) {
            const double *c = u + (i + 1) * stride + j + 1;
            double around = c[-stride] + c[stride] + c[-1] + c[1] - 4 * c[0];
            v[i * stride + j] = c[0] + 0.1 * around;
        }
}
void heat_steps(const double *u, double *v, long n, long steps) {
    long most = (ROWS + 2 * steps) * (COLUMNS + 2 * steps);
    double *a = malloc(2 * most * sizeof(double)), *b = a + most;
    for (long i = 0; i < n; i += ROWS)
        for (long j = 0; j < n; j += COLUMNS) {
            long rows = n - i < ROWS ? n - i : ROWS, columns = n - j < COLUMNS ? n - j : COLUMNS;
            long stride = columns + 2 * steps;
            for (long r = 0; r < rows + 2 * steps; r++) {
                const double *from = u + ((i + r - steps) % n + n) % n * n;
                for (long c = 0; c < stride; c++) {
                    long place = (j + c - steps + n) % n;
                    a[r * stride + c] = from[place];
                }
            }
            for (long done = 1; done <= steps; done++) {
                long left = 2 * (steps - done);
                step(a, b, stride, rows + left, columns + left);
                double *other = a; a = b; b = other;
            }
            for (long r = 0; r < rows; r++)
                memcpy(v + (i + r) * n + j, a + r * stride, columns * sizeof(double));
        }
    free(a < b ? a : b);
}
"""


def laplace(u: Any) -> Any:
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def heat(u: Any) -> Any:
    return u[1:-1, 1:-1] + 0.1 * laplace(u)


def gray_scott(u: Any, v: Any) -> State:
    a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
    react = a * b * b
    first = a + 0.16 * laplace(u) - react + 0.035 * (1 - a)
    return first, b + 0.08 * laplace(v) + react - 0.095 * b


PROGRAMS: Final[dict[str, tuple[Callable[..., Any], int]]] = {
    "heat": (heat, 1),
    "gray scott": (gray_scott, 2),
}
PEERS: Final = ("NumPy", "JAX", "C", "C, tiles")  # which take arrays of NumPy
MODES: Final = {"periodic": "wrap", "nearest": "edge", "reflect": "symmetric"}


def first_state(side: int, fields: int) -> State:
    random = np.random.default_rng(0)
    return tuple(random.random((side, side)) for _ in range(fields))


def as_tuple(made: Any) -> State:
    return made if isinstance(made, tuple) else (made,)


def by_numpy(step: Callable[..., Any], state: State, steps: int, boundary: str) -> State:
    for _ in range(steps):
        state = as_tuple(step(*[np.pad(x, 1, mode=MODES[boundary]) for x in state]))
    return state


def by_hand(step: Callable[..., Any], state: State, steps: int, boundary: str) -> State:
    """A loop that pads and persists each step."""
    for _ in range(steps):
        padded = [dt.pad(x, 1, mode=MODES[boundary]) for x in state]  # type: ignore[arg-type]
        state = dt.persist(*as_tuple(step(*padded)))
    return state


def lazily(step: Callable[..., Any], state: State, steps: int, boundary: str) -> State:
    """The same loop, of which no step is persisted."""
    for _ in range(steps):
        padded = [dt.pad(x, 1, mode=MODES[boundary]) for x in state]  # type: ignore[arg-type]
        state = as_tuple(step(*padded))
    found: State = dt.persist(*state)
    return found


def iterated(step: Callable[..., Any], state: State, steps: int, boundary: str) -> State:
    return as_tuple(dt.stencil.iterate(step, state, steps, depth=1, boundary=boundary))


def by_jax(step: Callable[..., Any], state: State, steps: int, boundary: str) -> State:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)

    def one(_: int, known: State) -> State:
        return as_tuple(step(*[jax.numpy.pad(x, 1, mode=MODES[boundary]) for x in known]))

    run = _kept(jax.jit, step, boundary, lambda x: jax.lax.fori_loop(0, steps, one, x))
    found: State = jax.block_until_ready(run(state))
    return found


def by_c(together: int) -> Callable[..., State]:
    """Heat on a periodic square by C, so many steps of a tile together."""
    folder = tempfile.mkdtemp()
    source, library = Path(folder, "heat.c"), Path(folder, "heat.so")
    source.write_text(C_CODE)
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(library), str(source)], check=True)
    heat_steps = ctypes.CDLL(str(library)).heat_steps

    def run(_: Any, state: State, steps: int, boundary: str) -> State:
        cells = [np.array(state[0]), np.empty_like(state[0])]
        side = ctypes.c_long(len(cells[0]))
        for done in range(0, steps, together):
            count = ctypes.c_long(min(together, steps - done))
            heat_steps(*[ctypes.c_void_p(x.ctypes.data) for x in cells], side, count)
            cells.reverse()
        return (cells[0],)

    return run


_runs: dict[Any, Any] = {}


def _kept(jit: Any, step: Any, boundary: str, function: Any) -> Any:
    return _runs.setdefault((step, boundary), jit(function))


def measured(run: Callable[[], State], times: int) -> tuple[float, float, float, State]:
    """Best wall and CPU seconds, seconds of planning of the last run, and the value."""
    planning: list[float] = []
    plan_of = cache.plan_of

    def timed(roots: Any) -> Any:
        begin = time.perf_counter()
        plan = plan_of(roots)
        planning.append(time.perf_counter() - begin)
        return plan

    wall, cpu = [], []
    with patch.object(cache, "plan_of", timed):
        for _ in range(times):
            planning.clear()
            begin, busy = time.perf_counter(), time.process_time()
            value = run()
            wall.append(time.perf_counter() - begin)
            cpu.append(time.process_time() - busy)
    return min(wall), min(cpu), sum(planning), value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--side", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--boundary", choices=MODES, default="periodic")
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--jax", action="store_true")
    parser.add_argument("--c", action="store_true")
    options = parser.parse_args()
    ways = {"NumPy": by_numpy, "by hand": by_hand, "lazily": lazily, "iterate": iterated}
    if options.jax:
        ways["JAX"] = by_jax
    print(f"{'':12}{'':9}   wall s    CPU s  Mcell/s  planning ms")
    for name in [options.only] if options.only else PROGRAMS:
        step, fields = PROGRAMS[name]
        if options.c and name == "heat" and options.boundary == "periodic":
            ways |= {"C": by_c(1), "C, tiles": by_c(16)}
        elif options.c:
            ways = {way: run for way, run in ways.items() if not way.startswith("C")}
        state = first_state(options.side, fields)
        expected: State | None = None
        for way, function in ways.items():
            times = 1 if way == "NumPy" else options.times
            given = state if way in PEERS else tuple(map(dt.asarray, state))
            run = partial(function, step, given, options.steps, options.boundary)
            wall, cpu, planning, value = measured(run, times)
            arrays = [np.asarray(x) for x in value]
            expected = expected or tuple(arrays)
            same = all(np.allclose(a, e) for a, e in zip(arrays, expected, strict=True))
            speed = options.side**2 * options.steps / wall / 1e6
            told = f"{wall:9.3f}{cpu:9.3f}{speed:9.0f}{1e3 * planning:13.1f}"
            print(f"{name:12}{way:9}{told}" + ("" if same else "  OTHER VALUES"), flush=True)


if __name__ == "__main__":
    main()

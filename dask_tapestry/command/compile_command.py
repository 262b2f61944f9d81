"""``dask-tapestry compile``: the kernels that a script's job will ask for, ahead of its workers."""

from __future__ import annotations

import argparse
from pathlib import Path

from dask_tapestry.command.declared_machines import add_resources, declared_of
from dask_tapestry.command.main import CommandError
from dask_tapestry.command.plan_command import ScriptPlanner, planned_script
from dask_tapestry.command.script import Script
from dask_tapestry.lower.compiling import compile_ahead
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry_kernels.kernel_cache import directory, kept_kernels


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.usage = "dask-tapestry compile script.py [options] [script's arguments] [-- more]"
    parser.description = (
        "Execute a script as `plan` does, and compile the kernels that its jobs will ask for, into "
        "the cache that workers read. Blocks of made-up cells are computed on this machine; stores "
        "are neither read nor written, and functions of yours are not called. Processors must be "
        "those of the workers. DASK_TAPESTRY_CACHE names a folder that all nodes see."
    )
    parser.add_argument("script", help="the script; what is no option of ours is handed to it")
    parser.add_argument(
        "--sm",
        nargs="+",
        type=int,
        default=(),
        metavar="NUMBER",
        help="architectures of GPUs to compile for, as 80 90 100; no GPU need be here",
    )
    parser.add_argument(
        "--cubins",
        type=Path,
        metavar="FOLDER",
        help="put code for GPUs there too, for a wheel to bring as dask_tapestry_kernels/cubins",
    )
    add_resources(parser)


def main(options: argparse.Namespace) -> int:
    """Compile for the script; 3 if it needs a value."""
    folder = directory()
    if folder is None:
        raise CommandError(
            "no folder for compiled kernels can be used: name one with DASK_TAPESTRY_CACHE"
        )
    script = Script(options.script, options.arguments)
    unknown = [sm for sm in options.sm if len(str(sm)) not in (2, 3) or sm < 0]
    if unknown:
        raise CommandError(f"--sm: {unknown[0]} is not a GPU architecture: give 90 for sm_90")
    planner = ScriptCompiler(script, declared_of(options), None)
    planner.architectures, planner.cubins = tuple(options.sm), options.cubins
    before = kept_kernels()
    code = planned_script(script, planner)
    made = len(kept_kernels() - before)
    print(f"{made} kernels compiled, {len(before)} were there: {folder}", flush=True)
    return code


class ScriptCompiler(ScriptPlanner):
    """Compiles what a script's plans ask for, for GPUs of some architectures."""

    architectures: tuple[int, ...] = ()
    cubins: Path | None = None

    def show(self, plan: PlannedGraph, results: ResultMemory) -> None:
        if self.declared not in (None, plan.resources):
            plan = build_plan(plan.written.roots, self.declared)
        self.count += 1
        found = compile_ahead(plan, self.architectures, self.cubins)
        print(f"plan {self.count}, {self.script.name}:{self.script.line()}: {found.steps} steps")
        for why in found.left:
            print(f"  left out: {why}")

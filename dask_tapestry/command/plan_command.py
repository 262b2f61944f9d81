"""``dask-tapestry plan``: what a script would compute and write, planned instead of run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
from dask.base import named_schedulers
from dask.local import get_sync

from dask_tapestry.basic_errors import TapestryError
from dask_tapestry.command.declared_machines import KEY, add_resources, declared_of
from dask_tapestry.command.main import CommandError, UsageError
from dask_tapestry.command.script import Script
from dask_tapestry.command.stand_ins import standing_in
from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.diagnostics.page import plan_page
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.diagnostics.plan_summary_json import as_json
from dask_tapestry.diagnostics.users_code import users_code
from dask_tapestry.errors import StoreNotFoundError
from dask_tapestry.lower.dask_private import DataNode
from dask_tapestry.lower.dry_run_state import dry_run
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.plan_json import dumps


class NeededError(BaseException):
    """A script needs what only running it gives. No ``except Exception`` of a script hears it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Have the parser take what `main` reads."""
    parser.usage = "dask-tapestry plan script.py [options] [script's arguments] [-- more of them]"
    parser.description = (
        "Execute a script; what it would compute, persist or write is planned and printed with its "
        "line instead. Clients and clusters are not started, stores neither made nor changed. At "
        "the first value that the script needs it ends, with exit code 3."
    )
    parser.add_argument("script", help="the script; what is no option of ours is handed to it")
    add_resources(parser)
    parser.add_argument("--save", metavar="FOLDER", type=Path, help="plan-1.json, plan-1.html, ...")


def main(told: argparse.Namespace) -> int:
    """Plan the script; 3 if it needs a value."""
    script = Script(told.script, told.arguments)
    return planned_script(script, ScriptPlanner(script, declared_of(told), told.save))


def planned_script(script: Script, planner: ScriptPlanner) -> int:
    """Have a planner told what a script would run; return the exit code."""
    try:
        with (
            dask.config.set({KEY: planner.declared, "scheduler": planner.refuse_others}),
            standing_in(planner.needed),
            dry_run(planner.report),
            planner.instead_of_schedulers(),
        ):
            code = script.run(planner.failed)
    except NeededError as needed:
        print(f"{script.name}:{needed}: what follows cannot be planned", file=sys.stderr)
        return 3
    if not planner.count and not code:
        print(f"{script.name} computes and writes nothing with dask_tapestry", file=sys.stderr)
    return code


class ScriptPlanner:
    """Plans what a script would run, and prints it.

    Parameters
    ----------
    script
        The script.
    declared
        The machines to plan for; None for those that the script declares.
    folder
        Where plans and their pages are saved; None for nowhere.
    """

    def __init__(self, script: Script, declared: Resources | None, folder: Path | None) -> None:
        self.script, self.declared, self.folder = script, declared, folder
        self.count = 0
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"cannot make {folder}: {error.strerror}") from None

    def needed(self, what: str) -> NeededError:
        """What stops the script, as it needs `what`."""
        return NeededError(f"{self.script.line()}: the script needs {what}")

    def report(self, plan: PlannedGraph, results: ResultMemory, for_dask: bool) -> None:
        """Show a plan that would run; stop where its values are needed."""
        self.show(plan, results)
        if for_dask:
            raise self.needed("tasks for Dask, which runs them itself")
        writes = [plan.is_effect(node) for node in plan.graph.roots]
        if not all(writes) and results is not ResultMemory.KEPT:
            raise self.needed("this value")

    def show(self, plan: PlannedGraph, results: ResultMemory) -> None:
        """Print a plan, and save it."""
        if self.folder is not None or self.declared not in (None, plan.resources):
            plan = build_plan(plan.written.roots, self.declared or plan.resources)
        plan.verify_once(results)
        self.count += 1
        writes = [plan.is_effect(node) for node in plan.graph.roots]
        keeps = "keeps" if results is ResultMemory.KEPT else "computes"
        does = "writes" if all(writes) else keeps
        print(f"plan {self.count}, {self.script.name}:{self.script.line()} {does}")
        print(explain(plan), end="\n\n", flush=True)
        self._save(plan)

    def failed(self, error: Exception) -> int | None:
        """Tell of an error of the library in a line; 3 where a store that is planned is read."""
        if not isinstance(error, TapestryError):
            return None
        text = f"{self.script.name}:{self.script.line_of(error)}: {type(error).__name__}: {error}"
        awaited = isinstance(error, StoreNotFoundError) and self.count > 0
        if awaited:
            text += "\nif a write that was planned above would make it, what follows is not known"
        print(text, file=sys.stderr)
        return 3 if awaited else 1

    def _save(self, plan: PlannedGraph) -> None:
        if self.folder is None:
            return
        name = self.folder / f"plan-{self.count}"
        try:
            known = told_whole(plan)
            name.with_suffix(".json").write_text(dumps(plan, as_json(known)), "utf-8")
            name.with_suffix(".html").write_text(plan_page(known, code=users_code), "utf-8")
        except OSError as error:
            raise CommandError(f"cannot save the plan: {error}") from None

    def refuse_others(self, dsk: Any, keys: Any, **kwargs: Any) -> Any:
        """A scheduler for Dask that knows what is done, and computes nothing."""
        tasks = dsk.__dask_graph__() if hasattr(dsk, "__dask_graph__") else dsk
        if not all(isinstance(task, DataNode) for task in dict(tasks).values()):
            raise self.needed("what Dask computes of another library's arrays")
        return get_sync(dict(tasks), keys)

    @contextmanager
    def instead_of_schedulers(self) -> Iterator[None]:
        """Inside a ``with`` block, all schedulers that Dask knows by name compute nothing."""
        before = dict(named_schedulers)
        named_schedulers.update(dict.fromkeys(before, self.refuse_others))
        try:
            yield
        finally:
            named_schedulers.update(before)

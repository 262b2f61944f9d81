"""A job: what runs when a plan is computed, described as plain data for those who watch it.

It travels with the layers to the scheduler: names of groups of tasks, words, lines and predicted
amounts, a few hundred bytes for each step. Nobody is asked, nothing is counted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import PurePath
from time import time
from typing import Any, Final

from dask.highlevelgraph import HighLevelGraph

from dask_tapestry.lower.layers import FinishLayer, GatherLayer
from dask_tapestry.lower.slices import SliceLayer
from dask_tapestry.lower.tuning import MOST_STEPS_DESCRIBED
from dask_tapestry.planner.cost.group_names import group_name
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Node, Sink
from dask_tapestry.teg.token import token

Job = dict[str, Any]
ENDS: Final = (FinishLayer, GatherLayer)  # whose tasks are results that futures stand for
KINDS: Final = {"compute": "compute", "network": "network", "store": "store", "overhead": "tasks"}


def describe(plan: PlannedGraph, names: Mapping[Node, str], graph: HighLevelGraph, run: str) -> Job:
    """Describe a compute of `plan`.

    Parameters
    ----------
    names
        What layers of roots are called, where not as their steps.
    graph
        The layers.
    run
        Name of the compute.
    """
    steps = dict(list(plan.steps.items())[:MOST_STEPS_DESCRIBED])
    number = {node: i for i, node in enumerate(steps)}
    slices: dict[str, list[str]] = {}
    for layer in graph.layers.values():
        if isinstance(layer, SliceLayer):
            slices.setdefault(layer.reader.name, []).append(layer.name)
    step_entries = [
        {
            **step_told(step),
            "name": names.get(node, step.name),
            "slices": slices.get(step.name, []),
            "reads": [number[x] for x in step.inputs if x in number],
        }
        for node, step in steps.items()
    ]
    resources = plan.resources
    return {
        "id": run,
        "plan": fingerprint(plan),
        "made": time(),
        "title": title_of(step_entries),
        "workers": resources.workers,
        "threads": resources.threads,
        "memory": resources.memory_bytes,
        "bound": int(plan.cost["peak_worker_bytes"]),
        "seconds": sum(step["seconds"] for step in step_entries),
        "steps": step_entries,
        "also": [one.name for one in graph.layers.values() if isinstance(one, ENDS)],
    }


def fingerprint(plan: PlannedGraph) -> str:
    """What plans have in common that compute the same values by the same cuts."""
    nodes = [(step.node, step.cuts) for step in plan.steps.values()]  # over slots, or over data
    text = " ".join(f"{node.operator.label} {node.type} {token(cuts)}" for node, cuts in nodes)
    written = " ".join(root.digest for root in plan.written.roots)
    return blake2b(f"{text} {written}".encode(), digest_size=12).hexdigest()


def step_told(step: Step) -> dict[str, Any]:
    """What is told of a step: words, line, and what it is predicted to take."""
    cost = step.cost
    return {
        "words": words_of(step),
        "line": line_of(step),
        "type": str(step.node.type),
        "grid": f"[{', '.join(map(str, step.cuts)) or 'one cell'}]",
        "blocks": step.count,
        "seconds": float(cost.seconds),
        "kinds": {name: float(getattr(cost, field)) for field, name in KINDS.items()},
        "result": 0 if isinstance(step.node.operator, Sink) else int(step.node.type.nbytes),
        "read": round(cost.read),
        "moved": round(cost.moved),
        "written": round(cost.written),
        "work": int(cost.work),
    }


def words_of(step: Step) -> str:
    """The words of the user for what a step computes: ``mean, std``."""
    return group_name(step.node, step.members).replace("-", ", ")


def line_of(step: Step) -> str:
    """File and number of the user's line, the file without its folder; "" if none is known."""
    lines = [x.line for x in (step.node, *reversed(step.members)) if x.line]
    return PurePath(lines[0]).name if lines else ""


def title_of(steps: list[dict[str, Any]]) -> str:
    """A job by its last step, as a user would point at it."""
    return label_of(steps[-1]) if steps else "nothing to compute"


def label_of(step: Mapping[str, Any]) -> str:
    """Words and line of a step: ``mean, std · job.py:6``."""
    return f"{step['words']} · {step['line']}" if step["line"] else str(step["words"])

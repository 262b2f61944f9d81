"""All of Dask's private interface that this library uses, in one place.

Tested with Dask 2026.8. Everything else imports these names from here.
"""

import sys
from typing import Any

from dask._expr import Expr, HLGExpr
from dask._expr import _ExprSequence as ExprSequence
from dask._expr import _HLGExprSequence as HLGExprSequence
from dask._task_spec import DataNode, GraphNode, Task, TaskRef, convert_legacy_graph
from dask._task_spec import List as TaskList
from dask.highlevelgraph import HighLevelGraph

__all__ = [
    "DataNode",
    "Expr",
    "ExprSequence",
    "GraphNode",
    "HLGExpr",
    "HLGExprSequence",
    "HighLevelGraph",
    "Task",
    "TaskList",
    "TaskRef",
    "convert_legacy_graph",
    "live_clients",
]


def live_clients() -> list[Any]:
    """All clients of distributed in this process that are not closed."""
    module = sys.modules.get("distributed.client")
    instances = module.Client._instances if module is not None else ()
    return [client for client in instances if client.status == "running"]

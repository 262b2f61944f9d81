"""All of Dask's private interface that this library uses, in one place.

Tested with Dask 2026.8. Everything else imports these names from here.
"""

from dask._expr import Expr, HLGExpr
from dask._expr import _ExprSequence as ExprSequence
from dask._expr import _HLGExprSequence as HLGExprSequence
from dask._task_spec import DataNode, GraphNode, Task, TaskRef, convert_legacy_graph
from dask._task_spec import List as TaskList

__all__ = [
    "DataNode",
    "Expr",
    "ExprSequence",
    "GraphNode",
    "HLGExpr",
    "HLGExprSequence",
    "Task",
    "TaskList",
    "TaskRef",
    "convert_legacy_graph",
]

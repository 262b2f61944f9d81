"""All of Dask's private interface that this library uses, in one place.

Tested with Dask 2026.8. Everything else imports these names from here.
"""

from dask._expr import Expr as Expr
from dask._expr import HLGExpr as HLGExpr
from dask._expr import _ExprSequence as ExprSequence
from dask._expr import _HLGExprSequence as HLGExprSequence
from dask._task_spec import DataNode as DataNode
from dask._task_spec import GraphNode as GraphNode
from dask._task_spec import List as TaskList
from dask._task_spec import Task as Task
from dask._task_spec import TaskRef as TaskRef
from dask._task_spec import convert_legacy_graph as convert_legacy_graph

"""Rule on sorts of lanes that are too long, or too few, for one block each: columnsort."""

from __future__ import annotations

from dask_tapestry.operators.columnsort import columnsort
from dask_tapestry.operators.order_statistics import OrderStatistics, picked
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.sort import ArgSort, Sort
from dask_tapestry.teg import Node, apply


def split_sort(node: Node, columns: int) -> Node | None:
    """``sort(x) -> columnsort(x)``, ``argsort(x) -> columnsort(x).place``.

    ``orderstatistics(x, ranks) -> columnsort(x)[ranks]``
    """
    match node.operator:
        case OrderStatistics(axis, chosen) if columns > 1:
            whole = split_sort(apply(Sort(axis), *node.inputs, line=node.line or ""), columns)
            assert whole is not None
            return picked(whole, chosen, axis)
        case Sort(axis, in_runs=False) | ArgSort(axis) if columns > 1:
            last = [dim for dim in range(node.type.ndim) if dim != axis] + [axis]
            back = [last.index(dim) for dim in range(node.type.ndim)]
            x = permute(node.inputs[0], last)
            return permute(columnsort(x, columns, isinstance(node.operator, ArgSort)), back)
    return None

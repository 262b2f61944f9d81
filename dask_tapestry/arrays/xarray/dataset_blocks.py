"""`xarray.map_blocks` over arrays of this library: it writes a Dask graph, which is taken back."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import from_dask_array
from dask_tapestry.arrays.core.several_arrays import Several, SeveralExpr, planned_together

Function = Callable[..., Any]


def taking_back(map_blocks: Function) -> Function:
    """Let xarray's `map_blocks` return arrays of this library where it was given some.

    Parameters
    ----------
    map_blocks
        That of xarray, which makes arrays of Dask's out of the blocks of others.

    Returns
    -------
    Callable
        Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(map_blocks)
    def taken(func: Function, obj: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
        result = map_blocks(func, obj, args, *rest, **options)
        given = [v for x in (obj, *args) for v in _variables(x)]
        if any(isinstance(variable.data, Array) for variable in given):
            result = result.copy(deep=False)
            for variable in _variables(result):
                if hasattr(variable.data, "__dask_graph__"):
                    variable.data = from_dask_array(variable.data)
        return result

    return taken


def of_one_plan(graph: Function) -> Function:
    """Let a dataset's arrays of this library be planned together for its Dask graph.

    Parameters
    ----------
    graph
        ``__dask_graph__`` of xarray's datasets, which merges the graph of each variable.

    Returns
    -------
    Callable
        Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(graph)
    def planned(dataset: Any) -> Any:
        held = [variable._data for variable in dataset.variables.values()]
        planned_together([data for data in held if isinstance(data, Array)])
        return graph(dataset)

    return planned


def as_one_expression(exprs: Function) -> Function:
    """Let datasets that hold arrays of this library be planned with what is computed beside them.

    Parameters
    ----------
    exprs
        ``__dask_exprs__`` of xarray's datasets.

    Returns
    -------
    Callable
        Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(exprs)
    def gathered(dataset: Any) -> Any:
        held = [variable._data for variable in dataset.variables.values()]
        arrays = [data for data in held if isinstance(data, Array)]
        return [SeveralExpr(Several(dataset, arrays))] if arrays else exprs(dataset)

    return gathered


def _variables(x: Any) -> list[Any]:
    """The variables and coordinates of a Dataset or a DataArray; none of anything else."""
    if not hasattr(x, "coords"):
        return []
    lone = [x.variable] if hasattr(x, "variable") else [v.variable for v in x.data_vars.values()]
    return lone + [coordinate.variable for coordinate in x.coords.values()]

"""`xarray.map_blocks` over arrays of this library: it writes a Dask graph, which is taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import from_dask_array
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.mixed_collections import MixedCollection, MixedExpr, planned_together
from dask_tapestry.arrays.xarray.template_function import (
    TemplateFunction,
    dims_of,
    dtypes_of,
    lengths_of,
)

Function = Callable[..., Any]


def returning_blocks(map_blocks: Function) -> Function:
    """Let xarray's `map_blocks` return arrays of this library where it was given some.

    {Parameters} map_blocks: That of xarray, which makes arrays of Dask's out of the blocks of
        others.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(map_blocks)
    def map_variables(
        func: Function, obj: Any, args: Any = (), kwargs: Any = None, template: Any = None
    ) -> Any:
        given = [v for x in (obj, *args) for v in _variables(x)]
        chunked = {dim for variable in given if variable.chunks for dim in variable.dims}
        if not any(isinstance(variable.data, Array) for variable in given):
            return map_blocks(func, obj, args, kwargs, template)
        template = _with_whole_dims(template, chunked)
        lengths = lengths_of(template, (obj, *args))
        checked = TemplateFunction(func, dtypes_of(template), dims_of(template), lengths)
        result = map_blocks(checked, obj, args, kwargs, template).copy(deep=False)
        for variable in _variables(result):
            if hasattr(variable.data, "__dask_graph__"):
                variable.data = from_dask_array(variable.data)
        return result

    return map_variables


def _with_whole_dims(template: Any, chunked: Collection[Any]) -> Any:
    """A template of which dimensions that are not `chunked` in what is given are one chunk.

    So is what xarray's graph makes of them: one block of the inputs makes one of the output. What
    our arrays say of a dimension that none of them has given, as of one that is broadcast, is a
    chunk of canonical length.
    """
    if not _variables(template):
        return template
    template = template.copy(deep=False)
    for variable in _variables(template):
        if isinstance(variable.data, Array):
            chunks = zip(variable.dims, variable.shape, variable.chunks, strict=True)
            own = tuple([one if dim in chunked else (n,) for dim, n, one in chunks])
            variable.data = with_chunks(variable.data, own)
    return template


def of_one_plan(graph: Function) -> Function:
    """Let a dataset's arrays of this library be planned together for its Dask graph.

    {Parameters} graph: ``__dask_graph__`` of xarray's datasets, which merges the graph of each
        variable.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(graph)
    def planned(dataset: Any) -> Any:
        held = [variable._data for variable in dataset.variables.values()]
        planned_together([data for data in held if isinstance(data, Array)])
        return graph(dataset)

    return planned


def as_one_expression(exprs: Function) -> Function:
    """Let datasets that hold arrays of this library be planned with what is computed beside them.

    {Parameters} exprs: ``__dask_exprs__`` of xarray's datasets.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(exprs)
    def gathered(dataset: Any) -> Any:
        held = [variable._data for variable in dataset.variables.values()]
        arrays = [data for data in held if isinstance(data, Array)]
        return [MixedExpr(MixedCollection(dataset, arrays))] if arrays else exprs(dataset)

    return gathered


def _variables(x: Any) -> list[Any]:
    """The variables and coordinates of a Dataset or a DataArray; none of anything else."""
    if not hasattr(x, "coords"):
        return []
    lone = [x.variable] if hasattr(x, "variable") else [v.variable for v in x.data_vars.values()]
    return lone + [coordinate.variable for coordinate in x.coords.values()]

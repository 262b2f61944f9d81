"""Names of values that every process finds: functions by their code, arrays by their cells.

`token` tells the values of one process apart, and knows data by numbers of their own. Here a value
has a text that is the same wherever it is made again, or none at all: then the error says of what.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final
from uuid import uuid4

import numpy as np

from dask_tapestry.io.resuming.named_code import (
    class_parts,
    code_parts,
    function_parts,
    library_version,
    module_parts,
)
from dask_tapestry.io.sources.cells_digest import cells_digest
from dask_tapestry.io.sources.coerce import is_zarr_array
from dask_tapestry.io.sources.hdf5_source import is_dataset, source_of_dataset
from dask_tapestry.io.sources.zarr_source import source_of_array
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.random.random_bits import Stream
from dask_tapestry.teg import Node, Sink, Source
from dask_tapestry.teg.node import topological
from dask_tapestry.teg.origin import TO_ZARR, UnnamedError
from dask_tapestry.teg.stored_names import stored_name

PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice)
DESCRIBED: Final = (  # functions that are not Python's: known by the name that they have
    BuiltinFunctionType,
    np.ufunc,
    type(str.join),
    type(int.__add__),
)
SEEDED: Final = "give the generator a seed, as dt.random.default_rng(0)"
AS_ARGUMENT: Final = (
    "give what it holds as numbers, texts or arrays, or its class a method __dask_tokenize__ that "
    "returns what tells it from others"
)

Parts = tuple[Any, ...]


class Names:
    """Writes values as texts; what is met again is told by its place among those that were met."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._kept: list[object] = []  # so that nothing else gets their numbers
        self._forms: dict[str, str] = {}

    def of(self, value: object) -> str:
        """Text of a value.

        Raises
        ------
        UnnamedError
            If something that it holds has none; it names that.
        """
        kind = type(value)
        if kind in PLAIN:
            return f"{kind.__name__} {value!r}"
        if isinstance(value, np.ndarray | np.generic):
            return f"cells {cells_digest(np.asarray(value))}"
        if isinstance(value, np.dtype):
            return f"dtype {value if value.names else value.str}"
        if isinstance(value, tuple):
            if isinstance(value, Stream) and not value.seeded:
                raise UnnamedError("random numbers of a seed that the system chose", SEEDED)
            return f"{self._head(kind)}({self.all(value)})"
        if isinstance(value, frozenset | set):
            return f"set({' '.join(sorted(map(self.of, value)))})"
        if isinstance(value, Enum):
            return f"{self._head(kind)}.{value.name}"
        if id(value) in self._met:
            return f"met {self._met[id(value)]}"
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        return self._of_object(value)

    def all(self, values: Iterable[object]) -> str:
        """Texts of values."""
        return " ".join([self.of(value) for value in values])

    def graph(
        self, roots: Iterable[Node], slots: Iterable[Node] = (), bare: bool = False
    ) -> tuple[str, list[Node]]:
        """Text of the graph of `roots`, and the sources that it reads.

        Where `bare`, sources are known by their types alone; so are `slots` always.
        """
        roots, open_ends = list(roots), set(slots)
        order = topological(roots)
        position = {node: number for number, node in enumerate(order)}
        sources = [n for n in order if isinstance(n.operator, Source) and n not in open_ends]
        rows = []
        for node in order:
            ends = ([position[x] for x in node.inputs], [position[x] for x in node.after])
            rows.append(f"{self._form(node, bare or node in open_ends)} {ends}")
        return "\n".join([*rows, str([position[root] for root in roots])]), sources

    def _form(self, node: Node, bare: bool) -> str:
        operator = node.operator
        if isinstance(operator, Source):
            text = f"{operator.name} {node.type} {operator.chunks} {operator.layout}"
            return text if bare else f"{text} {operator.origin()}"
        if isinstance(operator, Sink):
            return f"{operator.name} {operator.text()}"
        if node.form not in self._forms:
            self._forms[node.form] = self._in(operator.label, self._own, operator)
        return self._forms[node.form]

    def _of_object(self, value: Any) -> str:
        """Text of an object that was not met before."""
        match value:
            case dict():
                return f"dict({self.all(value.items())})"
            case list():
                return f"list({self.all(value)})"
            case UserFunction():
                return self._in(f"function {value.name}", self.of, value.function)
            case FunctionType():
                name = value.__name__
                return f"function({self._in(f'function {name}', self.all, function_parts(value))})"
            case MethodType():
                return f"method({self.all((value.__self__, value.__func__))})"
            case partial():
                return f"partial({self.all((value.func, value.args, value.keywords))})"
            case CodeType():
                return f"code({self.all(code_parts(value))})"
            case ModuleType():
                return f"module{module_parts(value)}"
            case type():
                return f"class({self._in(f'class {value.__name__}', self.all, class_parts(value))})"
        if isinstance(value, DESCRIBED):
            return self._described(value)
        return self._of_instance(value)

    def _described(self, value: Any) -> str:
        owner = getattr(value, "__self__", None)
        name = getattr(value, "__qualname__", value.__name__)
        module = getattr(value, "__module__", None) or getattr(value, "__objclass__", "")
        whose = "" if owner is None or isinstance(owner, ModuleType) else self.of(owner)
        return f"{module} {name} {whose}"

    def _of_instance(self, value: Any) -> str:
        kind, node = type(value), getattr(value, "node", None)
        if isinstance(value, Node | Source):
            node = value
        if isinstance(node, Source):
            return node.origin()
        if isinstance(node, Node):
            return f"graph({self.graph([node])[0]})"
        if is_zarr_array(value):
            return source_of_array(value, Location.of(value, None, uuid4().hex)).origin()
        if is_dataset(value):
            return source_of_dataset(value, None).origin()
        if hasattr(value, "__dask_graph__") or kind.__module__.startswith("distributed."):
            raise UnnamedError("results of other tasks cannot be identified", TO_ZARR)
        if hasattr(kind, "__dask_tokenize__"):
            return f"{self._head(kind)}({self.of(value.__dask_tokenize__())})"
        if is_dataclass(value) and kind.__module__.startswith("dask_tapestry"):
            return self._own(value)
        inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
        if callable(inner):  # what numba compiles, what functools keeps results of
            return f"{kind.__module__}.{kind.__qualname__}({self.of(inner)})"
        return self._reduced(value)

    def _own(self, value: Any) -> str:
        """Text of a dataclass of this library."""
        parts = [(f.name, getattr(value, f.name)) for f in fields(value) if f.compare]
        return f"{self._head(type(value))}({self.all(parts)})"

    def _reduced(self, value: Any) -> str:
        """Text of an object as it is pickled: its class, and its state."""
        kind = type(value)
        try:
            told = copyreg.dispatch_table.get(kind)
            how = value.__reduce_ex__(4) if told is None else told(value)
        except Exception as error:
            what = f"an object of {kind.__module__}.{kind.__qualname__} has no name ({error})"
            raise UnnamedError(what, AS_ARGUMENT) from error
        if isinstance(how, str):
            return f"{kind.__module__} {how} {library_version(kind.__module__)}"
        make, arguments, *more = how
        items = [list(part) if part is not None else None for part in more[1:3]]
        return f"object({self.all((make, arguments, *more[:1], *items))})"

    def _head(self, kind: type) -> str:
        return "" if kind is tuple else stored_name(kind)

    def _in(self, what: str, write: Callable[[Any], str], value: Any) -> str:
        """Text of a value; errors within say of what it is a part."""
        try:
            return write(value)
        except UnnamedError as error:
            raise UnnamedError(f"{error.what}, in {what}", error.way) from error

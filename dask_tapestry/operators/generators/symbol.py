"""Symbol: what a function is traced with, a value that has no cells yet."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from dask_tapestry.errors import TraceError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, Tensor, TensorType, apply
from dask_tapestry.zspace import ZRange

Answer = Callable[[Tensor], Any]
answering: ContextVar[Answer | None] = ContextVar("answering", default=None)


@dataclass(frozen=True)
class Symbol(Source):
    """A tensor that stands for many: a cell of each place, or the number of each thread.

    `vectorized_trace` replaces it by the tensor of all of them.

    Attributes
    ----------
    what
        What errors call it: ``"a cell"``.
    advice
        What to do instead of asking for its value.
    identity
        Tells it from the symbols of other traces.
    type
        Of its cells.
    """

    name = "symbol"
    what: str
    advice: str
    identity: str
    type: TensorType

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    def text(self) -> str:
        return self.what

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        raise TraceError(f"{self.what} has no value yet: {self.advice}")


def symbol(what: str, advice: str, dtype: Any, shape: tuple[int, ...] = ()) -> Tensor:
    """Return a new symbol of `shape` and `dtype`."""
    return apply(Symbol(what, advice, uuid4().hex, TensorType(shape, dtype)))


def known_while_traced(value: Tensor) -> Any:
    """The value for all that symbols stand for, where the trace that is going on knows it."""
    answer = answering.get()
    return None if answer is None else answer(value)

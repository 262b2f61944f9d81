"""Nodes of an expression graph: immutable, interned by value, pickled as a flat table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from contextvars import ContextVar
from hashlib import blake2b
from threading import Lock
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from dask_tapestry.errors import DeviceError, DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.settings import setting
from dask_tapestry.teg.annotations import NONE, Annotations, annotations_in_force
from dask_tapestry.teg.chunking import Known
from dask_tapestry.teg.operator import Formats, Operator
from dask_tapestry.teg.token import token
from dask_tapestry.teg.types import TensorType
from dask_tapestry.teg.users_line import users_line
from dask_tapestry_kernels.block_format import BlockFormat, device_among
from dask_tapestry_kernels.device_error import KernelDeviceError

Application = tuple[str, tuple["Node", ...], tuple["Node", ...], str]  # what makes it another node
_interned: WeakValueDictionary[Application, Node] = WeakValueDictionary()
_lock = Lock()
Origin = tuple[str | None, Annotations]  # line, None for the user's that runs now
_origin: ContextVar[Origin | None] = ContextVar("origin", default=None)  # of a rewritten node

Row = tuple[Operator, tuple[int, ...], tuple[int, ...], str | None, Annotations]


class Node:
    """An operator applied to tensors, or a sequence point.

    Two nodes with the same operator, inputs, ordering and annotations are the same object. `line`,
    where the user wrote it, is kept beside the identity. A node is its output tensor; where a
    tensor is meant, the code says so by the name `Tensor`.

    Attributes
    ----------
    operator, inputs, after
        What is applied, to which tensors, after which sequence points.
    annotations
        What the user said of it by `dask.annotate`.
    type
        Type of the output; of a sink, of what it writes.
    digest
        Text that equals another node's exactly when the nodes are equal, in any process; written
        when it is first asked for.
    form
        The same of the operator alone.
    input_types
        Types of the inputs.
    is_sequence_point
        Whether it orders effects and carries no data.
    stored
        The grid in which its data is stored; `stored_grid` notes it here when first asked.
    format
        What blocks are held in that tasks hand on, and the result; None for NumPy's arrays.
    is_met
        Whether a small job of this process has computed it; `values_met_again` notes it here.
    """

    __slots__ = (
        "__weakref__",
        "_digest",
        "after",
        "annotations",
        "form",
        "format",
        "input_types",
        "inputs",
        "is_met",
        "is_sequence_point",
        "line",
        "operator",
        "stored",
        "type",
    )

    operator: Operator
    inputs: tuple[Node, ...]
    after: tuple[Node, ...]
    type: TensorType
    input_types: tuple[TensorType, ...]
    is_sequence_point: bool
    form: str
    line: str | None  # a `UsersLine` where the user wrote it
    annotations: Annotations
    stored: Known | None
    format: BlockFormat | None
    is_met: bool
    _digest: str | None

    @property
    def digest(self) -> str:
        """Text of the node, for which those of all that it needs are written first."""
        stack = [self] if self._digest is None else []
        while stack:
            node = stack[-1]
            unknown = [x for x in (*node.inputs, *node.after) if x._digest is None]
            stack.extend(unknown)
            if not unknown:
                node._digest = _digest(node.form, node.inputs, node.after, node.annotations)
                stack.pop()
        assert self._digest is not None
        return self._digest

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_last, (table([self]),)

    def __repr__(self) -> str:
        return f"<{self.operator.name} {self.type}>"


Tensor = Node


@dataclass(frozen=True)
class SequencePoint(Operator):
    """Orders effects: nodes that name it in `after` start when all nodes in its own have ended.

    Source: Tapestry whitepaper, "Sequence Point Nodes".
    """

    name = "sequence"
    kernel = "none"
    category = "sequence"

    def infer(self, *inputs: TensorType) -> TensorType:
        return NO_DATA

    def demand(self, inputs: tuple[TensorType, ...], box: Any) -> tuple[Any, ...]:
        return ()

    def __reduce__(self) -> str:
        return "SEQUENCE_POINT"


NO_DATA: Final = TensorType((), np.dtype("V0"))
SEQUENCE_POINT: Final = SequencePoint()


def apply(
    operator: Operator,
    *inputs: Tensor,
    after: Sequence[Node] = (),
    line: str | None = None,
    form: str | None = None,
) -> Tensor:
    """Apply `operator` to `inputs`; the same application twice is the same node.

    It has the annotations of the node that is rewritten, else those in force.

    Parameters
    ----------
    line
        Where the user wrote it; by default that is looked for.
    form
        The operator's `form_of`, where that is known.

    Raises
    ------
    ShapeError, DTypeError
        Where the inputs do not fit the operator.
    """
    origin = _origin.get()
    annotations = annotations_in_force() if origin is None else origin[1]
    if origin is None and len(inputs) > 1:
        operator.require_names(tuple([i.type for i in inputs]))
    form = form_of(operator) if form is None else form
    return _applied(operator, form, inputs, tuple(after), line, annotations)


def form_of(operator: Operator) -> str:
    """A digest that equal operators share, and no others."""
    return form_of_token(token(operator))


def form_of_token(text: str) -> str:
    """The `form_of` of the operator whose token this is."""
    return _shortened(text)


def _applied(
    operator: Operator,
    form: str,
    inputs: tuple[Node, ...],
    after: tuple[Node, ...],
    line: str | None,
    annotations: Annotations,
) -> Tensor:
    """The node, which is known or made; `form` is the operator's."""
    application = form, inputs, after, annotations.text
    known = _interned.get(application)
    if known is not None:
        return known
    node = Node.__new__(Node)
    node.operator, node.inputs, node.after = operator, inputs, after
    node.form, node._digest, node.annotations = form, None, annotations
    if not operator.any_cells:
        _refuse_references(operator, inputs)
    node.input_types = tuple([i.type for i in inputs])
    node.is_sequence_point = isinstance(operator, SequencePoint)
    node.type = operator.infer(*node.input_types)
    node.line = line if line is not None else user_line()
    node.stored = None
    node.is_met = False
    node.format = _format(operator, node)
    with _lock:
        return _interned.setdefault(application, node)


def _format(operator: Operator, node: Node) -> BlockFormat | None:
    """The format of a value, where arrays of that format can have its shape and cells."""
    formats = tuple([x.format for x in node.inputs])
    block_format = _device_read(operator, formats) if any(formats) else None
    if block_format is None:
        block_format = operator.format_of(node.input_types, formats)
    if block_format is None or not isinstance(node.type.dtype, np.dtype):
        return block_format  # of several outputs each is there
    fields = operator.hands_fields and block_format.holds(node.type.dtype)
    return block_format if fields or block_format.takes(node.type.ndim, node.type.dtype) else None


def _device_read(operator: Operator, formats: Formats) -> BlockFormat | None:
    """The device on which what it reads lies; None if it need not be computed there."""
    if operator.sets_format:
        return None
    try:
        return device_among(formats)
    except KernelDeviceError as error:
        raise DeviceError(f"{operator.label}: {error}") from None


def device_of(node: Node) -> BlockFormat | None:
    """The device that computes a node; None for the host.

    It is where its value lies or, where no array there can hold that, where its inputs do.
    """
    if node.format is not None and node.format.on_device:
        return node.format
    formats = tuple([x.format for x in node.inputs])
    return _device_read(node.operator, formats) if any(formats) else None


def _refuse_references(operator: Operator, inputs: tuple[Node, ...]) -> None:
    """Refuse cells that lie outside of their arrays where a kernel works on plain ones alone."""
    for x in inputs:
        if x.type.dtype.hasobject:
            raise DTypeError(
                f"{operator.label} takes no cells of {x.type.dtype}: convert them first, with "
                "astype, or call a function of blocks by `map_blocks`"
            )


def reapply(
    node: Node,
    inputs: Sequence[Node],
    after: Sequence[Node] = (),
    annotations: Annotations | None = None,
) -> Node:
    """The operator of `node` applied to other inputs, where the user wrote it.

    It keeps its annotations, unless others are given.
    """
    said = node.annotations if annotations is None else annotations
    inputs, after = tuple(inputs), tuple(after)
    is_same = inputs == node.inputs and after == node.after
    if is_same and (said is node.annotations or said == node.annotations):
        return node
    return _applied(node.operator, node.form, inputs, after, node.line or "", said)


def is_interned(node: Node) -> bool:
    """Whether `node` is the one node of its application."""
    form = form_of(node.operator)
    digest = _digest(form, node.inputs, node.after, node.annotations)
    application = form, node.inputs, node.after, node.annotations.text
    return digest == node.digest and _interned.get(application) is node


def sequence_point(*after: Node) -> Node:
    """Return a node that stands for the end of all nodes in `after`."""
    return apply(SEQUENCE_POINT, after=after)


def _digest(
    form: str, inputs: Sequence[Node], after: Sequence[Node], annotations: Annotations
) -> str:
    said = ("said", annotations.text) if annotations else ()
    ends = [i.digest for i in inputs], [a.digest for a in after]
    return _shortened(" ".join((form, *ends[0], "after", *ends[1], *said)))


def _shortened(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


class written_as:  # noqa: N801  (a context manager, entered for every node that is rewritten)
    """Give nodes made inside the user's line and annotations of `node`; not those of this code.

    With None they have no annotations, and the line that runs.
    """

    __slots__ = ("origin", "token")

    def __init__(self, node: Node | None) -> None:
        self.origin = (None, NONE) if node is None else (node.line or "", node.annotations)

    def __enter__(self) -> None:
        self.token = _origin.set(self.origin)

    def __exit__(self, *error: object) -> None:
        _origin.reset(self.token)


def user_line() -> str | None:
    """Where the user wrote what is made now, as `users_line` tells; None if lines are not kept."""
    origin = _origin.get()
    if origin is not None and origin[0] is not None:
        return origin[0]
    return users_line(2) if setting("line-numbers") else None


def topological(roots: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """All nodes that `roots` need, each after its inputs and what it must follow.

    Nodes that are `known` are left out, and what these alone need.
    """
    order: list[Node] = []
    state: dict[Node, bool] = {}
    stack = [root for root in roots if root not in known][::-1]
    while stack:
        node = stack[-1]
        if node in state:
            stack.pop()
            if not state[node]:
                state[node] = True
                order.append(node)
            continue
        state[node] = False
        needed = (*node.after[::-1], *node.inputs[::-1]) if node.after else node.inputs[::-1]
        if known:
            stack += [n for n in needed if n not in state and n not in known]
        else:
            stack += [n for n in needed if n not in state]
    return order


def table(roots: Iterable[Node]) -> tuple[Row, ...]:
    """The nodes that `roots` need as rows, which name earlier rows by number.

    Operators of one form are one object, so that they are pickled once.
    """
    order = topological(roots)
    number = {node: i for i, node in enumerate(order)}
    of_form: dict[str, Operator] = {}
    return tuple(
        [
            (
                of_form.setdefault(n.form, n.operator),
                tuple([number[i] for i in n.inputs]),
                tuple([number[a] for a in n.after]) if n.after else (),
                n.line,
                n.annotations,
            )
            for n in order
        ]
    )


def load(rows: Iterable[Row]) -> list[Node]:
    """Make the nodes of a `table` again."""
    nodes: list[Node] = []
    forms: dict[int, tuple[Operator, str]] = {}  # with the operator, whose number is its own so
    for operator, inputs, after, line, said in rows:
        known = forms.get(id(operator))
        if known is None:
            known = forms[id(operator)] = operator, form_of(operator)
        read, ended = tuple([nodes[i] for i in inputs]), tuple([nodes[a] for a in after])
        nodes.append(_applied(operator, known[1], read, ended, line or "", said))
    return nodes


def _load_last(rows: Iterable[Row]) -> Node:
    return load(rows)[-1]

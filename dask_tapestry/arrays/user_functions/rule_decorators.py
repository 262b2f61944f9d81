"""Decorators of rules and mutators: a user's part in rewriting graphs and searching plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from typing import Any, overload

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.user_functions.block_operators import BlockFunction
from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.user.block_function import calls
from dask_tapestry.rewrite.user_rules import RULE_KINDS, OwnMutator, OwnRule, RuleKind, Where
from dask_tapestry.teg import Node, Operator
from dask_tapestry.teg import apply as apply_operator

__all__ = [
    "apply",
    "mutator",
    "rule",
]

On = type[Operator] | str | BlockFunction
RuleFunction = Callable[[Node], "Array | Node | None"]


def rule(
    *, on: On | Sequence[On], kind: RuleKind = "optimisation", times: int | None = None
) -> Callable[[RuleFunction], OwnRule]:
    """Make a rewrite rule of a function of a node; list it in ``config(rules=[...])``.

    The function returns what computes the same value, an array or a node, or None. It may look at
    ``node.operator`` (its ``name`` and parameters), ``node.inputs``, ``node.input_types`` and
    ``node.type`` (``shape``, ``dtype``), and makes arrays of inputs by ``dt.Array(node.inputs[0])``
    and of operators by `apply`. It must depend on the node alone.

    {Parameters}
        on: The operators at which it begins: names as graphs print them, classes of
            `dask_tapestry.operators`, or operators that `block_operator` made; one or several.
        kind: ``"optimisation"``: always better, applied with the built-in rules. ``"semantic"``:
            says what something means; applied before them, to the graph as it was written.
            ``"choice"``: better or not, decided by cost for each node.
        times: How often it goes over the graph, at most once at each node, after the semantic
            rules; by default until it applies no more.
    {Returns} callable: Takes the function and returns the rule.
    {Raises}
        ValueError: For another kind, or `times` below one or for a choice.
        TypeError: If `on` holds none of these.
    {See Also} config, apply, mutator, Plan.trace
    {Examples}
    >>> @dt.rule(on="sort")
    ... def in_order_already(node):
    ...     '''``sort(sort(x)) -> sort(x)``.'''
    ...     (x,) = node.inputs
    ...     return x if x.operator == node.operator else None
    >>> x = dt.sort(dt.asarray([3, 1, 2]))
    >>> with dt.config(rules=[in_order_already]):
    ...     print(dt.sort(x).plan().teg)
    %0 = memory() : int64[3]
    %1 = sort(%0, axis=0) : int64[3]
    return %1
    """
    operators = _places(on)
    if kind not in RULE_KINDS:
        raise ArgumentError(f"kind is one of {RULE_KINDS}, not {kind!r}")
    if times is not None and (kind == "choice" or times < 1):
        raise ArgumentError(
            f"times={times}: a rule goes over a graph once or more, a choice over none"
        )

    def make(function: RuleFunction) -> OwnRule:
        return OwnRule(_Unwrapped(function), operators, kind, times)

    return make


@overload
def mutator(function: Callable[..., Any], /) -> OwnMutator: ...
@overload
def mutator(
    *, applies: Callable[[Any, Node], bool] | None = None, prior: float = 1.0
) -> Callable[[Callable[..., Any]], OwnMutator]: ...
def mutator(
    function: Callable[..., Any] | None = None,
    /,
    *,
    applies: Callable[[Any, Node], bool] | None = None,
    prior: float = 1.0,
) -> OwnMutator | Callable[[Callable[..., Any]], OwnMutator]:
    """Make a mutator of plans of a function; list it in ``config(mutators=[...])``.

    The search for a plan calls it with the state it has, a node of the state's graph and a random
    generator. It returns choices to try instead of ``state.choices``, none of them the state's own.
    One that has led to cheaper plans is called more often.

    {Parameters}
        function: Takes state, node and generator; returns an iterable of choices.
        applies: Takes state and node; says whether it has anything to try. By default it always
            has.
        prior: How often to call it before it has earned anything; built-in ones have 1 each.
    {Returns} OwnMutator, or callable: The mutator; without `function`, what takes the function and
        returns the mutator.
    {Raises}
        TypeError: If `function` is not callable.
        ValueError: If `prior` is not above zero.
    {See Also} rule, config

    Examples
    --------
    >>> import dataclasses
    >>> import dask_tapestry as dt
    >>> @dt.mutator(applies=lambda state, node: node in state.choices.held)
    ... def fuse(state, node, rng):
    ...     held = state.choices.held - {node}
    ...     yield dataclasses.replace(state.choices, held=held)
    >>> fuse
    <mutator fuse>
    """
    if not prior > 0:
        raise ArgumentError(f"prior={prior}: the prior of a mutator must be positive")

    def make(called: Callable[..., Any]) -> OwnMutator:
        if not callable(called):
            raise ArgumentTypeError(f"a function is needed, got {type(called).__name__}")
        return OwnMutator(called, applies, prior)

    return make if function is None else make(function)


def apply(operator: Operator, *inputs: Array | Node, after: Iterable[Array | Node] = ()) -> Array:
    """Apply an operator of the graph language to arrays or nodes.

    Rules need it, as most operators have functions that make them.

    {Parameters}
        operator: An object of a class in `dask_tapestry.operators`, such as ``node.operator``.
        *inputs: What it is applied to.
        after: What it must follow.
    {Returns} Array: The result, lazily.
    {Raises} ShapeError, DTypeError: Where the inputs do not fit the operator.
    {See Also} rule
    {Examples}
    >>> node = dt.arange(6)[::2].node
    >>> dt.apply(node.operator, dt.arange(10, 16)).compute()
    array([10, 12, 14])
    """
    return Array(apply_operator(operator, *map(_node, inputs), after=[*map(_node, after)]))


def _node(x: Array | Node) -> Node:
    return x.node if isinstance(x, Array) else x


class _Unwrapped:
    """A rule's function, whose arrays become nodes."""

    def __init__(self, function: RuleFunction) -> None:
        if not callable(function):
            raise ArgumentTypeError(f"a function is needed, got {type(function).__name__}")
        update_wrapper(self, function)
        self._function = function

    def __call__(self, node: Node) -> Node | None:
        result = self._function(node)
        return result.node if isinstance(result, Array) else result


@dataclass(frozen=True)
class _Called:
    """Whether an operator is one that `block_operator` made, by the name of its function."""

    name: str

    def __call__(self, operator: Operator) -> bool:
        return calls(operator, self.name)


def _places(on: On | Sequence[On]) -> tuple[Where, ...]:
    """The operators at which a rule's pattern may start, as the driver asks for them."""
    listed = [on] if isinstance(on, str | type | BlockFunction) else list(on)
    for one in listed:
        named = isinstance(one, str | BlockFunction)
        if not named and not (isinstance(one, type) and issubclass(one, Operator)):
            raise ArgumentTypeError(f"on: {one!r} is not an operator, nor the name of one")
    return tuple(_Called(o.__name__) if isinstance(o, BlockFunction) else o for o in listed)

"""Rules and mutators of users, and which of them are in force.

The settings ``rules`` and ``mutators`` list them: objects that `dt.rule` and `dt.mutator` make, or
texts ``"module:name"`` that lead to one, as a configuration file has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar, get_args

import cloudpickle

from dask_tapestry.errors import ArgumentTypeError, PlanError
from dask_tapestry.imports import lazy_import, unpickle
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.rewrite.driver import require_type
from dask_tapestry.settings import checked_by, setting
from dask_tapestry.teg import Node, Operator

RuleKind = Literal["semantic", "optimisation", "choice"]
RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
Where = type[Operator] | str | Callable[[Operator], bool]
T = TypeVar("T", bound="OwnRule | OwnMutator")


@dataclass(frozen=True, eq=False)
class OwnRule:
    """A user's rule; `dt.rule` makes it of a function.

    Attributes
    ----------
    function
        Takes a node and returns the node to use instead, or None.
    on
        The operators it begins at: classes, the names that graphs print, or questions to them.
    kind
        ``"semantic"``, ``"optimisation"`` or ``"choice"``.
    times
        How often it goes over a graph; None for until it applies no more.
    """

    function: Callable[[Node], Node | None]
    on: tuple[Where, ...]
    kind: RuleKind
    times: int | None = None

    def __post_init__(self) -> None:
        # What the driver reads of a rule; what is no class is looked at in each call.
        classes = tuple(o for o in self.on if isinstance(o, type))
        operators = classes if len(classes) == len(self.on) else (Operator,)
        vars(self).update(operators=operators, __doc__=self.function.__doc__)

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "rule"))

    def __call__(self, node: Node) -> Node | None:
        """The node to use instead of `node`, or None.

        Raises
        ------
        TypeError
            If it is neither.
        PlanError
            If it has another shape or dtype.
        """
        if not self.begins_at(node):
            return None
        result = self.function(node)
        if result is not None and not isinstance(result, Node):
            raise ArgumentTypeError(
                f"rule {self.__name__}: it returned {type(result).__name__} for {node!r}; a rule "
                "returns an array, a node or None"
            )
        if result is not None:
            require_type(self.__name__, node, result)
        return result

    def begins_at(self, node: Node) -> bool:
        """Whether it looks at nodes of this operator."""
        return any(_matches_operator(node.operator, where) for where in self.on)

    def __repr__(self) -> str:
        return f"<{self.kind} rule {self.__name__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_rule, (cloudpickle.dumps((self.function, self.on)), self.kind, self.times)


def _matches_operator(operator: Operator, where: Where) -> bool:
    if isinstance(where, str):
        return operator.name == where
    return isinstance(operator, where) if isinstance(where, type) else where(operator)


@dataclass(frozen=True, eq=False)
class OwnMutator:
    """A user's mutator of plans in search; `dt.mutator` makes it of a function.

    Attributes
    ----------
    function
        Takes a state of the search, a node and a random generator; returns choices to try.
    applies
        Whether it has moves for a state and a node; None for always.
    prior
        How often it is tried before it has earned anything, built-in ones having 1 each.
    """

    function: Callable[[Any, Node, Any], Iterable[Any]]
    applies: Callable[[Any, Node], bool] | None = None
    prior: float = 1.0

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "mutator"))

    def __call__(self, state: Any, node: Node, rng: Any) -> Sequence[Any]:
        """Choices to try instead of the state's, by a change at `node`."""
        if self.applies is not None and not self.applies(state, node):
            return ()
        return tuple(self.function(state, node, rng))

    def __repr__(self) -> str:
        return f"<mutator {self.__name__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_mutator, (cloudpickle.dumps((self.function, self.applies)), self.prior)


def rules_in_force() -> tuple[OwnRule, ...]:
    """The user's rules, in the order of the setting."""
    return _in_force("rules", OwnRule, "dt.rule")


def mutators_in_force() -> tuple[OwnMutator, ...]:
    """The user's mutators, in the order of the setting."""
    return _in_force("mutators", OwnMutator, "dt.mutator")


def _in_force(key: str, kind: type[T], maker: str) -> tuple[T, ...]:
    listed = setting(key)
    if not listed:
        return ()
    found = tuple(_loaded_name(item) if isinstance(item, str) else item for item in listed)
    for item in found:
        if not isinstance(item, kind):
            raise ArgumentTypeError(f"{key} has {item!r}, which {maker} did not make")
    return found


@checked_by("rules")
def _check_rules(name: str, listed: Any) -> None:
    _check_list(name, listed, OwnRule, "dt.rule")


@checked_by("mutators")
def _check_mutators(name: str, listed: Any) -> None:
    _check_list(name, listed, OwnMutator, "dt.mutator")


def _check_list(name: str, listed: Any, kind: type, maker: str) -> None:
    """Refuse what is no list; what texts lead to is looked at when it is used."""
    if isinstance(listed, str) or not isinstance(listed, Sequence | None):
        raise ArgumentTypeError(f"{name} is a list of what {maker} makes, not {listed!r}")
    for item in listed or ():
        if not isinstance(item, kind | str):
            raise ArgumentTypeError(f"{name} has {item!r}, which {maker} did not make")


def _loaded_name(text: str) -> Any:
    """What ``"module:name"`` stands for."""
    module, _, name = text.partition(":")
    try:
        return getattr(lazy_import(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise PlanError(f"{text!r} leads to nothing: {error}") from error


def _load_rule(payload: bytes, kind: RuleKind, times: int | None) -> OwnRule:
    function, on = unpickle(payload)
    return OwnRule(function, on, kind, times)


def _load_mutator(payload: bytes, prior: float) -> OwnMutator:
    function, applies = unpickle(payload)
    return OwnMutator(function, applies, prior)

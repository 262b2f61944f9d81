"""Rules: functions of a node that say where they begin, and ordered sets of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import TypeVar

from dask_tapestry.teg import Node, Operator

Rule = Callable[..., Node | None]
Shared = Set[Node]  # nodes that are read more than once
R = TypeVar("R", bound=Rule)


def on(*operators: type, sharing: bool = False) -> Callable[[R], R]:
    """Declare that a rule begins at nodes of these `operators` alone.

    Parameters
    ----------
    sharing
        Whether it takes the nodes that are read more than once as its second argument.
    """

    def declare(rule: R) -> R:
        vars(rule).update(operators=operators, sharing=sharing)
        return rule

    return declare


class Rules(tuple[Rule, ...]):
    """Rules in order; for each operator it remembers those that begin at it."""

    _known: dict[type[Operator], tuple[tuple[Rule, bool], ...]]

    def __new__(cls, rules: Iterable[Rule]) -> Rules:
        """Take the rules in the order in which they are tried."""
        made = super().__new__(cls, rules)
        made._known = {}
        return made

    def of(self, operator: type[Operator]) -> tuple[tuple[Rule, bool], ...]:
        """The rules that begin at nodes of this operator, each with whether it takes the shared."""
        if (known := self._known.get(operator)) is None:
            known = tuple((r, takes_shared(r)) for r in self if begins_at(r, operator))
            self._known[operator] = known
        return known

    @property
    def take_shared(self) -> bool:
        """Whether a rule asks which nodes are read more than once."""
        return any(map(takes_shared, self))


def takes_shared(rule: Rule) -> bool:
    """Whether a rule asks which nodes are read more than once."""
    return bool(vars(rule).get("sharing", False))


def begins_at(rule: Rule, operator: type[Operator]) -> bool:
    """Whether a rule may rewrite nodes of this operator; any, where it does not say."""
    return issubclass(operator, vars(rule).get("operators", (Operator,)))

"""Known groups: what decides whether a group that was followed once is still that of its node."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from dask_tapestry.planner.fusion.group import Group, is_external, members_of
from dask_tapestry.teg import Node


class KnownGroup(NamedTuple):
    """A group, with what decides whether it is that of its node.

    Attributes
    ----------
    inside
        Nodes that it computes itself, but for its own.
    behind
        Nodes that it reads, but for external ones.
    """

    group: Group
    inside: frozenset[Node]
    behind: frozenset[Node]

    @staticmethod
    def of(group: Group, held: Set[Node]) -> KnownGroup:
        """What is known of a group that was made of what is held."""
        if is_external(group.node):
            return KnownGroup(group, frozenset(), frozenset())
        inside = frozenset(members_of(group.node, held)) - {group.node}
        behind = frozenset([x for x in group.inputs if not is_external(x)])
        return KnownGroup(group, inside, behind)

    def is_computed_from(self, held: Set[Node]) -> bool:
        """Whether it is the group of its node where these are held."""
        return self.behind <= held and self.inside.isdisjoint(held)

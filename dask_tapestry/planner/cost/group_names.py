"""Names of task groups: by what the user has called last, which differs most.

Dask's pages name and colour tasks by the first words of their keys, up to the first word that is
not of letters, and cut long names off at their ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dask_tapestry.planner.tuning import MOST_WORDS
from dask_tapestry.teg import Node, Sink, Source
from dask_tapestry.teg.users_line import words_at


def group_name(node: Node, members: Sequence[Node]) -> str:
    """First words of the keys of a step that computes `node` by the operators of `members`.

    Views and other selectors follow what they select from; writes are named by what they write. A
    function of the user is named as itself.
    """
    word = computed_word(members) or computed_word([node])
    if isinstance(node.operator, Sink):
        return f"{word}-{node.operator.name}" if word else node.operator.name
    return word or _called(node)


def computed_word(members: Iterable[Node]) -> str:
    """What the last operator that computes is called; "" where cells are only read and moved."""
    for member in reversed(list(members)):
        operator = member.operator
        if not (operator.is_selector or operator.is_view or isinstance(operator, Source | Sink)):
            return _called(member)
    return ""


def _called(node: Node) -> str:
    """The function that the user called there, or the operator or ufunc that was applied."""
    operator = node.operator
    said = words_at(node.line) if operator.label == operator.name else []  # else: the user's own
    return "-".join(said[:MOST_WORDS]) or _name_of(node)


def _name_of(node: Node) -> str:
    words = (node.operator.called or node.operator.label).split("-")
    return "-".join(words[:MOST_WORDS])

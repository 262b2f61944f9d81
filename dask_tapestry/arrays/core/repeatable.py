"""Which values are repeatable: computed again, in whatever blocks, they are the same, bit by bit.

Cells of a user's function may differ from run to run, those of a product of matrices from block to
block. What is stored, drawn by number, chosen, compared, or folded in the order of the canonical
tree does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.teg import Node


def are_repeatable(values: Sequence[Node]) -> bool:
    """Whether values, and all that they are made of, are the same whenever they are computed.

    What follows effects is computed once.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((600, 900), "f8", (100, 900))
    >>> are_repeatable([(x > x.mean()).node]), are_repeatable([(x @ x.T).node])
    (True, False)
    """
    stack, seen = list(values), set(values)
    while stack:
        node = stack.pop()
        if node.after or not node.operator.repeats:
            return False
        more = set(node.inputs) - seen
        seen |= more
        stack.extend(more)
    return True

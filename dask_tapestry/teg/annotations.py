"""Annotations: what the user says of operators by `dask.annotate` while an expression is built.

They belong to the nodes made meanwhile and are part of their identity. A step of a plan has those
of all that it computes, *joined*:

- ``priority`` and ``retries`` are the highest of them;
- ``resources`` of the same names the most of each; ``workers`` those that all of them allow;
- of other kinds there is one value.

Operators without annotations go along with those that have some. What cannot be joined is not fused
and no rule rewrites it into one: workers of which none is allowed by all, resources of other names,
workers beside resources, and two values of any other kind. With Dask's setting
``optimization.annotations.fuse`` off nothing is joined that is not annotated alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

import dask
from dask.base import get_annotations, tokenize

from dask_tapestry.late_dataclass import dataclass

HIGHEST: Final = ("priority", "retries")
PLACING: Final = ("workers", "resources")
OTHERS_MAY: Final = "allow_other_workers"


@dataclass(frozen=True)
class Annotations:
    """What was said of an operator.

    Attributes
    ----------
    text
        A digest: equal texts for equal annotations; "" for none.
    said
        Values by kind, as Dask has them.
    """

    text: str = ""
    said: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Annotations:
        """What a dictionary of Dask's says."""
        if not said:
            return NONE
        _met.add(True)
        return cls(str(tokenize(dict(sorted(said.items())))), dict(said))

    def __bool__(self) -> bool:
        return bool(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.text, self.said)


def _loaded(text: str, said: Mapping[str, Any]) -> Annotations:
    if not text:
        return NONE
    _met.add(True)
    return Annotations(text, said)


NONE: Final = Annotations()
_met: Final[set[bool]] = set()
_last: list[tuple[Mapping[str, Any], Annotations]] = []  # those of the innermost block at last


def annotations_in_force() -> Annotations:
    """What the blocks of `dask.annotate` around this code say."""
    said = get_annotations()
    if not said:
        return NONE
    known = _last[0] if _last else None
    if known is None or known[0] is not said:  # Dask has one dictionary for each block
        known = said, Annotations.of(said)
        _last[:] = [known]
    return known[1]


def any_were_met() -> bool:
    """Whether any node of this process was ever annotated."""
    return bool(_met)


def joined(several: Iterable[Annotations]) -> Annotations | None:
    """The annotations of what has all of these; None where they cannot be joined.

    Examples
    --------
    >>> one, two = Annotations.of({"priority": 2}), Annotations.of({"priority": 5, "retries": 1})
    >>> joined([one, two, NONE]).said
    {'priority': 5, 'retries': 1}
    >>> joined([Annotations.of({"workers": [name]}) for name in "ab"]) is None
    True
    """
    distinct = list(dict.fromkeys(several))
    some = [entry for entry in distinct if entry]
    if len(distinct) < 2 or not some:
        return some[0] if some else NONE
    if dask.config.get("optimization.annotations.fuse", None) is False:
        return None
    if len(some) == 1:
        return some[0]
    return _joined([entry.said for entry in some])


def _joined(several: Sequence[Mapping[str, Any]]) -> Annotations | None:
    merged: dict[str, Any] = {}
    for kind in dict.fromkeys(kind for entries in several for kind in entries):
        values = [entries[kind] for entries in several if kind in entries]
        if len({tokenize(value) for value in values}) > 1:
            value = _value(kind, values)
            if value is None:
                return None
            merged[kind] = value
        else:
            merged[kind] = values[0]
    if len({tuple(kind for kind in PLACING if kind in entries) for entries in several} - {()}) > 1:
        return None
    if "workers" in merged and OTHERS_MAY in merged:
        bound = [entries for entries in several if "workers" in entries]
        merged[OTHERS_MAY] = all(entries.get(OTHERS_MAY, False) for entries in bound)
    return Annotations.of(merged)


def _value(kind: str, values: Sequence[Any]) -> Any:
    """What joins different values of a kind; None if nothing does."""
    if any(callable(value) for value in values):
        return None
    if kind in HIGHEST:
        return max(values)
    if kind == "resources":
        if any(value.keys() != values[0].keys() for value in values):
            return None
        return {name: max(value[name] for value in values) for name in values[0]}
    if kind == "workers":
        return [name for name in values[0] if all(name in value for value in values)] or None
    return False if kind == OTHERS_MAY else None

"""Joined slots: sources that join others, in plans that are made for slots and found again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dask_tapestry.teg import Operator, Source


def with_joined_filled(operator: Operator, operators: Mapping[str, Operator]) -> Operator:
    """A source that joins slots, of the sources for these by their forms; any other itself."""
    if not isinstance(operator, Source) or operators.keys().isdisjoint(operator.joined_forms):
        return operator
    return _filled(operator, operators, iter(operator.joined_forms))


def _filled(source: Source, operators: Mapping[str, Operator], forms: Iterator[str]) -> Source:
    if source.joined:
        return source.with_joined([_filled(one, operators, forms) for one in source.joined])
    found = operators.get(next(forms), source)
    assert isinstance(found, Source)
    return found

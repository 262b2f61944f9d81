"""Identities: what makes a job, started again, the same job, each part by itself.

A job is what it computes, functions by their code; the data that it reads, by their origins; and
this library's version. Who keeps what it has done adds where that goes. Writes that are resumed and
loops with checkpoints are known so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from dask_tapestry.io.resuming.named_code import library_version
from dask_tapestry.io.resuming.named_values import Names
from dask_tapestry.teg import Node, Source

COMPUTED: Final = "what is computed"
DATA: Final = "the data"
LIBRARY: Final = "the version of this library"


class Identity(NamedTuple):
    """What makes two jobs one: names of its parts, and a digest of each."""

    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> Identity:
        """The identity of a job whose parts have these names and texts, with this library."""
        whole = {**parts, LIBRARY: library_version(__name__)}
        return cls(tuple([(name, digest(str(text))) for name, text in whole.items()]))

    @property
    def text(self) -> str:
        """Digest of all parts."""
        return digest(str(self.parts))

    def as_dict(self) -> dict[str, str]:
        """The identity as it is stored."""
        return dict(self.parts)

    def differs(self, other: Any) -> str:
        """What another identity, as it is stored, has otherwise.

        Examples
        --------
        >>> one, other = Identity.of({"the data": 1}), Identity.of({"the data": 2})
        >>> one.differs(other.as_dict())
        'the data'
        """
        known = other if isinstance(other, dict) else {}
        for name, value in self.parts:
            if known.get(name) != value:
                return name
        return "something that this version does not know"


def digest(text: str) -> str:
    """Return a digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def graph_parts(
    roots: Iterable[Node],
    slots: Iterable[Node] = (),
    named: Callable[[Node], str] = lambda node: node.operator.origin(),  # type: ignore[attr-defined]
) -> dict[str, str]:
    """Parts of the identity of a graph: what it computes, and the data of each source.

    Parameters
    ----------
    slots
        Sources that stand for any data of their types.
    named
        What names the data of a source.

    Raises
    ------
    UnnamedError
        If something has no name that another process finds; it names that.
    """
    text, sources = Names().graph(roots, slots, bare=True)
    parts = {COMPUTED: text}
    for number, node in enumerate(sources):
        assert isinstance(node.operator, Source)
        parts[f"{DATA} {number} ({node.operator.name} {node.type})"] = named(node)
    return parts

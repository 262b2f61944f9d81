"""Joint runs: how two vectors are cut into runs that are sorted and split together."""

from __future__ import annotations

from typing import NamedTuple


class JointRuns(NamedTuple):
    """Runs of two vectors, those of one behind those of the other.

    Attributes
    ----------
    length
        Cells of a run; the last one of each vector may have fewer.
    first, second
        Cells of the vectors.
    is_turned
        Whether the runs of the second vector come first, and so do its cells of equal ones.
    """

    length: int
    first: int
    second: int
    is_turned: bool

    @property
    def cells(self) -> int:
        """Cells of both vectors."""
        return self.first + self.second

    @property
    def groups(self) -> tuple[int, int]:
        """Cells of both vectors in the order of their runs."""
        pair = self.first, self.second
        return pair[::-1] if self.is_turned else pair

    @property
    def run_count(self) -> int:
        """All runs."""
        return sum(-(-cells // self.length) for cells in self.groups)

    def sides(self) -> tuple[slice, slice]:
        """The runs of either vector.

        Examples
        --------
        >>> JointRuns(4, 9, 5, is_turned=True).sides()
        (slice(2, 5, None), slice(0, 2, None))
        """
        ahead = -(-self.groups[0] // self.length)
        sides = slice(0, ahead), slice(ahead, self.run_count)
        return sides[::-1] if self.is_turned else sides

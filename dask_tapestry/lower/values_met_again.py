"""Values met again: what several small computes read is kept here from the second one on.

A loop that asks for a number at each step, ``while float(abs(u - v).max()) > eps``, asks for all
steps before each time: its fiftieth compute took fifty steps, and the loop 480 times as long as
NumPy's. So a value that an earlier compute read, and that new operators read, is computed beside
what is asked for, and kept: the next compute begins there. Those that were met last are kept, up to
two or three large ones, and as long as their nodes live.

A value is made of the user's arrays as they were. Whoever writes to these finds other cells in what
is computed then: so copies tell whether they are as they were, but of arrays that nobody else has.
Nothing is kept of what the user's functions compute, of which only the user knows what else they
do, nor where errors of floating point were met, which are told each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import gcd
from sys import getrefcount
from threading import Lock
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.lower.fp_error_events import current_log
from dask_tapestry.lower.tuning import MOST_ARRAY_BYTES, MOST_MET_BYTES, MOST_MET_VALUES
from dask_tapestry.lower.users_functions import is_users
from dask_tapestry.planner.remembered_choices import settings_in_force
from dask_tapestry.rewrite.user_rules import mutators_in_force, rules_in_force
from dask_tapestry.settings import setting
from dask_tapestry.teg import GeneratorOperator, Node, Selector, Source
from dask_tapestry.teg.node import topological

Cells = tuple[np.ndarray[Any, Any], ...]


class _Kept(NamedTuple):
    """A value that is kept.

    Attributes
    ----------
    blocks
        It, as a source.
    made_of
        The arrays that it was computed of, by their sources: as they were.
    settings
        Those in force.
    errors
        The errors of floating point that were listened for, and not heard.
    """

    blocks: Node
    made_of: Mapping[Node, Cells]
    settings: tuple[object, ...]
    errors: frozenset[str]


_kept: WeakKeyDictionary[Node, _Kept] = WeakKeyDictionary()  # the last ones last
_copies: WeakKeyDictionary[Node, Cells] = WeakKeyDictionary()
_lock = Lock()

NO_NODES: Final[tuple[Node, ...]] = ()


class Meeting:
    """A graph that is computed now, and what earlier computes met of it.

    Attributes
    ----------
    order
        The nodes that are to be computed, inputs first.
    given
        Values that are kept and that these read, as sources.
    """

    def __init__(self, roots: Sequence[Node]) -> None:
        self._roots = frozenset(roots)
        self._same: dict[int, bool] = {}
        self._made_of: dict[Node, Cells] = {}
        self.given: dict[Node, Node] = {}
        self.order = topological(roots, self if _kept else ())

    def __contains__(self, node: object) -> bool:
        """Whether a node is a value that is kept, and as it would be computed now."""
        assert isinstance(node, Node)
        if not node.is_met or node in self._roots:
            return False
        if node in self.given:
            return True
        kept = _kept.get(node)
        if kept is None or not self._is_valid(kept):
            return False
        self.given[node] = kept.blocks
        self._made_of.update(kept.made_of)
        return True

    @cached_property
    def _settings(self) -> tuple[object, ...]:
        return settings_in_force()

    def _is_valid(self, kept: _Kept) -> bool:
        log = current_log()
        if log is not None and not log.kinds <= kept.errors:
            return False
        return kept.settings == self._settings and all(
            self._is_unchanged(source, cells) for source, cells in kept.made_of.items()
        )

    def _is_unchanged(self, source: Node, copies: Cells) -> bool:
        known = self._same.get(id(copies))
        if known is None:
            known = not copies or all(map(_same_cells, _cells_of(source), copies))
            self._same[id(copies)] = known
        return known

    def read_again(self) -> tuple[Node, ...]:
        """The values that are worth keeping: met before, and read by what was not."""
        fresh = [node for node in self.order if not node.is_met]
        if not fresh or len(fresh) == len(self.order):
            return NO_NODES
        found = dict.fromkeys([x for node in fresh for x in self._values_read(node)])
        if not found or sum(x.type.nbytes for x in found) > MOST_MET_BYTES:
            return NO_NODES
        return tuple(found) if self._may_be_kept() else NO_NODES

    def _values_read(self, node: Node) -> Iterator[Node]:
        """Values that were met and that a node reads, of views the arrays that they show."""
        stack = [x for x in node.inputs if x.is_met]
        while stack:
            x = stack.pop()
            if isinstance(x.operator, Selector) and len(x.inputs) == 1:
                stack += x.inputs
            elif not (x in self or x in self._roots) and _is_plain(x):
                yield x

    def _may_be_kept(self) -> bool:
        """Whether values are the same whenever they are computed."""
        if rules_in_force() or mutators_in_force() or setting("algebra") != "exact":
            return False
        operators = [node.operator for node in self.order]
        sources = [one for one in operators if isinstance(one, Source)]
        if not all(isinstance(one, NumpySource | BlockSource) for one in sources):
            return False
        copied = sum(one.infer().nbytes for one in sources if not _is_own(one))
        return copied <= MOST_ARRAY_BYTES and not any(map(is_users, operators))

    def arrays(self) -> dict[Node, Cells]:
        """Copies of the arrays that it is computed of, by their sources: before it is computed."""
        made_of = self._made_of
        for node in self.order:
            if isinstance(node.operator, Source):
                made_of[node] = self._copied(node)
        return made_of

    def _copied(self, source: Node) -> Cells:
        copies = _copies.get(source)
        if copies is None or not self._is_unchanged(source, copies):
            own = _is_own(source.operator)
            copies = () if own else tuple([block.copy() for block in _cells_of(source)])
            with _lock:
                _copies[source] = copies
        return copies

    def end(self, computed: Mapping[Node, Node], made_of: Mapping[Node, Cells]) -> None:
        """Remember what was met, and keep values that were `computed`, as sources."""
        log = current_log()
        heard, errors = (set(), frozenset[str]()) if log is None else (log.texts, log.kinds)
        for node in self.order:
            node.is_met = True
        if not computed or heard:
            return
        with _lock:
            for node, blocks in computed.items():
                _kept.pop(node, None)
                _kept[node] = _Kept(blocks, made_of, self._settings, errors)
            _forget_first()


def _forget_first() -> None:
    """Keep no more than there is room for."""
    sizes = [(node, node.type.nbytes) for node in list(_kept)]
    total = sum(size for _, size in sizes)
    for left, (node, size) in zip(range(len(sizes), 0, -1), sizes, strict=True):
        if total <= MOST_MET_BYTES and left <= MOST_MET_VALUES:
            return
        total -= size
        _kept.pop(node, None)


def _is_plain(node: Node) -> bool:
    """Whether a value is one of NumPy's arrays, and worth more than what it costs to keep."""
    if isinstance(node.operator, Source | GeneratorOperator) or node.format is not None:
        return False
    dtype = node.type.dtype
    return isinstance(dtype, np.dtype) and not dtype.hasobject and dtype.kind != "T"


def _cells_of(source: Node) -> Cells:
    """The arrays in this process that a source hands out."""
    operator = source.operator
    if isinstance(operator, NumpySource):
        return (operator.data,)
    assert isinstance(operator, BlockSource)
    indices = product(*[range(cuts.count) for cuts in operator.cuts])
    return tuple([operator.graph[(operator.key_name, *index)] for index in indices])


def _is_own(holder: Any) -> bool:
    """Whether nobody but who holds an array as `data` has it, or can write to it from now on.

    It may be a view of another one, as what `reshape` returns, that nobody else has.
    """
    if holder.data is None or _references(holder) > ALONE:
        return False
    base = type(holder.data.base)
    if base is np.ndarray and holder.data.base.flags.owndata:
        return _base_references(holder) <= BASE_ALONE
    return base is type(None)


def _references(holder: Any) -> int:
    return getrefcount(holder.data)


def _base_references(holder: Any) -> int:
    return getrefcount(holder.data.base)


class _Holder:
    def __init__(self) -> None:
        self.data = np.empty(2)[:1]


ALONE: Final = _references(_Holder())  # which Python counts for one that nobody else has
BASE_ALONE: Final = _base_references(_Holder())


def _same_cells(cells: np.ndarray[Any, Any], copied: np.ndarray[Any, Any]) -> bool:
    """Whether cells have the same bits: what is no number is equal to itself."""
    if cells.dtype.hasobject or cells.dtype.kind == "T":
        return False
    if cells.dtype.kind in "biu":
        return bool(np.array_equal(cells, copied))
    plain = cells if cells.flags.c_contiguous else np.ascontiguousarray(cells)
    return bool(np.array_equal(_bytes(plain), _bytes(np.ascontiguousarray(copied))))


def _bytes(cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The memory of an array as integers."""
    width = gcd(cells.nbytes, 8)
    return np.frombuffer(cells, dtype=f"u{width}") if cells.nbytes else cells.reshape(-1)

"""Errors of floating point: heard where blocks are computed, in NumPy's words.

Compiled code raises the processor's flags, NumPy's loops say what they meet. Neither is exact: a
compiled loop computes what it does not choose, compares NaNs, and has elementary functions of its
own. So both only raise a `FpErrorCheck`, which costs next to nothing; where there is one, the block
is
looked at again by NumPy's own loops, which tell the `Listener`. What is told depends on the cells
alone.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Iterable, Mapping
from ctypes.util import find_library
from functools import cache
from threading import local
from typing import Any, Final, NamedTuple

import numpy as np

KINDS: Final[Mapping[str, str]] = {
    "divide": "divide by zero",
    "over": "overflow",
    "under": "underflow",
    "invalid": "invalid value",
}  # NumPy's names and words
SAYS: Final = " encountered in "
CASTS: Final = "the declared dtype stays, and the cast changed values"  # said of users' functions
NESTED: Final = "an array is computed inside a function that is called on blocks"  # said of it too
_X86: Final = {"invalid": 1, "divide": 4, "over": 8, "under": 16}
_ARM: Final = {"invalid": 1, "divide": 2, "over": 4, "under": 8}
FLAGS: Final = _X86 if platform.machine().lower() in ("x86_64", "amd64", "i686") else _ARM
_NOTED: Final = FLAGS["invalid"] | FLAGS["divide"] | FLAGS["over"]
_LOGGED: Final = frozenset({"divide", "over", "invalid"})


class Listener:
    """What is said of the blocks that a thread computes; NumPy writes to it as to a log.

    Parameters
    ----------
    kinds
        The errors of floating point that somebody wants to hear of, by NumPy's names.
    known
        What was heard before, of other blocks.
    """

    __slots__ = ("heard", "kinds")

    def __init__(self, kinds: frozenset[str], known: Iterable[str] = ()) -> None:
        self.kinds, self.heard = kinds, set(known)

    def write(self, text: str) -> None:
        """Take a line of NumPy's, ``"Warning: overflow encountered in exp"``."""
        self.heard.add(text.removeprefix("Warning: ").rstrip("\n"))


class _ThreadListeners(local):
    listener: Listener | None = None
    suspicion: FpErrorCheck | None = None


_thread = _ThreadListeners()


class listening:  # noqa: N801  (a context manager, as `numpy.errstate`)
    """Hear what goes wrong in this thread inside a ``with`` block, beside what is known.

    Examples
    --------
    >>> with listening(frozenset({"divide"})) as heard:
    ...     _ = np.ones(3) / 0
    >>> heard
    {'divide by zero encountered in divide'}
    """

    __slots__ = ("_before", "_listener", "_state")

    def __init__(self, kinds: frozenset[str], known: Iterable[str] = ()) -> None:
        self._listener = Listener(kinds, known)

    def __enter__(self) -> set[str]:
        self._before, _thread.listener = _thread.listener, self._listener
        self._state = telling()
        self._state.__enter__()
        return self._listener.heard

    def __exit__(self, *error: Any) -> None:
        self._state.__exit__(*error)
        _thread.listener = self._before


def telling() -> np.errstate:
    """Let NumPy's loops tell who listens, inside a ``with`` block."""
    listener = _thread.listener
    return _logged(frozenset() if listener is None else listener.kinds, listener)


class Untold(NamedTuple):
    """What is still to be told: errors that somebody wants to hear of, and has not heard."""

    shown: frozenset[str]  # kinds that flags show
    kinds: frozenset[str]  # wanted
    heard: frozenset[str]


def untold(shown: frozenset[str]) -> Untold:
    """What is still to be told in this thread where flags show these kinds of errors."""
    listener = _thread.listener
    if listener is None:
        return Untold(shown, frozenset(), frozenset())
    return Untold(shown, listener.kinds, frozenset(listener.heard))


def text_of(kind: str, function: str) -> str:
    """What NumPy says of an error.

    Examples
    --------
    >>> text_of("divide", "log")
    'divide by zero encountered in log'
    """
    return f"{KINDS[kind]}{SAYS}{function}"


def tell(text: str) -> None:
    """Say something of the block that this thread computes, to whom it concerns."""
    if _thread.listener is not None:
        _thread.listener.heard.add(text)


class FpErrorCheck:
    """Whether something may have gone wrong: by flags of the processor, or NumPy's log."""

    __slots__ = ("always", "flags", "texts")

    def __init__(self, kinds: frozenset[str]) -> None:
        self.flags, self.texts = 0, set[str]()
        self.always = "under" in kinds  # no flag tells of all cells that our functions let vanish

    def write(self, text: str) -> None:
        """Take a line of NumPy's."""
        self.texts.add(text)
        self.flags |= next((FLAGS[kind] for kind in KINDS if KINDS[kind] in text), 0)

    def tell(self, names: Mapping[str, str]) -> None:
        """Tell who listens what NumPy's functions in `names` have said, by their other names."""
        listener = _thread.listener
        for text in self.texts if listener is not None else ():
            words, _, function = text.removeprefix("Warning: ").strip().partition(SAYS)
            wanted = {KINDS[kind] for kind in listener.kinds} if listener is not None else ()
            if listener is not None and words in wanted and function in names:
                listener.heard.add(f"{words}{SAYS}{names[function]}")

    def tell_flags(self, function: str) -> None:
        """Tell who listens what the flags say, as met in a function."""
        listener = _thread.listener
        for kind, flag in FLAGS.items():
            if listener is not None and kind in listener.kinds and self.flags & flag:
                listener.heard.add(text_of(kind, function))

    @property
    def raised(self) -> bool:
        """Whether to look at the block again."""
        return self.always or self.flags != 0

    @property
    def may_be_of_nans(self) -> bool:
        """Whether nothing was raised but the flag that comparing a NaN raises."""
        return not self.always and self.flags == FLAGS["invalid"]


class checking_fp_errors:  # noqa: N801  (a context manager, as `numpy.errstate`)
    """Note what may have gone wrong inside a ``with`` block; None where nobody wants to know.

    Parameters
    ----------
    needless
        Whether nothing can go wrong.
    always
        Note it even where nobody listens: it is kept for those who will.
    """

    __slots__ = ("_before", "_made", "_state")

    def __init__(self, needless: bool = False, always: bool = False) -> None:
        listener = _thread.listener
        kinds = frozenset[str]() if listener is None else listener.kinds
        wanted = always or (bool(kinds) and not needless)
        self._made = FpErrorCheck(kinds) if wanted else None

    def __enter__(self) -> FpErrorCheck | None:
        self._before, _thread.suspicion = _thread.suspicion, self._made
        self._state = _logged(_LOGGED if self._made is not None else frozenset(), self._made)
        self._state.__enter__()
        return self._made

    def __exit__(self, *error: Any) -> None:
        self._state.__exit__(*error)
        _thread.suspicion = self._before


def suspect(flags: int) -> None:
    """Note flags that were raised before, if anybody wants to know."""
    if _thread.suspicion is not None:
        _thread.suspicion.flags |= flags


def kinds_of(flags: int) -> frozenset[str]:
    """The kinds of errors that raise these flags."""
    return frozenset(kind for kind, flag in FLAGS.items() if flags & flag)


def _logged(kinds: frozenset[str], log: Any) -> np.errstate:
    if not kinds:
        return np.errstate(all="ignore")
    return np.errstate(call=log, **_modes(kinds))


@cache
def _modes(kinds: frozenset[str]) -> dict[str, Any]:
    return {kind: "log" if kind in kinds else "ignore" for kind in KINDS}


def noted(call: Callable[..., None], arguments: tuple[int, ...]) -> None:
    """Run compiled code, and note the flags that it raises if anybody wants to know."""
    suspicion = _thread.suspicion
    if suspicion is None:
        call(*arguments)
        return
    clear, test = _status()
    clear(_NOTED)
    call(*arguments)
    suspicion.flags |= test(_NOTED)


@cache
def _status() -> tuple[Callable[[int], int], Callable[[int], int]]:
    """The functions of C that clear and read the flags.

    Where C has none, all flags count as raised: then every block is looked at twice.
    """
    try:
        library = ctypes.PyDLL(find_library("m"))  # keeps the interpreter's lock: .1 µs a call
        return library.feclearexcept, library.fetestexcept
    except (AttributeError, OSError, TypeError):
        return (lambda _flags: 0), (lambda flags: flags)

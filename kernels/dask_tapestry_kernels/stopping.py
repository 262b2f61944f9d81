"""Cancellation of blocks whose results are no longer needed: kernels poll for it, and stop.

A block is computed in turns, a turn by a loop over parts. Between any two of them it asks whether
it is to go on, which takes .1 µs, so that an interrupted compute ends within a second.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import local

Asked = Callable[[], bool]


class StoppedError(BaseException):
    """The block is not wanted any more; no `Exception`, which says what went wrong in one."""


class _ThreadStop(local):
    asked: Asked | None = None


_thread = _ThreadStop()


class stoppable:  # noqa: N801  (a context manager, as `numpy.errstate`)
    """Inside a ``with`` block, `stop_if_asked` raises in this thread once `asked` is true.

    Examples
    --------
    >>> with stoppable(lambda: True):
    ...     try:
    ...         stop_if_asked()
    ...     except StoppedError:
    ...         print("stopped")
    stopped
    >>> stop_if_asked()
    """

    __slots__ = ("_asked", "_before")

    def __init__(self, asked: Asked | None) -> None:
        self._asked = asked

    def __enter__(self) -> None:
        self._before, _thread.asked = _thread.asked, self._asked

    def __exit__(self, *error: object) -> None:
        _thread.asked = self._before


def stop_if_asked() -> None:
    """Raise `StoppedError` if the block that this thread computes is not wanted any more."""
    asked = _thread.asked
    if asked is not None and asked():
        raise StoppedError

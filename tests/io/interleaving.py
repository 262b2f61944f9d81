"""Threads that take turns at points that they name, in an order that is given.

What is decided between two points is done at one moment, so an order of turns says all that can
happen. A thread may be killed at a point: it does nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Semaphore, Thread, current_thread
from typing import Any, Final

PATIENCE: Final = 60  # seconds that a thread may take from one point to the next

Pick = Callable[[Sequence[str]], tuple[str, bool]]  # of the names that go on: whose turn, or kill


class Killed(BaseException):
    """What a thread that is killed raises."""


class _Turns(Thread):
    """A program that waits for its turn at each point."""

    def __init__(self, name: str, program: Callable[[], None], back: Semaphore) -> None:
        super().__init__(name=name, daemon=True)
        self.program, self.back, self.go = program, back, Semaphore(0)
        self.killed = self.ended = False
        self.held, self.error = 0, None

    def run(self) -> None:
        self.go.acquire()
        try:
            if not self.killed:
                self.program()
        except Killed:
            pass
        except BaseException as error:  # told by the thread that gives turns
            self.error = error
        self.ended = True
        self.back.release()

    def wait(self) -> None:
        if self.killed:
            raise Killed
        if not self.held:
            self.back.release()
            self.go.acquire()
            if self.killed:
                raise Killed


def point() -> None:
    """Let others have their turn, in a thread that takes turns."""
    thread = current_thread()
    if isinstance(thread, _Turns):
        thread.wait()


class undivided:
    """What is done within has no points."""

    def __enter__(self) -> None:
        thread = current_thread()
        if isinstance(thread, _Turns):
            thread.held += 1

    def __exit__(self, *_: Any) -> None:
        thread = current_thread()
        if isinstance(thread, _Turns):
            thread.held -= 1


def interleave(programs: Mapping[str, Callable[[], None]], pick: Pick) -> int:
    """Run programs in turns that `pick` gives; return how many turns there were.

    Raises
    ------
    BaseException
        What a program raises.
    """
    back = Semaphore(0)
    threads = {name: _Turns(name, program, back) for name, program in programs.items()}
    for thread in threads.values():
        thread.start()
    going, turns = dict(threads), 0
    while going:
        name, kills = pick(list(going))
        thread, turns = going[name], turns + 1
        thread.killed = kills
        thread.go.release()
        assert back.acquire(timeout=PATIENCE), f"{name} waits for something else than its turn"
        if thread.ended:
            del going[name]
    for thread in threads.values():
        if thread.error is not None:
            raise thread.error
    return turns

"""The compiled programs of a process, and the child that compiles new ones.

A program is in memory, came with the package, is kept on disk, or is compiled by a child process.
One thread speaks with the child, one request at a time, so that a thread that computes never waits
for a pipe. Thread and child end after a while without requests. What a device's programs are named
by on disk, and how they are loaded, its own service says.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import Condition, Thread
from typing import Final, Generic, NamedTuple, TypeVar

from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.jit.child_process import Child
from dask_tapestry_kernels.jit.object_cache import Compiled

IDLE: Final = 60.0  # seconds after which a child without work is let go, and its 150 MB with it
Asked = tuple[str, int]  # a source, and the number of its arguments or of an architecture
Loaded = TypeVar("Loaded")


class Request(NamedTuple):
    """A program that waits for the child.

    Attributes
    ----------
    key
        Its name on disk.
    what
        What it computes, for messages.
    awaited
        Whether a thread waits for it, so that it goes before the others.
    """

    key: str
    what: str
    awaited: bool


class Service(ABC, Generic[Loaded]):
    """The programs of one kind of device that this process has asked for.

    Parameters
    ----------
    compiler
        Name of the module whose `main` the child runs.
    """

    def __init__(self, compiler: str) -> None:
        self._compiler = compiler
        self.changed = Condition()  # held while anything below changes, and to load code
        self._ready: dict[Asked, Loaded | None] = {}  # None: it failed
        self._begin()

    def _begin(self) -> None:
        self._waiting: dict[Asked, Request] = {}  # in the order they were asked for
        self._child: Child | None = None
        self._speaks = False  # whether there is a thread that speaks with the child
        self._broken = False  # whether no child can be started

    @abstractmethod
    def _key_of(self, asked: Asked) -> str:
        """The name of a program on disk."""

    @abstractmethod
    def _brought(self, asked: Asked) -> Compiled | None:
        """The program, if it came with the package."""

    @abstractmethod
    def _loaded(self, asked: Asked, compiled: Compiled) -> Loaded:
        """The program as it is called; raises RuntimeError where it cannot be loaded."""

    @abstractmethod
    def _begins(self, request: Request) -> None:
        """Note that a program will be compiled."""

    @abstractmethod
    def _fails(self, asked: Asked, what: str, why: str) -> None:
        """Note that a program could not be compiled."""

    @abstractmethod
    def _fails_to_start(self, whats: list[str], why: str) -> None:
        """Note that nothing will be compiled, of which these programs wait."""

    def forked(self) -> None:
        """Begin anew in a forked process: it has neither the thread nor the child."""
        if self._child is not None:
            self._child.disown()
        self.changed = Condition()
        self._begin()

    def _ask_for(self, asked: Asked, what: str, awaited: bool) -> None:
        if asked in self._ready:
            return
        if (request := self._waiting.get(asked)) is not None:
            self._waiting[asked] = request._replace(awaited=awaited or request.awaited)
            return
        brought = self._brought(asked)
        if brought is not None and self._loads(asked, brought):
            return
        key = self._key_of(asked)
        kept = object_cache.read(key)
        if kept is not None and self._loads(asked, kept):
            return
        if self._broken:
            self._ready[asked] = None
            return
        request = self._waiting[asked] = Request(key, what, awaited)
        self._begins(request)
        self.changed.notify_all()
        if not self._speaks:
            try:
                Thread(target=self._speak, daemon=True, name="tapestry-kernels").start()
                self._speaks = True
            except RuntimeError as error:  # too many threads, or the interpreter is ending
                self._give_up(str(error))

    def _speak(self) -> None:
        """Have the waiting programs compiled, one after the other, until none comes for a while."""
        while (found := self._next()) is not None:
            asked, request = found
            if self._child is None:
                try:
                    self._child = Child(self._compiler)
                except (OSError, EOFError) as error:
                    with self.changed:
                        self._speaks = False
                        self._give_up(str(error) or "it ended at once")
                    return
            try:
                answer = self._child.compile(request.key, *asked, request.awaited)
            except (OSError, EOFError):
                self._child.close()
                self._child = None
                answer = "the compiling process ended"
            with self.changed:
                self._take(asked, answer)

    def _next(self) -> tuple[Asked, Request] | None:
        with self.changed:
            if self.changed.wait_for(lambda: bool(self._waiting), IDLE):
                asked = self._in_turn()[0]
                return asked, self._waiting[asked]
            self._speaks = False
            child, self._child = self._child, None
        if child is not None:
            child.close()
        return None

    def _in_turn(self) -> list[Asked]:
        """What waits: first that for which a thread waits."""
        return sorted(self._waiting, key=lambda asked: not self._waiting[asked].awaited)

    def _take(self, asked: Asked, answer: Compiled | str) -> None:
        what = self._waiting.pop(asked).what
        if isinstance(answer, Compiled) and not self._loads(asked, answer):
            answer = "its code cannot be loaded"
        if isinstance(answer, str):
            self._ready.setdefault(asked)  # who lost patience may have compiled it
            self._fails(asked, what, answer)
        self.changed.notify_all()

    def _loads(self, asked: Asked, compiled: Compiled) -> bool:
        try:
            self._ready[asked] = self._loaded(asked, compiled)
        except RuntimeError:
            return False
        return True

    def _give_up(self, why: str) -> None:
        self._broken = True
        self._fails_to_start([request.what for request in self._waiting.values()], why)
        for asked in self._waiting:
            self._ready.setdefault(asked)
        self._waiting.clear()
        self.changed.notify_all()


def follow_forks(service: Callable[[], Service[Loaded]]) -> None:
    """Have the service of this process begin anew in those that are forked from it.

    No process is forked while code is loaded, or locks of LLVM stay held in the other one.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lambda: service().changed.acquire(),
            after_in_parent=lambda: service().changed.release(),
            after_in_child=lambda: service().forked(),
        )

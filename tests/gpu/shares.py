"""What processes have in common that share work, and write what they found as they find it."""

import argparse
import os
import time
from pathlib import Path

from tests.gpu import resumed
from tests.gpu.parts import ENDS


class Share:
    """A share of some work, as the command line says, and what was found of it.

    Where a process before it ended in the middle, it goes on behind the piece that was tried then.
    """

    def __init__(self, description, add=lambda parser: None, arguments=None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--share", default="0/1", help="k/n: every n-th piece, from the k-th")
        parser.add_argument("--seconds", default=600.0, type=float, help="to end within")
        add(parser)
        parser.add_argument("file", type=Path, help="to write to, as JSON")
        self.told = parser.parse_args(arguments)
        self.number, self.count = map(int, self.told.share.split("/"))
        told = float(os.environ.get(ENDS, "inf"))
        self.ends = min(time.time() + self.told.seconds, told)
        self.found = resumed.begun(self.told.file, {"asked": 0, "done": 0, "wrong": {}})
        self.is_lost = False
        if tried := self.found.get("at"):
            self.wrong(tried, "the process ended in it")
            self.found["done"] += 1
        self.write()

    def each(self, pieces, called=str):
        """The pieces of this share, until its time has ended; `called` gives their names."""
        mine = list(pieces)[self.number :: self.count]
        self.found["asked"] = len(mine)
        for piece in mine[self.found["done"] :]:
            if time.time() > self.ends or self.is_lost:
                break
            self.found["at"] = called(piece)
            wrong = len(self.found["wrong"])
            self.write()
            yield piece
            self.found["done"] += 1
            self.is_lost = len(self.found["wrong"]) > wrong and resumed.is_lost()
            self.found["at"] = ""
            self.write()

    def wrong(self, name, why):
        """Note what was not as it should be."""
        self.found["wrong"][name] = str(why)[-1500:]

    def write(self):
        """Write what was found till now: a process may be ended."""
        resumed.write(self.told.file, self.found)

    def code(self):
        """The exit code."""
        self.write()
        if self.is_lost:
            return resumed.AGAIN
        return 1 if self.found["wrong"] else 0

"""What processes have in common that share work, and write what they found as they find it."""

import argparse
import json
import os
import time
from pathlib import Path

from tests.gpu.parts import ENDS


class Share:
    """A share of some work, as the command line says, and what was found of it."""

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
        self.found = {"asked": 0, "done": 0, "wrong": {}}
        self.write()

    def each(self, pieces):
        """The pieces of this share, until its time has ended."""
        mine = list(pieces)[self.number :: self.count]
        self.found["asked"] = len(mine)
        for piece in mine:
            if time.time() > self.ends:
                break
            yield piece
            self.found["done"] += 1
            self.write()

    def wrong(self, name, why):
        """Note what was not as it should be."""
        self.found["wrong"][name] = str(why)[-1500:]

    def write(self):
        """Write what was found till now: a process may be ended."""
        beside = self.told.file.with_suffix(".part")
        beside.write_text(json.dumps(self.found))
        beside.replace(self.told.file)

    def code(self):
        """The exit code."""
        self.write()
        return 1 if self.found["wrong"] else 0

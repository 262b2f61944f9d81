"""``python -m tests.fuzz --programs 20000 --seed 0``: many random programs; prints mismatches.

``--only pair,with_scalar`` draws these operations alone; a program of a seed is then another.
``--joint`` draws sets of formulas and reductions that are computed in one call.
"""

import argparse
import time
from collections import Counter
from random import Random

from tests.fuzz.joint import programs as joint
from tests.fuzz.operations import OPERATIONS
from tests.fuzz.programs import LENGTH, SMALL_SCALE, WIDE_SCALE, Mismatch, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--programs", type=int, default=1000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--show", type=int, default=20, help="mismatches to print")
parser.add_argument("--only", default="", help="names of operations to draw, with commas between")
parser.add_argument("--length", type=int, default=LENGTH, help="operations of a program")
parser.add_argument("--wide", action="store_true", help="arrays of up to 60,000 cells")
parser.add_argument("--joint", action="store_true", help="sets of reductions in one compute")
given = parser.parse_args()
wanted = given.only.split(",") if given.only else [draw.__name__ for draw in OPERATIONS]
for draw in [draw for draw in OPERATIONS if draw.__name__ not in wanted]:
    del OPERATIONS[draw]
scale = WIDE_SCALE if given.wide else SMALL_SCALE
began, failed, steps = time.perf_counter(), Counter(), 0
for number in range(given.seed, given.seed + given.programs):
    try:
        if given.joint:
            steps += len(joint.run(Random(number)).splitlines()) - 3
        else:
            steps += len(run(Random(number), given.length, scale)) - 2
    except Mismatch as mismatch:
        failed[str(mismatch)[-300:]] += 1
        if failed.total() <= given.show:
            print(f"--- program {number}\n{mismatch}\n", flush=True)
seconds = time.perf_counter() - began
print(
    f"{given.programs} programs, {steps} operations, {failed.total()} mismatches, {seconds:.0f} s"
)
raise SystemExit(bool(failed))

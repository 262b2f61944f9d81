"""``python -m tests.fuzz --programs 20000 --seed 0``: many random programs; prints mismatches."""

import argparse
import time
from collections import Counter
from random import Random

from tests.fuzz.programs import Mismatch, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--programs", type=int, default=1000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--show", type=int, default=20, help="mismatches to print")
given = parser.parse_args()
began, failed, steps = time.perf_counter(), Counter(), 0
for number in range(given.seed, given.seed + given.programs):
    try:
        steps += len(run(Random(number))) - 2
    except Mismatch as mismatch:
        failed[str(mismatch)[-300:]] += 1
        if failed.total() <= given.show:
            print(f"--- program {number}\n{mismatch}\n", flush=True)
seconds = time.perf_counter() - began
print(
    f"{given.programs} programs, {steps} operations, {failed.total()} mismatches, {seconds:.0f} s"
)
raise SystemExit(bool(failed))

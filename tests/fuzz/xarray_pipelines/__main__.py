"""``python -m tests.fuzz.xarray_pipelines --pipelines 5000 --seed 0``: prints mismatches."""

import argparse
import time
from collections import Counter
from random import Random

from tests.fuzz.programs import Mismatch
from tests.fuzz.xarray_pipelines.run import LENGTH, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--pipelines", type=int, default=500)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--show", type=int, default=20, help="mismatches to print")
parser.add_argument("--length", type=int, default=LENGTH, help="steps of a pipeline")
given = parser.parse_args()
began, failed, steps, slow = time.process_time(), Counter(), 0, []
for number in range(given.seed, given.seed + given.pipelines):
    start = time.process_time()
    try:
        steps += len(run(Random(number), given.length)) - 2
    except Mismatch as mismatch:
        failed[str(mismatch)[-200:]] += 1
        if failed.total() <= given.show:
            print(f"--- pipeline {number}\n{mismatch}\n", flush=True)
    slow = sorted([*slow, (time.process_time() - start, number)])[-5:]
seconds = time.process_time() - began
print(f"slowest: {[(round(s, 1), n) for s, n in slow]}")
print(
    f"{given.pipelines} pipelines, {steps} steps, {failed.total()} mismatches, "
    f"{seconds:.0f} s of CPU"
)
raise SystemExit(bool(failed))

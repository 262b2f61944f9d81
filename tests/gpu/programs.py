"""Random programs of ten operations on a device: the bits of each value beside the host's.

Operations that call functions of the user are left out.
"""

import sys
import traceback
import warnings
from random import Random
from unittest.mock import patch

import numpy as np

import dask_tapestry as dt
from dask_tapestry_kernels.block_format import on_cuda, with_all_cells
from tests.comparisons.table import same_bits
from tests.fuzz import programs
from tests.fuzz.own_operators import own
from tests.fuzz.sources import source
from tests.fuzz.trust import may_run
from tests.gpu.shares import Share

USERS = (  # that call functions of the user, which are written for NumPy's arrays
    "map_blocks(", "map_overlap(", "blockwise(", "apply_gufunc(", "apply_along_axis(",
    "apply_over_axes(", "reduction(", "gufunc", "vectorize(", "piecewise(", "fromfunction(",
)  # fmt: skip


def of_users(step):
    """Whether a step calls a function of the user."""
    return any(name in step.text for name in USERS)


def drawn(seed, bring):
    """A random program whose arrays are brought somewhere."""
    program = programs.Program()

    def brought(random, x, chunks):
        kind, made = source(random, x, chunks)
        return kind, bring(made)

    operations = {draw: n for draw, n in programs.OPERATIONS.items() if draw is not own}
    with (
        patch.object(programs, "OPERATIONS", operations),
        patch.object(
            programs, "may_run", lambda step, xs: may_run(step, xs) and not of_users(step)
        ),
        patch.object(programs, "source", brought),
        programs._counting(program.counts),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        programs._draw(Random(seed), program, programs.LENGTH)
    return program


def there(x):
    """An array on the device, if it can have such cells."""
    return x.to_device("cuda") if on_cuda().takes(x.ndim, x.dtype) else x


def compare(seed):
    """Why a program has other bits on the device than on the host; None if it has not."""
    host, device = drawn(seed, lambda x: x), drawn(seed, there)
    if len(host.pool) != len(device.pool):
        return f"another program: {host.text}\n{device.text}"
    wanted = programs.WHOLE.compute([value.ours for value in host.pool])
    found = programs.WHOLE.compute([value.ours for value in device.pool])
    for results in (wanted, found):
        if isinstance(results, Exception):
            return "\n".join([*device.text, f"{type(results).__name__}: {results}"])
    for number, (cells, expected) in enumerate(zip(found, wanted, strict=True)):
        value = host.pool[number]
        if value.loose or value.theirs.dtype.kind == "V":
            continue
        made = np.asarray(with_all_cells(cells))
        if not same_bits(made, expected):
            text = f"v{number} on the device is {made!r}, on the host {expected!r}"
            return "\n".join([*device.text, text])
    return None


def main(arguments=None):
    """Compare a share of the programs."""
    share = Share(
        __doc__,
        lambda parser: parser.add_argument("--programs", default=1000, type=int),
        arguments,
    )
    with dt.config(host_parts=False):
        for seed in share.each(range(share.told.programs), lambda seed: f"program {seed}"):
            try:
                why = compare(seed)
            except Exception:
                why = traceback.format_exc()
            if why:
                share.wrong(f"program {seed}", why)
    return share.code()


if __name__ == "__main__":
    sys.exit(main())

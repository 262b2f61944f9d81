"""The operator table on a device: each operation's bits beside the host's."""

import sys
import traceback
import warnings

import dask
import numpy as np

import dask_tapestry as dt
from dask_tapestry_kernels.block_format import is_on_device, on_cuda, with_all_cells
from tests.comparisons import COMPARISONS, same_bits
from tests.comparisons.table import agrees
from tests.gpu.shares import Share

OF_NUMPY = {"map_overlap"}  # whose function takes NumPy's arrays alone


def there(cells):
    """An array on the device, if it can have such cells."""
    x = dt.asarray(cells)
    return x.to_device("cuda") if on_cuda().takes(x.ndim, x.dtype) else x


def results(comparison, bring, inputs):
    """What an operation yields of inputs brought somewhere."""
    made = comparison.ours(dt, *map(bring, inputs))
    made = list(made) if isinstance(made, tuple) else [made]
    return made, dask.compute(*made)


def compare(comparison):
    """Why an operation has not the host's bits on the device; None if it has.

    What ends in a library's products is to be as near NumPy's value as on the host.
    """
    inputs = next(iter(comparison.inputs()))
    _, wanted = results(comparison, dt.asarray, inputs)
    arrays, found = results(comparison, there, inputs)
    expected = comparison.numpy(*inputs)
    expected = list(expected) if isinstance(expected, tuple) else [expected]
    for place, (x, made, host) in enumerate(zip(arrays, found, wanted, strict=True)):
        if is_on_device(made) != (getattr(x, "device", "cpu") != "cpu"):
            return f"result {place} lies elsewhere than it says: {type(made)}"
        cells, host = np.asarray(with_all_cells(made)), np.asarray(host)
        if comparison.one_value and not same_bits(cells, host):
            return f"result {place}: {cells!r}, the host has {host!r}"
        if place < len(expected) and not agrees(comparison, cells, expected[place]):
            return f"result {place}: {cells!r}, NumPy has {expected[place]!r}"
    return None


def main(arguments=None):
    """Compare a share of the operations."""
    share = Share(__doc__, arguments=arguments)
    pieces = [one for one in COMPARISONS if one.name not in OF_NUMPY]
    with dt.config(host_parts=False), dask.config.set(scheduler="sync"):
        for one in share.each(pieces, lambda one: one.name):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    why = compare(one)
                except Exception:
                    why = traceback.format_exc()
            if why:
                share.wrong(one.name, why)
    return share.code()


if __name__ == "__main__":
    sys.exit(main())

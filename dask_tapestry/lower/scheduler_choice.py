"""Chooses which of Dask's schedulers a compute is for, by its options and Dask's settings.

To learn whether there is a client, Dask imports distributed, which takes .2 s of a first call.
While distributed is not imported there is no client.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from dask.base import named_schedulers

from dask_tapestry.settings import of_dask

LOCAL_SCHEDULERS: Final = (None, "threads", "threading", "sync", "synchronous", "single-threaded")


def says_nothing(options: Mapping[str, Any]) -> bool:
    """Whether options for Dask name a local scheduler at most, for arrays in no containers.

    Examples
    --------
    >>> says_nothing({"scheduler": "threads"}), says_nothing({"num_workers": 2})
    (True, False)
    """
    return (
        not set(options) - {"scheduler", "traverse"}
        and options.get("scheduler") in LOCAL_SCHEDULERS
    )


def local_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return `options` for Dask, a local scheduler that they or the settings name by its function.

    None stands for threads, as it does for arrays.

    Examples
    --------
    >>> local_options({"scheduler": "processes", "num_workers": 2})
    {'scheduler': 'processes', 'num_workers': 2}
    """
    told = dict(options)
    name = told.get("scheduler") or of_dask("scheduler")
    known = name is None or isinstance(name, str)
    if known and name in LOCAL_SCHEDULERS and "distributed" not in sys.modules:
        told["scheduler"] = named_schedulers[name or "threads"]
    return told

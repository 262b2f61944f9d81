"""New Zarr arrays whose writes may be resumed: what they are known by, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from dask_tapestry.errors import ArgumentError, StoreError
from dask_tapestry.io.journals.zarr_journal import maker_of
from dask_tapestry.io.resuming.identity import Identity, graph_parts
from dask_tapestry.io.resuming.resumption import identity_there
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.teg import Node, Tensor

PLACE: Final = "the place that is written to"
ENCODING: Final = "how it is encoded"
BESIDE: Final = " beside"  # ends the names of writes to a folder that takes the place of another


def write_identity(x: Tensor, after: Sequence[Node], location: Location, form: Any) -> Identity:
    """The identity of a write of `x` to a location, encoded as metadata `form` say.

    Raises
    ------
    ArgumentError
        If something has no name that another process finds, or the place is a zip file.
    """
    if location.is_zip:
        raise ArgumentError(
            f"resume=True: {location} is a zip file, which is written in one go: write to a folder"
        )
    encoding = json.dumps(form, default=str, sort_keys=True)
    return Identity.of({**graph_parts([x, *after]), PLACE: location.key, ENCODING: encoding})


def is_same_job(one: str, other: str) -> bool:
    """Whether two names of writes are of one job, be it written in its place or beside it."""
    return one.removesuffix(BESIDE) == other.removesuffix(BESIDE)


def refuse_other_write(location: Location, identity: Identity) -> None:
    """Raise `StoreError` unless what is there is of the write that an identity names."""
    made = maker_of(location)
    if made is not None and is_same_job(made.write, identity.text):
        return
    other = None if made is None else identity_there(location, made.write)
    differs = "" if other is None else f": {identity.differs(other)} differs"
    raise StoreError(
        f"{location} exists and belongs to another write, which cannot be resumed here{differs}; "
        "give overwrite=True to replace it, or another component"
    )


def refuse_reading_itself(location: Location) -> None:
    """Refuse to resume a write whose value would be another once it is done."""
    raise ArgumentError(
        f"resume=True: the write reads {location}, which it replaces, so that a second run "
        "would not be the same: write to another place"
    )

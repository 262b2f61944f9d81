"""Checkpoints of a loop: states in a Zarr group, by the numbers of their steps.

Below the group ``step/number`` are the arrays of a state, and beside them, written when these are
complete, the group ``step/complete``. A state without it is one that a killed process has left: it
is written again, and never read. The group itself says of which loop the states are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from uuid import uuid4

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.storage.zarr_arrays import from_zarr, to_zarr
from dask_tapestry.errors import StoreError
from dask_tapestry.io.files.durable_files import sync
from dask_tapestry.io.resuming.identity import Identity
from dask_tapestry.io.stores.zarr_location import Location, zarr

ATTRIBUTE: Final = "dask_tapestry.iterate"  # of the group: the identity
COMPLETE: Final = "complete"

State = tuple[Array, ...]


class Checkpoints(NamedTuple):
    """The states of one loop, in a store.

    {Attributes}
        store: As the user gave it.
        identity: Of the loop.
        fields: How many arrays a state has.
    """

    store: Any
    identity: Identity
    fields: int

    @classmethod
    def at(cls, store: Any, identity: Identity, fields: int) -> Checkpoints:
        """The checkpoints at `store`, which is created if it does not exist.

        {Raises} StoreError: If there are states of another loop, or something else.
        """
        location = Location.of(store, None, uuid4().hex)
        attributes = _attributes(location)
        if attributes is None:
            _make_group(location, "", {ATTRIBUTE: identity.as_dict()})
            _sync(location, "")
        elif ATTRIBUTE not in attributes:
            raise StoreError(
                f"{location} holds data that are not checkpoints: give another store, or delete "
                "what is there"
            )
        elif attributes[ATTRIBUTE] != identity.as_dict():
            other = identity.differs(attributes[ATTRIBUTE])
            raise StoreError(
                f"the checkpoints at {location} are of another loop: {other} differs. To go on "
                "with them, call it as they were made; to begin anew, give another store, or "
                "delete this one"
            )
        return cls(store, identity, fields)

    def last(self, most: int | None) -> tuple[int, State] | None:
        """The number of the last complete state that is no further than `most`, and the state."""
        location = Location.of(self.store, None, uuid4().hex)
        for step in sorted(_steps(location), reverse=True):
            if (most is None or step <= most) and self._is_complete(location, step):
                return step, tuple(
                    [from_zarr(self.store, f"{step}/{number}") for number in range(self.fields)]
                )
        return None

    def write(self, step: int, state: Sequence[Array]) -> None:
        """Store the state after `step`; it is complete, and on the disk, when this returns."""
        for number, array in enumerate(state):
            to_zarr(array, self.store, f"{step}/{number}", overwrite=True)
        location = Location.of(self.store, None, uuid4().hex)
        _sync(location, f"{step}")
        told = {ATTRIBUTE: self.identity.as_dict(), "step": step}
        _make_group(location, f"{step}/{COMPLETE}", told)
        _sync(location, f"{step}/{COMPLETE}")

    def _is_complete(self, location: Location, step: int) -> bool:
        try:
            told = _attributes(location, f"{step}/{COMPLETE}")
        except StoreError:  # torn
            return False
        wanted = {ATTRIBUTE: self.identity.as_dict(), "step": step}
        return told is not None and dict(told) == wanted


def _path(location: Location, name: str) -> str:
    return "/".join(part for part in (location.component, name) if part)


def _attributes(location: Location, name: str = "") -> dict[str, Any] | None:
    """Attributes of a group in the store; None if there is none.

    {Raises} StoreError: If it cannot be read.
    """
    try:
        group = zarr().open_group(path=_path(location, name), mode="r", **location.arguments)
    except FileNotFoundError:
        return None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr group at {location}: {error}") from error
    return dict(group.attrs)


def _make_group(location: Location, name: str, attributes: dict[str, Any]) -> None:
    try:
        zarr().create_group(
            path=_path(location, name),
            attributes=attributes,
            overwrite=bool(name),
            **location.arguments,
        )
    except Exception as error:
        raise StoreError(f"cannot write the Zarr group at {location}: {error}") from error


def _sync(location: Location, name: str) -> None:
    """Wait until what is below `name` is on the disk; other stores answer when it is safe."""
    folder = location.folder
    if folder is not None:
        sync(folder / name)


def _steps(location: Location) -> list[int]:
    """Numbers of the steps of which there is something in the store."""
    group = zarr().open_group(path=location.component, mode="r", **location.arguments)
    return [int(name) for name in group.group_keys() if name.isdigit()]

"""Writes to regions of Zarr arrays that may be resumed: what they are known by, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from dask_tapestry.errors import ArgumentError, ArgumentTypeError, StoreError
from dask_tapestry.io.journals.write_record import BEGIN, Record, WriteKey
from dask_tapestry.io.journals.write_record import digest as name_digest
from dask_tapestry.io.journals.zarr_journal import unfinished_writes
from dask_tapestry.io.resuming.identity import Identity, digest, graph_parts
from dask_tapestry.io.resuming.resumed_sink import ENCODING, PLACE, refuse_reading_itself
from dask_tapestry.io.resuming.resumption import Resume, identity_there
from dask_tapestry.io.sinks.region_sink import RegionSink
from dask_tapestry.io.sinks.write_order import OrderedWrite, may_be_read, sources_of
from dask_tapestry.io.stores.stored_objects import objects_of
from dask_tapestry.io.stores.zarr_open import open_array
from dask_tapestry.io.targets.zarr_target import ZarrTarget
from dask_tapestry.teg import Node, Sink
from dask_tapestry.teg.node import topological


def resumed(writes: Sequence[OrderedWrite], after: Sequence[Node], how: Any) -> list[OrderedWrite]:
    """Return writes that are known by their data and go on where a killed run has stopped.

    They are one job: all of them are the same, or none.

    Raises
    ------
    ArgumentTypeError
        If a target is no Zarr array.
    ArgumentError
        If something has no name that another process finds; if writes meet in a stored chunk, or a
        value reads its target, so that doing one again would not give the same.
    StoreError
        If another write to the same chunks has not ended.
    """
    targets = [_zarr_target(write) for write in writes]
    _refuse_meeting(writes, after)
    places = [f"{t.location.key} {w.region}" for t, w in zip(targets, writes, strict=True)]
    forms = [_encoding(target) for target in targets]
    parts = graph_parts([*[write.x for write in writes], *after])
    identity = Identity.of({**parts, PLACE: places, ENCODING: forms})
    resume = Resume.of(identity, how)
    opened: dict[ZarrTarget, ZarrTarget] = {}
    for target in targets:
        name = digest(f"{identity.text} {target.location.key}")
        opened[target] = replace(
            target, location=replace(target.location, nonce=name), resume=resume
        )
    found = [replace(w, target=opened[t]) for w, t in zip(writes, targets, strict=True)]
    for write, target in zip(found, targets, strict=True):
        _refuse_leftovers(write, opened[target], identity)
    return found


def _zarr_target(write: OrderedWrite) -> ZarrTarget:
    if not isinstance(write.target, ZarrTarget):
        raise ArgumentTypeError(
            f"resume=True takes Zarr arrays, whose chunks tell what is done, not {write.target}"
        )
    return write.target


def _refuse_meeting(writes: Sequence[OrderedWrite], after: Sequence[Node]) -> None:
    pairs = combinations(writes, 2)
    sinks = [RegionSink(write.target, write.region) for write in writes]
    earlier = [n.operator for n in topological([*[w.x for w in writes], *after])]
    follows = any(isinstance(one, Sink) and s.meets(one) for one in earlier for s in sinks)
    if follows or any(a.target.meets(a.region, b.target, b.region) for a, b in pairs):
        raise ArgumentError(
            "resume=True: several writes to one stored chunk cannot be done again one by one: give "
            "regions of whole chunks"
        )
    for write in writes:
        assert isinstance(write.target, ZarrTarget)
        if may_be_read(write.target, sources_of(write.x)):
            refuse_reading_itself(write.target.location)


def _encoding(target: ZarrTarget) -> str:
    form = open_array(target.location).metadata.to_dict()
    return str(sorted((name, str(value)) for name, value in form.items() if name != "attributes"))


def _refuse_leftovers(write: OrderedWrite, target: ZarrTarget, identity: Identity) -> None:
    """Raise `StoreError` if another job's write to the same chunks has not ended."""
    objects, location = objects_of(target.location), target.location
    assert objects is not None
    reach = target.whole_chunks(write.region.hull)
    for name in unfinished_writes(location):
        own = name.startswith(BEGIN) and WriteKey.in_name(name).write == name_digest(location.nonce)
        text = objects.read(name)
        if own or text is None or not Record.of(text).meets(reach):
            continue
        other = identity_there(location, name)
        differs = "" if other is None else f": {identity.differs(other)} differs"
        raise StoreError(
            f"another write to the same stored chunks of {location} has not ended{differs}; leave "
            "resume=True out to write them anew, or give another region"
        )

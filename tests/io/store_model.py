"""What may be seen of a Zarr array that several processes use: the defects of what they tell.

A write takes effect at one moment between its begin and its end; a read shows the array as it was
at one moment between its own. A write that was killed may have taken effect or not; one that failed
has not. So in what one read has seen

- each band has the cells of one write, which began before the read ended and did not fail;
- no write that began after that one had ended, and that ended before the read began, wrote there;
- no write that the read saw elsewhere, and that wrote there too, began after it had ended.

Where nothing can be exchanged at once, as in object stores, an overwrite and a write to a region
that run at the same time may mix their cells: `docs/storage.md` says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple

Event = dict[str, Any]


class Written(NamedTuple):
    """A write: when it began and ended, and the band; all bands if None."""

    number: int
    band: int | None
    begin: float
    end: float
    outcome: str

    def covers(self, band: int) -> bool:
        return self.band is None or self.band == band


def writes_of(events: Iterable[Event]) -> dict[int, Written]:
    """Return all writes by their numbers; number 0 was there from the beginning."""
    found = {0: Written(0, None, -inf, -inf, "done")}
    for event in sorted(events, key=lambda event: event["at"]):
        if "begins" in event:
            number = event["begins"]
            found[number] = Written(number, event["band"], event["at"], inf, "killed")
        for outcome in ("done", "failed"):
            if event.get(outcome, "reader") != "reader" and event["number"] in found:
                number = event["number"]
                found[number] = found[number]._replace(end=event["at"], outcome=outcome)
    return found


def defects(events: Iterable[Event], exchanges: bool = True) -> list[str]:
    """Return what is wrong in what processes tell; `exchanges` says what their store can do."""
    events = list(events)
    writes = writes_of(events)
    wrong = [
        f"an error of another kind: {event['text']}"
        for event in events
        if "failed" in event and not event["known"]
    ]
    for event in events:
        if event.get("done") == "reader":
            wrong += _defects_of_read(event, writes, exchanges)
    return wrong


def _defects_of_read(read: Event, writes: dict[int, Written], exchanges: bool) -> list[str]:
    wrong = []
    seen: dict[int, Written] = {}
    for band, numbers in enumerate(read["seen"], start=read["first"]):
        if not exchanges and _are_mixed([writes.get(int(n)) for n in numbers]):
            continue
        if len(numbers) != 1:
            wrong.append(f"band {band} is torn: {numbers}, read {_span(read)}")
        elif (number := int(numbers[0])) not in writes:
            wrong.append(f"band {band} holds {numbers[0]}, which nobody wrote, read {_span(read)}")
        else:
            seen[band] = writes[number]
    for band, write in seen.items():
        if write.outcome == "failed" or write.begin > read["at"] or not write.covers(band):
            wrong.append(f"band {band} shows {write}, read {_span(read)}")
        later = [
            other
            for other in writes.values()
            if other.outcome == "done"
            and other.covers(band)
            and other.begin > write.end
            and (other.end < read["begun"] or other in seen.values())
        ]
        if later:
            wrong.append(f"band {band} shows {write}, not {later[0]}, read {_span(read)}")
    return wrong


def _are_mixed(found: list[Written | None]) -> bool:
    """Whether these are an overwrite and writes to a region, all of which ran at one time."""
    known = [write for write in found if write is not None]
    if len(found) < 2 or len(known) < len(found):
        return False
    overwrites = sum(write.band is None for write in known)
    return overwrites == 1 and max(w.begin for w in known) < min(w.end for w in known)


def _span(read: Event) -> str:
    return f"from {read['begun']:.4f} to {read['at']:.4f} by {read['process']}"


def may_be_incomplete(events: Iterable[Event]) -> bool:
    """Whether a write that was killed or failed may have left cells that nobody wrote since."""
    writes = writes_of(events).values()
    for write in writes:
        bands = range(100) if write.band is None else [write.band]
        if write.outcome != "done" and not all(
            any(o.outcome == "done" and o.covers(b) and o.begin > write.begin for o in writes)
            for b in bands
        ):
            return True
    return False

"""What may be seen of a Zarr array that several processes use: the defects of what they tell.

A write takes effect at one moment between its begin and its end; a read shows the array as it was
at one moment between its own. A write that was killed may have taken effect or not; one that failed
has not. So in what one read has seen

- each row has the cells of one write, which began before the read ended and did not fail;
- no write that began after that one had ended, and that ended before the read began, wrote there;
- no write that the read saw elsewhere, and that wrote there too, began after it had ended.

A write that is stopped while it stores a chunk says so a moment later (`write_marks.py`): a row
with cells of one that failed while it was read tells nothing. `test_interleaving.py` has that
moment in its hands.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple

from tests.io.store_steps import ROWS

Event = dict[str, Any]


class Written(NamedTuple):
    """A write of some rows: when it began and ended."""

    number: int
    rows: range
    begin: float
    end: float
    outcome: str


def writes_of(events: Iterable[Event]) -> dict[int, Written]:
    """Return all writes by their numbers; number 0 was there from the beginning."""
    found = {0: Written(0, range(ROWS), -inf, -inf, "done")}
    for event in sorted(events, key=lambda event: event["at"]):
        if "begins" in event:
            number = event["begins"]
            found[number] = Written(number, range(*event["rows"]), event["at"], inf, "killed")
        for outcome in ("done", "failed"):
            if event.get(outcome, "reader") != "reader" and event["number"] in found:
                number = event["number"]
                found[number] = found[number]._replace(end=event["at"], outcome=outcome)
    return found


def defects(events: Iterable[Event]) -> list[str]:
    """Return what is wrong in what processes tell."""
    events = list(events)
    writes = writes_of(events)
    wrong = [
        f"an error of another kind: {event['text']}"
        for event in events
        if "failed" in event and not event["known"]
    ]
    for event in events:
        if event.get("done") == "reader":
            wrong += _defects_of_read(event, writes)
    return wrong


def _defects_of_read(read: Event, writes: dict[int, Written]) -> list[str]:
    wrong = []
    seen: dict[int, Written] = {}
    for row, numbers in enumerate(read["seen"], start=read["first"]):
        if any(_is_late(writes.get(int(number)), row, read) for number in numbers):
            continue
        if len(numbers) != 1:
            wrong.append(f"row {row} is torn: {numbers}, read {_span(read)}")
        elif (number := int(numbers[0])) not in writes:
            wrong.append(f"row {row} holds {numbers[0]}, which nobody wrote, read {_span(read)}")
        else:
            seen[row] = writes[number]
    for row, write in seen.items():
        if write.outcome == "failed" or write.begin > read["at"] or row not in write.rows:
            wrong.append(f"row {row} shows {write}, read {_span(read)}")
        later = [
            other
            for other in writes.values()
            if other.outcome == "done"
            and row in other.rows
            and other.begin > write.end
            and (other.end < read["begun"] or other in seen.values())
        ]
        if later:
            wrong.append(f"row {row} shows {write}, not {later[0]}, read {_span(read)}")
    return wrong


def _is_late(write: Written | None, row: int, read: Event) -> bool:
    """Whether a write to a row failed after a read of it had begun."""
    if write is None or write.outcome != "failed" or row not in write.rows:
        return False
    return bool(write.begin < read["at"] and write.end > read["begun"])


def _span(read: Event) -> str:
    return f"from {read['begun']:.4f} to {read['at']:.4f} by {read['process']}"


def may_be_incomplete(events: Iterable[Event]) -> bool:
    """Whether a write that was killed or failed may have left cells that nobody wrote since.

    One that failed may have stored cells of its chunks until then.
    """
    writes = writes_of(events).values()
    for write in writes:
        if write.outcome == "done":
            continue
        until = write.end if write.outcome == "failed" else write.begin
        since = [o for o in writes if o.outcome == "done" and o.begin > until]
        if not all(any(row in other.rows for other in since) for row in write.rows):
            return True
    return False

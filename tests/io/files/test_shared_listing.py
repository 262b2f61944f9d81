import time
from threading import Barrier, Thread

import pytest

from dask_tapestry.io.files.shared_listing import SharedListing, listing_of


def test_what_is_seen_is_never_older_than_the_question():
    """A listing that was under way when a name was added may lack it."""
    listing, there, wrong, calls = SharedListing(), set(), [], []

    def listed():
        calls.append(1)
        found = frozenset(there)
        time.sleep(0.001)
        return found

    def add_and_look(number):
        for step in range(20):
            there.add(f"{number} {step}")
            if f"{number} {step}" not in listing.names(listed):
                wrong.append((number, step))

    threads = [Thread(target=add_and_look, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(calls) < 6 * 20, "those who wait share an answer"


def test_an_error_is_of_the_one_who_asked():
    listing, both = SharedListing(), Barrier(2)
    found = []

    def fails():
        both.wait()
        time.sleep(0.01)
        raise OSError("no answer")

    def waits():
        both.wait()
        found.append(listing.names(lambda: frozenset("a")))

    thread = Thread(target=waits)
    thread.start()
    with pytest.raises(OSError, match="no answer"):
        listing.names(fails)
    thread.join()
    assert found == [frozenset("a")]


def test_a_path_has_one_listing():
    files = object()
    assert listing_of(files, "a") is listing_of(files, "a")
    assert listing_of(files, "a") is not listing_of(files, "b")

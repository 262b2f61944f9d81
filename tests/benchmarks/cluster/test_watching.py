import pytest

from benchmarks.cluster.watching import WAYS, compare, parts, table


@pytest.mark.exhaustive  # the program itself, which nothing else needs
@pytest.mark.cluster
def test_seconds_are_counted():
    found = compare(tasks=20, repeats=1, pause=0.0)
    assert list(found) == list(WAYS)
    assert all(wall > 0 and cpu > 0 for runs in found.values() for wall, cpu in runs)
    assert len(list(table(found))) == 1 + len(WAYS)


def test_what_is_added_is_counted():
    found = parts(tasks=50)
    assert list(found) == ["described", "counted"]
    assert all(seconds >= 0 for seconds in found.values())

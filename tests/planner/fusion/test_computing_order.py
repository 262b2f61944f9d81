"""In which order a step computes what it is made of."""

from functools import reduce
from operator import itemgetter
from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.computing_order import computing_order
from dask_tapestry.planner.fusion.group import members_of


def drawn(seed):
    """Files that are combined in pairs at random, some of them more than once."""
    random = Random(seed)
    values = [dt.placeholder((10,), "f8") for _ in range(random.randint(2, 40))]
    for _ in range(random.randint(1, 60)):
        values.append(dt.maximum(random.choice(values), random.choice(values)) * random.random())
    return reduce(dt.minimum, values)


@pytest.mark.parametrize("seed", range(20))
def test_all_members_are_there_after_what_they_read(seed):
    y = drawn(seed)
    members = members_of(y.node, ())
    order = computing_order(members)
    place = {member: number for number, member in enumerate(order)}
    assert set(order) == set(members)
    assert order[-1] is y.node
    assert all(place[x] < place[member] for member in order for x in member.inputs)


@pytest.mark.parametrize("turned", [False, True])
def test_a_total_comes_before_what_is_added_to_it(turned):
    files = [dt.placeholder((10,), "f8") for _ in range(20)]
    y = reduce(lambda total, x: dt.hypot(*((x, total) if turned else (total, x))), files)
    order = computing_order(members_of(y.node, ()))
    places = sorted((order.index(x.node), number) for number, x in enumerate(files))
    later = list(map(itemgetter(1), places))[2:]
    assert later == list(range(2, 20))


def test_few_members_stay_as_they_are():
    y = dt.placeholder((10,), "f8") + 1
    members = members_of(y.node, ())
    assert computing_order(members) is members

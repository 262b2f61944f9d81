from itertools import product

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.rank_networks import INPUT, box_network, places_network


def ran(network, x):
    """A network run cell by cell, for the window that begins at the first cell."""

    def value(number, place):
        if number == INPUT:
            return x[place]
        least, *refs = network.steps[number - 1]
        cells = [value(r.value, tuple(np.add(place, r.place).tolist())) for r in refs]
        return min(cells) if least else max(cells)

    return value(*network.result)


@pytest.mark.parametrize("window", [(1,), (2,), (5,), (2, 2), (3, 2), (1, 4)])
def test_every_order_of_zeros_and_ones_is_sorted(window):
    """A network that sorts zeros and ones sorts everything."""
    count = int(np.prod(window))
    places = tuple(np.ndindex(*window))
    for rank in range(count):
        box, scattered = box_network(window, rank), places_network(places, rank)
        for cells in product((0, 1), repeat=count):
            x = np.array(cells).reshape(window)
            assert ran(box, x) == ran(scattered, x) == sorted(cells)[rank]


def test_boxes_share_what_places_do_not():
    box = box_network((5, 5), 12)
    assert len(box.steps) < len(places_network(tuple(np.ndindex(5, 5)), 12).steps) * 0.7


def test_values_are_known_as_far_as_they_are_read():
    network = box_network((3, 3), 4)
    for number, step in enumerate(network.steps):
        for value, place in step[1:]:
            here, there = network.reach[number + 1], network.reach[value]
            assert all(p + q <= r for p, q, r in zip(place, here, there, strict=True))
            assert value <= number
            assert network.last[value] >= number
    assert network.reach[INPUT] == (2, 2)

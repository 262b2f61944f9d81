"""Sources that join slots join the sources for these, however deep they lie."""

import dask_tapestry as dt
from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.planner.joined_slots import with_joined_filled
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.node import form_of


def stored(count):
    return [dt.placeholder((4, 6), "f8", stored_chunks=(2, 3)).node.operator for _ in range(count)]


def joined(sources, axis=0):
    rows = sum(source.infer().shape[0] for source in sources) if axis == 0 else 4
    columns = sum(source.infer().shape[1] for source in sources) if axis else 6
    return joined_source(
        sources, axis, False, TensorType((rows, columns), sources[0].infer().dtype)
    )


def filling(slots, sources):
    return {form_of(slot): one for slot, one in zip(slots, sources, strict=True)}


def test_each_slot_takes_its_source():
    slots, sources = stored(3), stored(3)
    found = with_joined_filled(joined(slots), filling(slots, sources))
    assert found == joined(sources)
    assert with_joined_filled(joined(slots), filling(slots[1:2], sources[1:2])).joined == (
        slots[0],
        sources[1],
        slots[2],
    )


def test_slots_of_joined_sources_that_are_joined():
    slots, sources = stored(4), stored(4)
    wide, other = (
        joined_source(
            [joined(some[:2], 1), joined(some[2:], 1)],
            0,
            False,
            TensorType((8, 12), some[0].infer().dtype),
        )
        for some in (slots, sources)
    )
    assert with_joined_filled(wide, filling(slots, sources)) == other


def test_others_stay():
    slots, sources = stored(2), stored(2)
    one = joined(slots)
    assert with_joined_filled(one, filling(sources, slots)) is one
    operator = dt.ones(3).node.operator
    assert with_joined_filled(operator, filling(slots, sources)) is operator

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.peak import Peak, TurnPeak, all_bytes, peak_bytes
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import stored

BOX = ZRange((0, 0), (1000, 1000))
BYTES = BOX.size * 8


def scheduled(x, box=BOX):
    program = group_of(x.node, set()).program
    return program, program.schedule(box)


def test_arrays_live_until_their_last_use():
    assert peak_bytes(*scheduled(dt.sqrt(stored()) @ stored((1000, 1000)))).all == 3 * BYTES
    assert peak_bytes(*scheduled(stored().T, ZRange((0, 0), (1000, 500)))).last == BYTES / 2


def test_what_is_computed_in_turns_takes_what_is_told():
    program, schedule = scheduled(stored() + 1)
    value = len(program.types) - 1
    told = {(value, BOX): TurnPeak(500, Peak(10, 20, 30, 40, 0))}
    peak = peak_bytes(program, schedule, told)
    assert peak == Peak(BYTES + 510, 520, BYTES + 30, BYTES + 540, 500)


def test_a_view_is_copied_before_it_is_written(tmp_path):
    cells, view = [
        dt.to_zarr(x, tmp_path / name, chunks=(1000, 1000), compute=False)
        for name, x in {"a": stored((1000, 1000)) + 1, "b": stored((1000, 1000)).T}.items()
    ]
    assert peak_bytes(*scheduled(view)).all == peak_bytes(*scheduled(cells)).all + BYTES


@pytest.mark.parametrize("chunk", [(100, 100), (30, 7)])
def test_all_bytes_are_no_less_than_the_peak(chunk):
    x = stored((400, 300), "f8", chunk)
    for y in (x + 1, x.T, (x + x.T[:1, :1]).sum(0), x.cumsum(0).T[::2], dt.sort(x, axis=0)):
        program = group_of(y.node, set()).program
        schedule = program.schedule(program.type.box)
        least = peak_bytes(program, schedule).last + program.type.nbytes
        assert all_bytes(program, schedule) >= max(peak_bytes(program, schedule).all, least)


@pytest.mark.parametrize(
    ("rows", "copied"), [((0, 1000), 1), ((1, 1001), 0), ((0, 1), 0), ((1999, 2000), 0)]
)
def test_what_is_joined_of_one_input_alone_is_no_copy(rows, copied):
    x = stored((2000, 1000))
    box = ZRange((rows[0], 0), (rows[1], 1000))
    program, schedule = scheduled(dt.roll(x, 1, axis=0) - x, box)
    read = 8 * sum(cells.size for cells in schedule.boxes[0])
    known = pytest.approx(read + (1 + copied) * 8 * box.size, abs=8000)  # a row is dropped
    assert peak_bytes(program, schedule).all == known
    joining = [w for w in schedule.works if program.instruction(w.value).operator.passes_alone]
    assert list(map(program.copies, joining)) == [bool(copied)]

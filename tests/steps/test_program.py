import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import PIECE_BYTES, SCHEDULES_REMEMBERED
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import last_step, stored


def boxes(text):
    return [str(box) for box in text]


def test_demands_follow_slices_to_the_source():
    program = last_step((stored() * 2)[10:20, ::-1]).program
    schedule = program.schedule(ZRange((2, 0), (4, 1000)))
    (source, *_) = schedule.boxes
    assert boxes(source) == ["[12:14, 0:1000]"]


def test_works_come_inputs_first():
    program = last_step((stored() * 2 + stored()).T).program
    schedule = program.schedule(ZRange((0, 0), (10, 10)))
    seen = set(range(len(program.inputs)))
    for work in schedule.works:
        instruction = program.instructions[work.value - len(program.inputs)]
        assert set(instruction.inputs) <= seen
        assert {source for source, _ in work.reads} == set(instruction.inputs)
        seen.add(work.value)
    assert work.box == ZRange((0, 0), (10, 10))


def test_a_value_that_is_read_twice_is_held_once():
    x = stored((10,), chunks=(10,)) + 1
    program = last_step(x[1:] + x[:-1]).program
    schedule = program.schedule(ZRange((0,), (9,)))
    assert boxes(schedule.boxes[0]) == ["[0:10]"]
    assert schedule.holder(0, ZRange((1,), (10,))) == ZRange((0,), (10,))


def test_far_boxes_are_held_apart():
    x = stored((1000,), chunks=(10,))
    program = last_step(x[:10] + x[990:]).program
    source = program.schedule(ZRange((0,), (10,))).boxes[0]
    assert boxes(sorted(source, key=lambda b: b.lo)) == ["[0:10]", "[990:1000]"]


def test_boxes_of_what_is_read_once_are_single():
    x = stored()
    assert last_step(dt.sqrt(x) * 2).program.reads_single_boxes
    assert not last_step(x[:500] + x[500:1000]).program.reads_single_boxes
    assert not last_step(dt.reshape(x, (50_000, 2000)) + 1).program.reads_single_boxes


def test_types_of_all_values():
    program = last_step(stored().astype("f4") @ stored((1000, 3), "f4", None)).program
    assert program.type == TensorType((100_000, 3), np.dtype("f4"))
    assert program.types[: len(program.inputs)] == program.inputs
    assert Program((program.type,), ()).type == program.type


def test_it_pickles():
    program = last_step(stored() + 1).program
    assert pickle.loads(pickle.dumps(program)) == program


@given(st.integers(0, 8), st.data())
def test_what_a_block_reads_is_enough(lo, data):
    """Computing from the boxes read alone gives the cells of the whole."""
    hi = data.draw(st.integers(lo + 1, 9))
    cells = np.arange(10.0)
    x = dt.asarray(cells)
    value = (x * 2)[1:] - x[:-1]
    np.testing.assert_array_equal(value[lo:hi].compute(), (cells[1:] * 2 - cells[:-1])[lo:hi])


def test_values_in_between_are_rounded_out_and_the_output_is_not():
    pairs = dt.block_operator(
        index={"i": "parallel"},
        inputs={"x": "i"},
        outputs={"z": dt.IndexProjection([[2]], [0], [2])},
        dtype="f8",
    )(lambda x: np.repeat(x, 2))
    program = last_step(pairs(dt.placeholder((500,), "f8")) + 1).program
    span = (ZRange((3,), (6,)),)
    assert program.granularity[-2:] == ((2,), None)
    assert program.schedule(*span).boxes[-2:] == ((ZRange((2,), (6,)),), span)
    assert program.schedule(*span, rounded=False).boxes[-2:] == (span, span)


def test_programs_are_equal_without_their_data():
    one, two = (last_step(stored() * 2).program for _ in range(2))
    other = last_step(stored((500, 20)) * 2).program
    assert one != two
    assert one.without_data == two.without_data != other.without_data


def test_data_read_twice_is_not_taken_for_other_data():
    x, y = stored(), stored()
    same, several = last_step(x + x[::-1]).program, last_step(x + y[::-1]).program
    assert same.without_data != several.without_data


def test_of_many_schedules_the_latest_ones_are_remembered():
    program = last_step(stored() * 2).program
    found = [program.schedule(ZRange((n, 0), (n + 1, 9))) for n in range(SCHEDULES_REMEMBERED + 1)]
    assert len(program._schedules) <= SCHEDULES_REMEMBERED
    recent = len(found) - SCHEDULES_REMEMBERED // 2
    for n in range(recent, len(found)):
        assert program.schedule(ZRange((n, 0), (n + 1, 9))) is found[n]
    assert program.schedule(ZRange((0, 0), (1, 9))) is not found[0]


def test_a_program_that_nobody_holds_is_gone():
    program = last_step(stored() + 1).program
    own = Program(program.inputs, program.instructions)
    assert own.anywhere is own
    part = own.inside([(ZRange((0, 0), (1, 1)), ZRange((2, 0), (3, 1)))] * len(own.types))
    assert part.anywhere == own
    assert part.anywhere is part.anywhere
    refs = [weakref.ref(own), weakref.ref(part)]
    gc.disable()
    try:
        del own, part
        assert [ref() for ref in refs] == [None, None]
    finally:
        gc.enable()


def test_what_is_stored_has_codecs_or_none(tmp_path):
    coded, plain = tmp_path / "coded", tmp_path / "plain"
    dt.to_zarr(dt.ones((4, 4)), coded)
    dt.to_zarr(dt.ones((4, 4)), plain, compressors=None)
    for place, codec in ((coded, "zstd"), (plain, "plain")):
        read = dt.from_zarr(place) + 1
        assert last_step(read).program.codecs == (codec, "plain"), "nothing is written"
        for how, written in (({}, "zstd"), ({"compressors": None}, "plain")):
            copied = dt.to_zarr(read, tmp_path / "copy", compute=False, **how)
            assert last_step(copied).program.codecs == (codec, written)


def test_what_it_says_of_pieces_travels_and_tells_it_apart():
    program = last_step((stored() * 2)[10:20]).program
    other = replace(program, piece_bytes=2**20)
    assert (program.most_at_once, other.most_at_once) == (PIECE_BYTES, 2**20)
    assert program != other
    again = pickle.loads(pickle.dumps(other))
    assert again == other
    assert hash(again) == hash(other)
    assert again.without_data.piece_bytes == 2**20

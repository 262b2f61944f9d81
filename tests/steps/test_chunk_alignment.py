"""Where cuts should fall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.matrices.row_blocks import triangles_of_blocks
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.chunk_alignment import ChunkAlignment, common_unit, units
from dask_tapestry.zspace import Cuts
from tests.examples import examples
from tests.planner.graphs import ROOMY, last_step, stored


@pytest.mark.parametrize("side", [10, 64, 1000])
def test_cuts_fall_between_stored_chunks(side):
    (rows, columns) = last_step(stored((100_000, 100), "f8", (side, 100)) + 1).cuts
    assert rows.count > 1
    assert rows.step % side == 0
    assert columns.count == 1


def test_cuts_of_a_slice_fall_between_stored_chunks():
    cuts, _ = last_step(stored()[100:] + 1).cuts
    assert cuts.count > 1
    assert cuts.lead % 1000 == 900
    assert cuts.step % 1000 == 0


def test_a_permuted_value_is_cut_where_its_source_is():
    (columns, rows) = last_step((stored() + 1).T).cuts
    assert columns.count == 1
    assert rows.count > 1
    assert rows.step % 1000 == 0


@pytest.mark.parametrize("side", [7, 3000, 99_999])
def test_cuts_of_a_sink_fall_between_its_pieces(tmp_path, side):
    sink = dt.to_zarr(stored() + 1, tmp_path / "x", chunks=(side, 1000), compute=False)
    (rows, _) = last_step(sink, resources=ROOMY).cuts
    assert rows.count == 1 or (rows.step % side, rows.lead % side) == (0, 0)


def test_the_pieces_of_a_sink_go_before_the_chunks_of_a_source(tmp_path):
    sink = dt.to_zarr(stored(), tmp_path / "x", chunks=(1500, 1000), compute=False)
    (rows, _) = last_step(sink).cuts
    assert rows.step % 1500 == 0


def test_pieces_of_a_sink_are_cut_within_larger_chunks_of_a_source(tmp_path):
    x = stored((6000, 6000), "f8", (100, 6000))
    sink = dt.to_zarr(x, tmp_path / "x", chunks=(6000, 100), compute=False)
    p = dt.plan(sink, resources=dt.Resources(workers=2, threads=1, memory="200 MB"))
    rows, columns = p.core.steps[sink.node].cuts
    assert rows.count == 1
    assert columns.count > 1
    assert columns.step % 100 == 0


def test_the_unit_of_a_slice_begins_with_the_rest_of_a_chunk():
    step = last_step(stored()[100:] + 1)
    assert units(step.program, ())[0] == ChunkAlignment(1000, 900)


def test_a_sorted_axis_is_whole():
    step = last_step(dt.sort(dt.broadcast_to(dt.arange(50.0), (40, 50)), axis=1))
    assert units(step.program, ())[1] == ChunkAlignment(50, 0, required=True)


@pytest.mark.parametrize(
    ("cuts", "allowed"),
    [
        (Cuts.regular(100, 100), True),
        (Cuts.regular(100, 20), True),
        (Cuts.regular(100, 15), False),
        (Cuts.regular(100, 20, 15), False),
        (Cuts.of_lengths([10, 30, 20, 40]), False),
    ],
)
def test_pieces_of_one_task_are_not_divided(cuts, allowed):
    assert ChunkAlignment(10, required=True).allows(cuts) is allowed
    assert ChunkAlignment(10).allows(cuts)


@examples(200)
@given(
    st.integers(0, 500),
    st.integers(1, 600),
    st.integers(1, 90),
    st.integers(0, 89),
    st.booleans(),
    st.integers(0, 5),
)
def test_any_extent_is_tiled_once(extent, pieces, length, lead, required, parts):
    least = length if parts and required else None
    length *= parts or 1
    unit = ChunkAlignment(length, lead % length, required, least=least)
    cuts = unit.cut(extent, pieces)
    assert sum(cuts.lengths()) == extent
    assert all(n > 0 for n in cuts.lengths()) or not extent
    assert unit.allows(cuts)


@pytest.mark.parametrize("shift", [0, 1, 5])
def test_cuts_fall_between_cells_that_are_computed_together(shift):
    triples = dt.block_operator(
        index={"i": "parallel"},
        inputs={"x": "i"},
        outputs={"z": dt.IndexProjection([[3]], [0], [3])},
        dtype="f8",
    )(lambda x: np.repeat(x, 3))
    x = triples(stored((10**8,), "f8", (10**5,)))
    (cuts,) = last_step((x + 1)[shift:]).cuts
    assert cuts.count > 1
    assert cuts.step % 3 == (cuts.lead + shift) % 3 == 0


@given(
    st.integers(1, 30), st.integers(0, 29), st.integers(1, 30), st.integers(0, 29), st.booleans()
)
def test_units_meet_where_both_have_edges(length, lead, other, shift, required):
    one, two = (
        ChunkAlignment(length, lead % length, True),
        ChunkAlignment(other, shift % other, True),
    )
    both = common_unit([(8, one), (9, two), (10, ChunkAlignment(7, 3, False))])
    edges = [{x for x in range(2000) if (x - u.lead) % u.length == 0} for u in (one, two, both)]
    assert both.required
    assert edges[2] <= edges[0]
    if edges[0] & edges[1]:
        assert edges[2] <= edges[1]


@given(st.integers(2, 30), st.integers(0, 40), st.integers(2, 400), st.integers(2, 60))
def test_steps_that_do_not_divide_chunks_are_cut_where_a_chunk_is_read_first(
    pace, lead, extent, pieces
):
    length = 31 + pace
    unit = ChunkAlignment(length, lead % length, pace=pace)
    cuts = unit.cut(extent, pieces)
    assert cuts.extent == extent
    if extent * pace <= pieces * length:
        return  # pieces of chunks
    for edge in cuts.inner_edges():
        before, behind = ((cell * pace - unit.lead) // length for cell in (edge - 1, edge))
        assert before < behind


def test_a_step_that_does_not_divide_chunks_reads_each_once_along_kept_axes():
    x = dt.placeholder((14_000, 14_000), "f8", stored_chunks=(2000, 2000))
    machine = dt.Resources(workers=4, threads=1, memory="4 GB")
    plan = dt.plan(x[::7, ::11].mean(axis=0), resources=machine)
    assert plan.cost["bytes_read"] == x.nbytes


def test_a_value_and_its_transpose_are_cut_between_chunks():
    x = dt.placeholder((14_000, 14_000), "f8", stored_chunks=(2000, 2000))
    rows, columns = units(group_of((x + x.T).node, set()).program, ())
    assert rows.length == columns.length == 2000


def test_cells_computed_together_meet_chunks_in_steps_of_their_own():
    """Triangles of 1250 rows, 64 rows each: a chunk of 500,000 rows makes 25,600 of them."""
    x = dt.placeholder((10**7, 64), "f8", (500_000, 64))
    made = triangles_of_blocks(x.node, 1250)
    program = group_of(made, {made}).program
    unit = units(program, ())[0]
    assert (unit.length, unit.lead, unit.required) == (25_600, 0, True)
    assert unit.least == 64


@pytest.mark.parametrize(
    ("key", "length"),
    [
        (slice(None, None, -1), 24),
        (slice(3640, None, -1), 24),
        (slice(None, None, -3), 8),
    ],
)
def test_what_is_read_backwards_is_cut_between_chunks(key, length):
    x = dt.placeholder((3652, 400, 600), "f4", (24, 400, 600))
    y = x[key] + 1
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    cuts = last_step(y, resources=machines).cuts[0]
    assert cuts.count > 1
    assert cuts.step % length == 0
    assert dt.plan(y, resources=machines).cost["bytes_read"] <= 1.01 * x.nbytes


def stores(*lengths, chunk=24):
    return dt.concatenate([stored((n, 5), "f8", (chunk, 5)) for n in lengths])


def test_the_unit_of_a_shift_begins_where_its_source_does():
    x = stored((14610, 5), "f8", (24, 5))
    for shifted in (
        dt.roll(x, 1, axis=0),
        dt.pad(x[:-1], ((1, 0), (0, 0))),
        dt.gradient(x, axis=0),
    ):
        program = group_of(shifted.node, set()).program
        assert units(program, (None,) * len(program.inputs))[0] == ChunkAlignment(24, 1)


def test_the_unit_of_several_stores_has_the_chunks_of_each():
    program = group_of(stores(50, 40).node, set()).program
    (unit, _) = units(program, ())
    assert (unit.places, unit.length) == ((24, 48, 50, 74), 24)
    assert list(unit.cut(90, 5).lengths()) == [24, 24, 2, 24, 16]
    assert list(unit.cut(90, 2).lengths()) == [48, 42]
    assert list(unit.cut(90, 8).lengths()) == [12, 12, 12, 12, 2, 12, 12, 16]
    assert unit.cut(90, 1).count == 1


def test_more_pieces_than_a_plan_lists_are_regular():
    places = tuple(n for n in range(3, 9000, 3) if n % 7)
    unit = ChunkAlignment.at(places, 9000)
    assert not unit.cut(9000, 2000).edges
    assert unit.cut(9000, 20).edges


def test_places_give_way_to_what_must_be():
    must, uneven = ChunkAlignment(10, required=True), ChunkAlignment.at((24, 48, 50), 90)
    assert common_unit([(8, must), (9, uneven)]) == must
    free = common_unit([(8, ChunkAlignment(1, required=True)), (9, uneven)])
    assert free.places == uneven.places
    assert free.allows(free.cut(90, 3))


def test_a_value_that_each_cell_reads_whole_tells_no_unit():
    x = stored((50, 4), "f8", (7, 4))
    program = group_of((x @ x.T).max(axis=1).node, set()).program
    assert not units(program, (None,) * len(program.inputs))[0].places


def field(days):
    return dt.placeholder((days, 721, 1440), "f4", stored_chunks=(24, 721, 1440))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("memory", ["16 GiB", "3 GiB"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: dt.pad(field(14610)[:-1], ((1, 0), (0, 0), (0, 0))),
        lambda: dt.roll(field(14610), 1, axis=0),
        lambda: dt.pad(field(14610), ((1, 1), (0, 0), (0, 0)), mode="edge"),
        lambda: dt.concatenate([field(7310), field(7300)]),
        lambda: field(14610)[::-1][5:] * 2,
    ],
    ids=["shift", "roll", "edge", "concatenate", "backwards"],
)
def test_stored_chunks_are_read_once(make, memory):
    y = make()
    p = dt.plan(y, resources=dt.Resources(workers=50, threads=4, memory=memory))
    assert p.cost["bytes_read"] < 1.01 * y.nbytes
    p.verify()


@pytest.mark.parametrize("pieces", [2, 3, 5, 9])
def test_joined_stores_have_their_cells_in_any_pieces(tmp_path, pieces):
    parts = [np.random.default_rng(n).random((n, 5)) for n in (50, 41, 33)]
    for n, part in enumerate(parts):
        dt.to_zarr(dt.asarray(part), tmp_path / str(n), chunks=(8 + n, 5))
    y = dt.roll(dt.concatenate([dt.from_zarr(tmp_path / str(n)) for n in range(3)]), 3, axis=0)
    program = group_of(y.node, set()).program
    cuts = units(program, (None,) * len(program.inputs))[0].cut(124, pieces)
    assert cuts.count > 1
    np.testing.assert_array_equal(
        y.rechunk((tuple(cuts.lengths()), -1)).compute(), np.roll(np.concatenate(parts), 3, axis=0)
    )


def test_very_many_pieces_are_regular_and_never_listed():
    unit = ChunkAlignment.at((10**11, 3 * 10**11), 10**12)
    cuts = unit.cut(10**12, 10**9)
    assert (cuts.step, cuts.count, cuts.edges) == (1000, 10**9, ())


def heat(x):
    return x + 0.1 * (dt.roll(x, 1, 0) + dt.roll(x, -1, 0) - 2 * x)


@pytest.mark.parametrize(
    "cuts",
    [Cuts.regular(2000, 250), Cuts.regular(2000, 250, 100), Cuts.of_lengths([300, 900, 100, 700])],
)
def test_a_held_value_is_read_where_its_blocks_are(cuts):
    """A cell reads its own place among others, as in a loop; a shift alone is followed."""
    x = dt.placeholder((2000, 10), "f8")
    around, shifted = (
        units(group_of(y.node, set()).program, [(cuts, Cuts.regular(10, 10))])[0]
        for y in (heat(x), dt.roll(x, 3, 0))
    )
    edges = [cuts.block(number)[0] for number in range(1, cuts.count)]
    first = around.lead or around.length
    assert list(around.places or range(first, 2000, around.length)) == edges
    assert shifted != around


def test_of_a_value_and_its_transpose_the_cuts_of_its_own_axis_are_taken():
    x = dt.placeholder((2000, 2000), "f8")
    held = [(Cuts.regular(2000, 250), Cuts.regular(2000, 400))]
    rows, columns = units(group_of((x + x.T).node, set()).program, held)
    assert (rows.length, columns.length) == (250, 400)


def test_stored_chunks_are_read_from_their_first_cell_on():
    """Each is read by one block and by the edge of another, so that few are read twice."""
    source = stored((2000, 10), "f8", (250, 10))
    unit, _ = units(group_of(heat(source).node, set()).program, [None])
    assert (unit.length, unit.lead) == (250, 1)

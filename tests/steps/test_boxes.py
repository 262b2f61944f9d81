import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.steps import boxes
from dask_tapestry.steps.boxes import BoxHolder, BoxIndex, holder, merged, rounded_out
from dask_tapestry.steps.tuning import EXTRA_CELLS, FEW_BOX_CELLS
from dask_tapestry.zspace import ZRange

BOXES = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 9), st.integers(0, 5)).map(
        lambda t: ZRange((t[0], t[2]), (t[0] + t[1], t[2] + t[3]))
    ),
    max_size=5,
)


@given(BOXES, st.sampled_from([0.0, EXTRA_CELLS, 1.0]))
def test_merged_boxes_hold_all_and_no_more_than_they_must(given_boxes, room):
    held = merged(given_boxes, room=room)
    for box in given_boxes:
        assert box.is_empty or any(h.contains(box) for h in held)
    for h in held:
        inside = sum(box.size for box in given_boxes if h.contains(box))
        assert h.size <= max(FEW_BOX_CELLS, inside + room * inside)
    full = [h for h in held if not h.is_empty]
    assert not any(a is not b and a.contains(b) for a in full for b in full)


@given(BOXES, st.lists(st.integers(0, 9), max_size=5), st.booleans())
def test_what_is_merged_does_not_depend_on_what_is_far_away(given_boxes, turns, behind):
    """The order of the boxes does not depend on where the far ones are, either."""
    away = (10**6, -(10**6)) if behind else (-(10**6), 10**6)
    filled = [box for box in given_boxes if not box.is_empty]
    mixed = list(filled)
    for box, turn in zip(filled, turns, strict=False):
        mixed.insert(turn, box.translate(away))
    alone = merged(filled)
    assert [box for box in merged(mixed) if abs(box.lo[0]) < 1000] == list(alone)


def test_boxes_of_a_chain_of_stencils_do_not_multiply():
    """On a torus: what lies at the other end of an axis stays apart from what lies here."""
    n, boxes = 1000, (ZRange((0, 0), (100, 1000)),)
    for depth in range(1, 20):
        wanted = []
        for box in boxes:
            for shift in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
                wanted += on_torus(box.translate(shift), n)
        boxes = merged(wanted)
        assert len(boxes) <= 2
        assert sum(box.size for box in boxes) == n * (100 + 2 * depth)


def on_torus(box, n):
    """The boxes within n x n cells that a box is, whose rows and columns go on at the other end."""
    moved = [box.translate((a, b)) for a in (-n, 0, n) for b in (-n, 0, n)]
    parts = [one.intersection(ZRange((0, 0), (n, n))) for one in moved]
    return [part for part in parts if not part.is_empty]


def test_nothing_merged_is_nothing():
    assert merged([]) == ()
    empty = ZRange((3,), (3,))
    assert merged([empty, empty]) == (empty,)


@given(BOXES, BOXES)
def test_boxes_merged_within_others_lie_each_in_one(given_boxes, others):
    """However near boxes are, they are merged only where one of the others holds both."""
    filled = [box for box in others if not box.is_empty]
    parts = [b.intersection(o) for b in given_boxes for o in filled]
    parts = [part for part in parts if not part.is_empty]
    held = merged(parts, filled)
    for box in held:
        assert any(o.contains(box) for o in filled)
    for part in parts:
        assert held[holder(held, part)].contains(part)
    assert not any(a is not b and a.contains(b) for a in held for b in held)


def test_near_boxes_of_far_ones_stay_apart():
    far = ZRange((0, 0), (1, 40)), ZRange((1, 30), (2, 70))
    near = [ZRange((0, 35), (1, 36)), ZRange((1, 35), (2, 36))]
    assert merged(far) == far
    assert merged(near) == (ZRange((0, 35), (2, 36)),)
    assert merged(near, far) == tuple(near)


@given(BOXES, BOXES)
def test_an_index_finds_the_boxes_that_contain_another(given_boxes, others):
    held = [box for box in given_boxes if not box.is_empty]
    if held:
        index = BoxIndex(held)
        for box in [*others, *held]:
            expected = [number for number, one in enumerate(held) if one.contains(box)]
            if not box.is_empty:
                assert sorted(index.containing(box)) == expected
            if expected:
                assert (
                    holder(held, box, index) == holder(held, box) == expected[0] * (len(held) > 1)
                )


@given(BOXES)
def test_boxes_that_are_held_are_found_by_their_number(read):
    held = merged(read)
    own = BoxHolder(held)
    for box in [*held, *read, *[ZRange(one.lo, one.hi) for one in held]]:
        assert own.number(box) == holder(held, box)


@given(BOXES)
def test_boxes_that_are_not_merged_stay_the_same_objects(read):
    held = merged(read)
    if len(held) == len(read):
        assert all(one is box for one, box in zip(held, read, strict=True))


def test_what_is_not_held_is_an_error_that_says_so():
    held = ZRange((0,), (3,)), ZRange((5,), (9,))
    assert holder(held, ZRange((6,), (9,))) == 1
    with pytest.raises(dt.PlanError, match=r"\[2:6\] are read, of which only \[0:3\], \[5:9\]"):
        holder(held, ZRange((2,), (6,)))
    with pytest.raises(dt.PlanError, match=r"\[2:6\] are read, of which only \[0:3\], \[5:9\]"):
        holder(held, ZRange((2,), (6,)), BoxIndex(held))
    with pytest.raises(dt.PlanError, match="only none"):
        holder((), ZRange((2,), (6,)))
    with pytest.raises(dt.PlanError):
        merged([ZRange((2,), (6,)), ZRange((7,), (8,))], held)


def test_boxes_are_rounded_out_to_cells_computed_together():
    box = ZRange((4, 4, 4, 4), (5, 5, 5, 5))
    assert rounded_out(box, (1, 3, 0, 4), (9, 9, 9, 7)) == ZRange((4, 3, 0, 4), (5, 6, 9, 7))
    empty = ZRange((4, 4), (4, 5))
    assert rounded_out(empty, (3, 0), (9, 9)) == empty


SPANS = st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 400)), min_size=2, max_size=30)


@given(SPANS, st.sampled_from([0.0, EXTRA_CELLS, 1.0]))
def test_the_next_box_before_that_has_room_is_the_one_of_a_look_at_all(spans, room):
    def taken(hull, held):
        """Merge a box, without a look at how far the others reach."""
        for number in range(len(held) - 1, -1, -1):
            lo, hi, cells = held[number]
            size, both = max(hi, hull[1]) - lo, cells + hull[2]
            gap = hull[0] - hi
            near = gap <= max(FEW_BOX_CELLS, room * (hull[1] - lo))
            if near and size <= max(FEW_BOX_CELLS, both + room * both):
                held[number] = lo, lo + size, min(size, both)
                return held
        return [*held, hull]

    hulls, count = [(a, a + n, n) for a, n in dict.fromkeys(spans)], 0
    whole = max(h[1] for h in hulls) - min(h[0] for h in hulls)
    if whole <= max(FEW_BOX_CELLS, max(h[2] for h in hulls)):
        hulls = [(min(h[0] for h in hulls), max(h[1] for h in hulls), 0)]
    while count != len(hulls) > 1:
        count, found = len(hulls), []
        for hull in sorted(hulls):
            found = taken(hull, found)
        hulls = found
    expected = {(lo, hi) for lo, hi, _ in hulls}
    made = merged([ZRange((a,), (a + n,)) for a, n in spans], room=room)
    assert {(box.lo[0], box.hi[0]) for box in made} == expected


def test_boxes_behind_gaps_are_not_compared_with_each_other(monkeypatch):
    looked_at = []
    reach = boxes._HullRow._reach

    def counted(row, hull):
        looked_at.append(hull)
        return reach(row, hull)

    monkeypatch.setattr(boxes._HullRow, "_reach", counted)
    monkeypatch.setattr(boxes, "_any_near", lambda *_: True)  # which tells them apart before
    months = [ZRange((365 * year,), (365 * year + 31,)) for year in range(200)]
    assert len(merged(months, room=EXTRA_CELLS)) == len(months)
    assert 0 < len(looked_at) < 4 * len(months)


@given(BOXES, st.sampled_from([0.0, EXTRA_CELLS, 1.0]))
def test_boxes_that_are_told_apart_would_not_be_merged(given_boxes, room):
    found = merged(given_boxes, (), room)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(boxes, "_any_near", lambda *_: True)
        assert merged(given_boxes, (), room) == found


def test_rows_that_begin_at_other_places_are_not_compared_with_each_other(monkeypatch):
    looked_at = []
    monkeypatch.setattr(boxes._Hull, "take", lambda *_: looked_at.append(1))
    rows = [ZRange((n, 1000 * n), (n + 1, 1000 * n + 500)) for n in range(200)]
    assert len(merged(rows, room=EXTRA_CELLS)) == len(rows)
    assert not looked_at


@given(st.lists(st.tuples(*[st.integers(0, 40), st.integers(1, 25)] * 2), min_size=2, max_size=6))
def test_large_boxes_are_merged_whatever_is_far_away_along_one_axis(places):
    near = [ZRange((a, c), (a + b, c + d)) for a, b, c, d in places]
    alone = merged(near)
    for away in ((10**6, 0), (0, 10**6), (10**6, -(10**6))):
        mixed = merged([*near[:1], near[-1].translate(away), *near[1:]])
        assert [box for box in mixed if max(map(abs, box.lo)) < 1000] == list(alone)


@given(SPANS, st.integers(FEW_BOX_CELLS, 10**4), st.sampled_from([0.0, EXTRA_CELLS, 1.0]))
def test_large_boxes_are_merged_alike_whatever_they_are_long_where_all_are_alike(
    spans, length, room
):
    def along(side):
        rows = [ZRange((5, a, 0), (5 + side, a + n, 1)) for a, n in spans]
        return [(box.lo[1], box.hi[1]) for box in merged(rows, room=room)]

    assert along(length) == along(FEW_BOX_CELLS)


def test_large_boxes_that_are_alike_along_an_axis_are_compared_once(monkeypatch):
    compared = []
    together = boxes._compared
    monkeypatch.setattr(boxes, "_compared", lambda *a: compared.append(a) or together(*a))
    for side in (1000, 2000, 3000):
        months = [ZRange((366 * year, 7), (366 * year + 29, 7 + side)) for year in range(200)]
        assert merged(months) == tuple(months)
    assert len(compared) == 1

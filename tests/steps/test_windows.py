from itertools import pairwise

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.windows import hull_of, needs_of, opened, sharing_pieces, sliding
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import stored

X = stored((8000, 6000), "f8", (1000, 500))
Y = stored((8000, 6000), "f8", (800, 600))


def slid(x, dim, excess, box=None):
    program = group_of(x.node, set()).program
    own = opened(program)
    return own, sliding(own, box or program.type.box, dim, excess)


def test_stored_values_become_inputs_after_the_others():
    program = group_of((dt.asarray([1.0] * 6000) + X * Y).node, set()).program
    own = opened(program)
    assert [str(t) for t in own.program.inputs] == [
        "float64[6000]",
        "float64[8000, 6000]",
        "float64[8000, 6000]",
    ]
    assert [one.operator.chunks for one in own.sources] == [(1000, 500), (800, 600)]
    box = ZRange((5, 6), (50, 60))
    assert sum(own.program.schedule(box).boxes, ()) != ()
    assert set(own.program.schedule(box).boxes) <= set(program.schedule(box).boxes)


def test_what_reads_nothing_or_nothing_else_has_no_windows():
    for x in (X, dt.asarray([1.0]) + 1, dt.arange(9) * 2):
        assert opened(group_of(x.node, set()).program) is None


WINDOWS = {
    "rows that end with chunks": (X[10:] - X[:-10], 0, 8, (1010,), 1000),
    "parts of chunks": (X[10:] - X[:-10], 0, 80, (1010,), 100),
    "several chunks": (X[10:] - X[:-10], 0, 4, (2010,), 2000),
    "columns": (X[:, 10:] - X[:, :-10], 1, 12, (510,), 500),
    "columns as rows": ((X[:, 10:] - X[:, :-10]).T, 0, 12, (510,), 500),
    "cells skipped": (X[::7] + 1, 0, 8, (1000,), 143),
    "chunks of two": (X + Y, 0, 8, (1000, 1600), 1000),
}

LAPLACIAN = sum(dt.roll(X, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * X
APART = {  # how far cells along an axis lie apart in each window
    "rolled": (X * dt.roll(X, 1, 0), (0, 0)),
    "rolled far": (X - dt.roll(X, -3000, 0), (0, 0, 0)),
    "around": (LAPLACIAN, (0, 0, 0)),
    "padded": (dt.pad(X, 1, mode="wrap")[2:, 1:-1] + dt.pad(X, 1, mode="wrap")[1:-1, 2:], (0, 0)),
    "two corners": (X[:6000] + X[:6000].T, (0, 1)),
}


def in_windows(value, box, excess=8):
    """Windows of a box, and for each piece what it needs of each of their boxes."""
    own, found = slid(value, 0, excess, box)
    assert found is not None
    needs = []
    for span in pairwise(found.line):
        boxes = own.boxes(box.replace(0, *span))
        for number, parts in enumerate(boxes):
            windows = [window for window in found.windows if window.number == number]
            inside = needs_of(parts, [window.box for window in windows])
            assert sum(need is not None for need in inside) >= bool(parts)
            needs.append(list(zip(windows, inside, strict=True)))
    return found, needs


@pytest.mark.parametrize("corner", [(0, 0), (3000, 0), (5000, 3000)])
@pytest.mark.parametrize("name", APART)
def test_boxes_that_lie_apart_have_windows_of_their_own(name, corner):
    value, _ = APART[name]
    if name == "two corners" and corner[0] != corner[1]:
        corner = (0, 3000)
    box = ZRange(corner, (corner[0] + 3000, corner[1] + 3000))
    found, needs = in_windows(value, box)
    there = {window: window.box.lo[window.axis] for window in found.windows}
    for piece in needs:
        for window, need in piece:
            if need is None:
                continue
            start, stop = need.lo[window.axis], need.hi[window.axis]
            if stop > there[window]:
                there[window] = window.end(stop)
            assert window.box.contains(need)
            assert there[window] - start <= window.length
    if name != "two corners":  # each of these chunks along the rows is a part of a chunk's column
        assert found.nbytes < 0.8 * sum(window.box.size for window in found.windows) * 8


def test_a_row_that_the_first_piece_needs_alone_is_no_chunk_in_memory():
    box = ZRange((0, 0), (4000, 6000))
    found, _ = in_windows(X - dt.roll(X, 1, 0), box)
    near, far = sorted(found.windows, key=lambda window: window.box.lo)
    assert far.box == ZRange((7999, 0), (8000, 6000))
    assert (far.length, far.in_place) == (1, None)
    assert near.length == 1001


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_take_a_row_of_chunks_and_what_is_kept(name):
    value, dim, excess, lengths, longest = WINDOWS[name]
    _, found = slid(value, dim, excess)
    assert tuple(window.length for window in found.windows) == lengths
    assert max(b - a for a, b in pairwise(found.line)) <= longest
    assert found.line[0] == 0
    assert found.line[-1] == value.shape[dim]


def test_all_that_pieces_need_is_in_windows():
    for value, dim, excess, *_ in WINDOWS.values():
        box = value.node.type.box.replace(dim, 700, 4321)
        own, (line, windows) = slid(value, dim, excess, box)
        there = [window.box.lo[window.axis] for window in windows]
        for span in pairwise(line):
            needs = map(hull_of, own.boxes(box.replace(dim, *span)))
            for n, (window, need) in enumerate(zip(windows, needs, strict=True)):
                assert window.box.contains(need)
                start, stop = need.lo[window.axis], need.hi[window.axis]
                if stop > there[n]:
                    there[n] = window.end(stop)
                    assert there[n] - start <= window.length


def averaged(steps, window):
    """Means of windows of maps, each in a chunk of its own."""
    maps = stored((steps, 721, 1440), "f4", (1, 721, 1440))
    padded = dt.pad(maps, ((window - 1, 0), (0, 0), (0, 0)))
    return dt.lib.stride_tricks.sliding_window_view(padded, window, axis=0).mean(-1)


def test_windows_that_begin_with_the_value_move_on_later():
    value = averaged(4000, 700)
    for start, stop in ((0, 4000), (0, 1500), (300, 2000)):
        box = value.node.type.box.replace(0, start, stop)
        own = opened(group_of(value.node, set()).program)
        found = sliding(own, box, 0, 30, 1.25)
        assert len(found.line) > 4
        (window,) = found.windows
        boxes = [own.boxes(box.replace(0, *span))[0] for span in pairwise(found.line)]
        needs = list(map(hull_of, boxes))
        assert max(need.shape[0] for need in needs) == window.length


def test_pieces_are_shorter_where_windows_are_large():
    program = group_of(averaged(40_000, 720).node, set()).program
    wide = program.type.box.replace(0, 5000, 15_000)
    narrow = wide.replace(1, 0, 8)
    (large,), (small,) = (sharing_pieces(program, box, 4096).windows for box in (wide, narrow))
    assert large.length < 720 + 512 < small.length


NONE = {
    "back and forth": (X + X[::-1], ZRange((0, 0), (1000, 6000))),
    "backwards": (X[::-1] + 1, None),
    "all for each piece": (dt.sort(X, axis=0) + 1, None),
}


@pytest.mark.parametrize("name", NONE)
def test_where_needs_do_not_move_on_there_are_no_windows(name):
    value, box = NONE[name]
    _, found = slid(value, 0, 8, box)
    assert found is None

import re
from xml.etree import ElementTree

import pytest

from dask_tapestry.diagnostics.chunk_picture import chunk_picture
from dask_tapestry.errors import ShapeError

FACES = {1: 1, 2: 1, 3: 3, 4: 4, 5: 4, 6: 6}


@pytest.mark.parametrize("rank", FACES)
def test_chunks_of_any_rank_are_drawn(rank):
    picture = ElementTree.fromstring(chunk_picture(((2, 1),) * rank))
    assert len(picture.findall(".//polygon")) == FACES[rank]


def test_each_cut_is_a_line_at_its_place():
    picture = ElementTree.fromstring(chunk_picture(((30, 10), (10, 10, 20)), size=200))
    rows = [y.get("y1") for y in picture.iter("line") if y.get("y1") == y.get("y2")]
    columns = [x.get("x1") for x in picture.iter("line") if x.get("x1") == x.get("x2")]
    assert rows == ["0", "150", "200"]
    assert columns == ["0", "50", "100", "200"]


def test_dimensions_carry_their_numbers_of_cells():
    assert re.findall(r">(\d+)</text>", chunk_picture(((7,), (120, 3), (5,)))) == ["5", "123", "7"]


def test_all_lines_lie_within_the_picture():
    picture = ElementTree.fromstring(chunk_picture(((3, 4), (1,) * 100, (2, 2), (900,), (5,))))
    for grid in picture:
        left = float(re.search(r"\d+", grid.get("transform"))[0])
        for line in grid.iter("line"):
            assert 0 <= left + float(line.get("x1")) < float(picture.get("width"))
            assert 0 <= float(line.get("y2")) < float(picture.get("height"))


def test_of_many_cuts_the_last_one_is_drawn_and_not_all():
    picture = ElementTree.fromstring(chunk_picture(((1,) * 10**5, (4,)), size=200))
    heights = [float(line.get("y1")) for line in picture.iter("line") if line.get("x1") == "0"]
    assert max(heights) == 200
    assert len(heights) < 50


@pytest.mark.parametrize("chunks", [(), ((0,), (2,))])
def test_nothing_is_not_drawn(chunks):
    with pytest.raises(ShapeError):
        chunk_picture(chunks)

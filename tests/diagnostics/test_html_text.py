from dask_tapestry.diagnostics.html_text import html_text, named, table
from dask_tapestry.diagnostics.tuning import TEXT_LETTERS


def test_markup_and_what_cannot_be_written_are_replaced():
    assert html_text("<a href='x'>&\"") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;"
    assert html_text("a\x00b\x1b\ud800") == "a\ufffdb\ufffd\ufffd"
    html_text("\ud800").encode("utf-8")


def test_long_texts_are_cut():
    assert html_text("x" * TEXT_LETTERS) == "x" * TEXT_LETTERS
    assert html_text("x" * 10**6) == "x" * (TEXT_LETTERS - 1) + "…"


def test_a_writing_direction_ends_with_its_name():
    assert named("\u202eabc") == "<bdi>\u202eabc</bdi>"


def test_a_table_has_a_head_and_rows():
    assert table(["a"], [["1"], ["2"]]).count("<tr>") == 3

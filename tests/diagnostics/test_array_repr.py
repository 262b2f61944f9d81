import dask_tapestry as dt


def test_one_line():
    assert repr(dt.ones((4, 6)).rechunk((2, 3))) == (
        "dt.Array<rechunk, float64[4, 6], 4 blocks of (2, 3)>"
    )
    assert repr(dt.full((), 3)) == "dt.Array<full, int64[], 1 block>"
    assert repr(dt.zeros(3, "f4")) == "dt.Array<full, float32[3], 1 block of (3,)>"
    assert repr(dt.zeros((0, 2))) == "dt.Array<full, float64[0, 2], 1 block of (0, 2)>"


def test_names_of_dimensions():
    assert "float64[y=4, 6]" in repr(dt.ones((4, 6)).rename("y", None))


def test_a_table():
    html = dt.ones((4, 6)).rename("y", "<x>").rechunk((2, 3))._repr_html_()
    for cell in ("(4, 6)", "float64", "192 B", "y, &lt;x&gt;", "4 of (2, 3)", "48 B", "rechunk"):
        assert f"<td>{cell}</td>" in html


def test_without_names_there_is_no_row_for_them():
    assert "dimensions" not in dt.ones(3)._repr_html_()


def test_what_cannot_be_planned_can_still_be_shown():
    with dt.config(resources=dt.Resources(threads=1, memory="1 kB")):
        x = dt.ones((3, 10**6)).rechunk((1, -1)) + 1
        text, html = repr(x), x._repr_html_()
    assert "float64[3, 1000000]" in text
    assert "(3, 1000000)" in html


def test_masked_arrays_show_cells_and_mask():
    x = dt.ma.masked_equal([[1, 2, 3]], 3)
    html = x._repr_html_()
    assert html.count("<td>(1, 3)</td>") == 2
    assert "<tr><th>fill_value</th><td>3</td></tr>" in html
    assert "<tr><th>mask</th><td>nomask</td></tr>" in dt.ma.array([1, 2])._repr_html_()

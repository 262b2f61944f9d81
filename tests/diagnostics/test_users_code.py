from dask_tapestry.diagnostics.tuning import CODE_LINE_LETTERS
from dask_tapestry.diagnostics.users_code import users_code


def test_the_text_of_a_line_is_told():
    assert users_code(f"{__file__}:1").startswith("from dask_tapestry")


def test_what_cannot_be_read_is_no_text(tmp_path):
    long = tmp_path / "long.py"
    long.write_text("x" * 999)
    assert len(users_code(f"{long}:1")) == CODE_LINE_LETTERS
    for line in ("", "a.py", "a.py:", "a.py:-1", f"{long}:99", f"{tmp_path}:1", "a\0b:1"):
        assert users_code(line) == ""

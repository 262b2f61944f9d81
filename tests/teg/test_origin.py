import pytest

import dask_tapestry as dt
from dask_tapestry.teg.origin import UnnamedError, file_stamp


def test_a_file_that_is_written_has_another_stamp(tmp_path):
    path = tmp_path / "x"
    path.write_text("a")
    known = file_stamp(path)
    assert file_stamp(path) == known
    path.write_text("ab")
    assert file_stamp(path) != known
    with pytest.raises(UnnamedError, match="it must be there"):
        file_stamp(tmp_path / "y")


def test_a_source_without_one_says_what_to_do():
    with pytest.raises(UnnamedError, match=r"placeholder.* have no name: write it to Zarr first"):
        dt.placeholder((3,), "f8").node.operator.origin()
    assert issubclass(UnnamedError, ValueError)

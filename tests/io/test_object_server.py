import fsspec
import pytest

from tests.io.object_server import object_server


def test_objects_are_put_got_listed_and_deleted():
    with object_server() as server:
        files = fsspec.filesystem("objects", skip_instance_cache=True)
        at = server.url
        assert not files.exists(f"{at}/a")
        for name in ("a", "b/c", "b/d e"):
            files.pipe_file(f"{at}/{name}", name.encode())
        assert files.cat_file(f"{at}/b/d e") == b"b/d e"
        assert files.cat_file(f"{at}/b/c", 1, 3) == b"/c"
        assert [name.rpartition("/x/")[2] for name in files.find(at)] == ["a", "b/c", "b/d e"]
        assert sorted(name.rpartition("/")[2] for name in files.ls(at, detail=False)) == ["a", "b"]
        other = fsspec.filesystem("objects", skip_instance_cache=True)
        other.rm_file(f"{at}/a")
        assert len(files.find(at)) == 3, "until it is told to forget"
        files.invalidate_cache()
        assert len(files.find(at)) == 2
        files.rm(at, recursive=True)
        with pytest.raises(FileNotFoundError):
            files.ls(at)
        assert server.requests["PUT"] == 3

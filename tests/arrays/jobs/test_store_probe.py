import pytest

from dask_tapestry.arrays.jobs.store_probe import Store, seen_by, store_problems


def run_with(*places):
    """What `client.run` would bring from workers to which the store lies at `places`."""

    def run(function, store, *arguments, on_error):
        return {
            f"w{number}": function(store._replace(url=str(place)), *arguments)
            for number, place in enumerate(places)
        }

    return run


def test_the_same_folder_is_no_problem_and_stays_as_it_is(tmp_path):
    (tmp_path / "x.zarr").mkdir()
    assert store_problems(Store(str(tmp_path), {}), run_with(tmp_path, tmp_path)) == ([], [])
    assert [p.name for p in tmp_path.iterdir()] == ["x.zarr"]


@pytest.mark.parametrize("holds", [[], ["x.zarr"]])
def test_another_folder_is_found(tmp_path, holds):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        for inner in holds:
            (tmp_path / name / inner).mkdir()
    found, _ = store_problems(Store(str(tmp_path / "here"), {}), run_with(tmp_path / "there"))
    assert "worker w0 sees other files" in found[0]
    assert not list((tmp_path / "here").glob(".*"))


def test_a_folder_that_is_not_there(tmp_path):
    found, _ = store_problems(Store(str(tmp_path / "none"), {}), run_with(tmp_path))
    assert "this process cannot list" in found[0]
    found, _ = store_problems(Store(str(tmp_path), {}), run_with(tmp_path / "none"))
    assert "worker w0 cannot reach" in found[0]


def test_a_store_that_only_some_can_write(tmp_path, monkeypatch):
    def refuse(self, name):
        raise PermissionError("read-only")

    monkeypatch.setattr(Store, "write", refuse)
    found, notes = store_problems(Store(str(tmp_path), {}), run_with(tmp_path))
    assert not found
    assert len(notes) == 2
    assert "is read-only for this process" in notes[0]


def test_a_worker_that_raises(tmp_path):
    def run(*args, **kwargs):
        return {"w": OSError("lost")}

    found, _ = store_problems(Store(str(tmp_path), {}), run)
    assert "worker w could not look" in found[0]


def test_what_a_worker_sees(tmp_path):
    assert seen_by(Store(str(tmp_path), {}), "")["reads"]

import pickle
import sys
import threading
import time

from dask_tapestry.imports import lazy_import, unpickle


class Announced:
    """A lock that says when a second one asks for it."""

    def __init__(self, lock, asked):
        self.lock, self.asked, self.users = lock, asked, 0

    def __enter__(self):
        self.users += 1
        if self.users > 1:
            self.asked.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def test_a_module_is_imported_once():
    assert lazy_import("json") is sys.modules["json"]


def test_unpickling_waits_for_an_import(tmp_path, monkeypatch):
    """The module is slow to import, and what is unpickled meanwhile needs all of it."""
    (tmp_path / "slowly.py").write_text("import time\ntime.sleep(0.2)\nclass Late: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    payload = b"\x80\x04cslowly\nLate\n."
    importer = threading.Thread(target=lazy_import, args=("slowly",))
    importer.start()
    time.sleep(0.05)
    assert unpickle(payload).__name__ == "Late"
    importer.join()
    monkeypatch.delitem(sys.modules, "slowly")


def test_what_was_pickled_comes_back():
    assert unpickle(pickle.dumps({"a": (1, 2)})) == {"a": (1, 2)}

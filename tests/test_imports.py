import pickle
import sys
import threading
import time

from dask_tapestry.imports import lazily, loads


def test_a_module_is_imported_once():
    assert lazily("json") is sys.modules["json"]


def test_unpickling_waits_for_an_import(tmp_path, monkeypatch):
    """The module is slow to import, and what is unpickled meanwhile needs all of it."""
    (tmp_path / "slowly.py").write_text("import time\ntime.sleep(0.2)\nclass Late: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    payload = b"\x80\x04cslowly\nLate\n."
    importer = threading.Thread(target=lazily, args=("slowly",))
    importer.start()
    time.sleep(0.05)
    assert loads(payload).__name__ == "Late"
    importer.join()
    monkeypatch.delitem(sys.modules, "slowly")


def test_what_was_pickled_comes_back():
    assert loads(pickle.dumps({"a": (1, 2)})) == {"a": (1, 2)}

"""What services of all devices have in common, with a child that compiles nothing."""

import threading
from threading import Event, Thread

import pytest

from dask_tapestry_kernels.jit import compile_service, object_cache
from dask_tapestry_kernels.jit.compile_service import Service
from dask_tapestry_kernels.jit.object_cache import Compiled


class Child:
    """A child that answers when its gate is open."""

    def __init__(self, compiler):
        assert compiler == "a compiler"
        self.asked, self.gate = [], Event()
        self.gate.set()

    def compile(self, key, source, number, awaited):
        self.gate.wait()
        self.asked.append((key, source, number, awaited))
        if source == "ends":
            raise EOFError
        return "no meaning" if source == "wrong" else Compiled(source, bytes(number))

    def close(self):
        self.asked.append("closed")


class Words(Service):
    """Programs that are loaded as their symbols."""

    def __init__(self):
        super().__init__("a compiler")
        self.said = []

    def _key_of(self, asked):
        return f"key of {asked[0]}"

    def _brought(self, asked):
        return Compiled("came along", b"") if asked[0] == "brought" else None

    def _loaded(self, asked, compiled):
        if compiled.symbol == "foreign":
            raise RuntimeError("another processor")
        return compiled.symbol

    def _begins(self, request):
        self.said.append(f"{request.what} begins")

    def _fails(self, asked, what, why):
        self.said.append(f"{what} fails: {why}")

    def _fails_to_start(self, whats, why):
        self.said.append(f"{whats} fail: {why}")

    def get(self, source, number=1, awaited=True):
        with self.changed:
            self._ask_for((source, number), f"the {source}", awaited)
            assert self.changed.wait_for(lambda: (source, number) in self._ready, 30)
            return self._ready[source, number]


@pytest.fixture
def service(monkeypatch, tmp_path):
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    tmp_path.chmod(0o700)
    monkeypatch.setattr(compile_service, "Child", Child)
    return Words()


def test_what_came_with_the_package_or_is_kept_needs_no_child(service):
    object_cache.write("key of kept", Compiled("from disk", b""))
    assert (service.get("brought"), service.get("kept")) == ("came along", "from disk")
    assert (service.said, service._child) == ([], None)


def test_a_program_is_compiled_once_for_each_number(service):
    assert [service.get("new", n) for n in (1, 2, 1)] == ["new"] * 3
    assert [asked[2] for asked in service._child.asked] == [1, 2]
    assert service.said == ["the new begins"] * 2


def test_what_is_kept_and_cannot_be_loaded_is_compiled_again(service):
    object_cache.write("key of new", Compiled("foreign", b""))
    assert service.get("new") == "new"


def test_failures_are_told_and_the_next_program_is_served(service):
    assert [service.get(source) for source in ("wrong", "ends", "foreign")] == [None] * 3
    assert service.get("new") == "new"
    assert [said for said in service.said if "begins" not in said] == [
        "the wrong fails: no meaning",
        "the ends fails: the compiling process ended",
        "the foreign fails: its code cannot be loaded",
    ]


def test_what_is_awaited_goes_before_what_is_not(service):
    service.get("first")
    child = service._child
    child.gate.clear()
    with service.changed:
        for source, awaited in (("a", False), ("b", False), ("c", True)):
            service._ask_for((source, 1), source, awaited)
        service._ask_for(("b", 1), "b", True)
        assert [source for source, _ in service._in_turn()][-1] == "a"
    child.gate.set()
    with service.changed:
        assert service.changed.wait_for(lambda: not service._waiting, 30)
    assert [asked[1] for asked in child.asked] == ["first", "b", "c", "a"]


@pytest.mark.parametrize("error", [OSError("no process"), EOFError()])
def test_without_a_child_all_that_wait_fail(service, monkeypatch, error):
    def refused(compiler):
        raise error

    monkeypatch.setattr(compile_service, "Child", refused)
    assert service.get("new") is None
    assert service.get("other") is None
    assert service.said[1:] == [f"['the new'] fail: {str(error) or 'it ended at once'}"]


def test_without_a_thread_all_that_wait_fail(service, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    assert service.get("new") is None
    assert service.said[1:] == ["['the new'] fail: can't start new thread"]


def test_an_idle_child_is_let_go(service, monkeypatch):
    monkeypatch.setattr(compile_service, "IDLE", 0.01)
    others = set(threading.enumerate())
    service.get("new")
    for thread in [t for t in threading.enumerate() if t.name == "tapestry-kernels"]:
        if thread not in others:
            thread.join(30)
    assert service._child is None
    assert service.get("other") == "other"

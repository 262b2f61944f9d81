import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from threading import Barrier, Event, Thread

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service, object_keys
from dask_tapestry_kernels.cpu.jit.child import compiler
from dask_tapestry_kernels.cpu.jit.compile_service import WORK, KernelWarning, Native
from dask_tapestry_kernels.jit import compile_service as shared_service
from dask_tapestry_kernels.jit import object_cache

ROOT = Path(__file__).parents[4]
HEAD = (
    "import numpy as np\nfrom numba import carray, njit\n"
    "from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer\n\n\n"
    "@njit('void(int64, int64, int64)', nogil=True)\ndef kernel(n, inputs, out):\n"
)


def adding(n):
    """A kernel that writes its first argument and `n` to its last."""
    return HEAD + f"    carray(pointer(out), (1,), np.int64)[0] = n + {n}\n"


BROKEN = HEAD + "    return n.nothing\n"


def call(native, n=1):
    out = np.zeros(1, "i8")
    native(n, 0, out.ctypes.data)
    return int(out[0])


def pid(service):
    return service._child._process.pid


def ended(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"


def eventually(condition, seconds=30):
    end = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return holds


@pytest.fixture
def service(tmp_path, monkeypatch):
    """A service of its own, with its own directory."""
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))
    monkeypatch.delenv("DASK_TAPESTRY_KERNELS", raising=False)
    own = compile_service.KernelService()
    monkeypatch.setattr(compile_service, "_service", own)
    yield own
    if own._child is not None:
        own._child._process.kill()


def python(program, tmp_path, **environment):
    """Run a program in a new process with its own directory of kernels."""
    prelude = (
        "import os, sys\nfrom dask_tapestry_kernels.cpu.jit import compile_service\n"
        "from tests.kernels.cpu.jit.test_compile_service import *\n"
    )
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", prelude + program],
        env=os.environ
        | {"PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}", object_cache.DIRECTORY: str(tmp_path)}
        | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_there_is_none_until_it_is_compiled(service):
    assert compile_service.compiled(adding(1), 3, "a sum") is None
    assert compile_service.wait()
    native = compile_service.compiled(adding(1), 3, "a sum")
    assert call(native) == 2
    assert compile_service.compiled(adding(1), 3, "a sum") is native


def test_compilation_begins_when_there_was_work_enough(service):
    half = WORK // 2
    assert compile_service.compiled(adding(1), 3, "a sum", half) is None
    assert compile_service.compiled(adding(2), 3, "another", half) is None
    assert not service._waiting
    assert compile_service.compiled(adding(1), 3, "a sum", half) is None
    assert list(service._waiting) == [(adding(1), 3)]
    assert compile_service.wait()
    assert compile_service.compiled(adding(1), 3, "a sum", 1) is not None
    assert compile_service.compiled(adding(2), 3, "another", 1) is None


def test_formulas_without_end_fill_neither_memory_nor_the_queue(service, monkeypatch):
    monkeypatch.setattr(service, "_speak", lambda: None)  # none is ever compiled
    for n in range(compile_service.MOST_COUNTED + 100):
        compile_service.compiled(str(n), 3, "a sum", 1)
    assert len(service._work) == compile_service.MOST_COUNTED
    assert "99" not in service._work
    for n in range(compile_service.MOST_WAITING + 10):
        compile_service.compiled(str(n), 3, "a sum")
    assert len(service._waiting) == compile_service.MOST_WAITING


def test_in_mode_wait_it_is_there_at_once_for_a_single_cell(service):
    with compile_service.mode("wait"):
        assert call(compile_service.compiled(adding(3), 3, "a sum", 1), 4) == 7
    assert service.mode == "auto"


def test_in_mode_off_nothing_is_compiled_but_what_is_required(service):
    with compile_service.mode("off"):
        assert compile_service.compiled(adding(1), 3, "a sum", 10 * WORK) is None
        assert not service._waiting
        assert call(compile_service.required(adding(1), 3, "a sum")) == 2


def test_there_are_three_modes(service, monkeypatch):
    with (
        pytest.raises(ValueError, match="'on' is none of auto, wait, off"),
        compile_service.mode("on"),
    ):
        pass
    monkeypatch.setenv("DASK_TAPESTRY_KERNELS", "yes")
    with pytest.raises(ValueError, match="DASK_TAPESTRY_KERNELS: 'yes'"):
        compile_service.KernelService()


def test_a_source_that_cannot_be_compiled_is_told_once_and_then_left(service):
    assert compile_service.compiled(BROKEN, 3, "negative($0)") is None
    with pytest.warns(KernelWarning) as told:
        compile_service.wait()
    (warning,) = told
    text = str(warning.message)
    assert text == (
        "negative($0) runs uncompiled: TypingError: Unknown attribute 'nothing' of type int64"
    )
    for _ in range(2):
        assert compile_service.compiled(BROKEN, 3, "negative($0)") is None
    with compile_service.mode("wait"):
        assert compile_service.compiled(BROKEN, 3, "negative($0)") is None
        assert compile_service.compiled(adding(1), 3, "a sum") is not None


def test_a_required_source_that_cannot_be_compiled_is_an_error(service):
    with pytest.raises(Exception, match="nothing"):
        compile_service.required(BROKEN, 3, "exp")
    with pytest.warns(KernelWarning, match="exp runs uncompiled"):
        compile_service.wait()


def test_a_child_killed_in_the_middle_costs_one_warning_and_one_kernel(service, monkeypatch):
    with compile_service.mode("wait"):
        compile_service.compiled(adding(1), 3, "first")
    first, asked = pid(service), Event()
    child_compiles = service._child.compile
    monkeypatch.setattr(service._child, "compile", lambda *a: asked.set() or child_compiles(*a))
    os.kill(first, 19)  # it stops, so that it is killed while it is at it
    compile_service.compiled(adding(2), 3, "second")
    compile_service.compiled(adding(3), 3, "third")
    asked.wait()
    os.kill(first, 9)
    with pytest.warns(KernelWarning, match="second runs uncompiled: the compiling process") as told:
        compile_service.wait()
    assert len(told) == 1
    assert compile_service.compiled(adding(2), 3, "second") is None
    assert call(compile_service.compiled(adding(3), 3, "third")) == 4
    assert pid(service) != first
    with pytest.raises(ChildProcessError):
        os.waitpid(first, os.WNOHANG)  # no zombie is left
    assert call(compile_service.required(adding(2), 3, "second")) == 3


def test_an_idle_child_killed_is_replaced(service):
    with compile_service.mode("wait"):
        compile_service.compiled(adding(1), 3, "first")
        first = pid(service)
        os.kill(first, 9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)
            compile_service.compiled(adding(2), 3, "second")
        assert call(compile_service.compiled(adding(3), 3, "third")) == 4


@pytest.mark.parametrize("executable", ["/nowhere/python", "/bin/true"])
def test_without_a_child_one_warning_is_all(service, monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    compile_service.compiled(adding(1), 3, "first")
    with pytest.warns(
        KernelWarning, match="first and what follows run uncompiled: no comp"
    ) as told:
        compile_service.wait()
    assert len(told) == 1
    with compile_service.mode("wait"):
        for n in range(5):
            assert compile_service.compiled(adding(n), 3, "others") is None
    assert call(compile_service.required(adding(1), 3, "exp")) == 2  # compiled in this process
    assert call(compile_service.required(adding(9), 3, "exp")) == 10
    assert call(compile_service.compiled(adding(9), 3, "exp")) == 10


def test_without_a_thread_one_warning_is_all(service, monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    assert compile_service.compiled(adding(1), 3, "first") is None
    with pytest.warns(KernelWarning, match="can't start new thread"):
        assert compile_service.wait()


def test_code_that_cannot_be_loaded_is_compiled_again(service, tmp_path):
    key = object_keys.key_of(adding(1))
    object_cache.write(key, object_cache.Compiled("kernel", b"of another system"))
    with compile_service.mode("wait"):
        assert call(compile_service.compiled(adding(1), 3, "a sum")) == 2
    assert object_cache.read(key).code != b"of another system"


def test_code_that_needs_what_nobody_provides_is_an_error_of_the_loader():
    with pytest.raises(RuntimeError):
        Native(object_cache.Compiled("kernel", b"garbage"), 3)
    code = compiler.compile_source(adding(1)).code
    with pytest.raises(RuntimeError, match="Symbols not found"):
        Native(object_cache.Compiled("another", code), 3)


def test_many_threads_may_ask_at_once(service):
    barrier, found, wrong = Barrier(12), [], []

    def ask(number):
        barrier.wait()
        for n in range(4):
            if number % 2:
                native = compile_service.required(adding(n), 3, "a sum")
            else:
                assert compile_service.compiled(adding(n), 3, "a sum") or compile_service.wait()
                native = compile_service.compiled(adding(n), 3, "a sum")
            found.append(native)
            if call(native, number) != n + number:
                wrong.append(n)

    threads = [Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(found) == 48
    assert len(set(found)) == 4


def test_threads_that_warn_at_once_warn_once_each(service):
    service._failed = [str(n) for n in range(50)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        threads = [
            Thread(target=compile_service.compiled, args=(adding(1), 3, "", 1)) for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(int(str(w.message)) for w in told) == list(range(50))


def test_nobody_who_asks_waits_for_a_child_that_hangs(service):
    with compile_service.mode("wait"):
        compile_service.compiled(adding(0), 3, "first")
    process = pid(service)
    os.kill(process, 19)
    for n in range(1, 40):  # more than a pipe holds
        assert compile_service.compiled(adding(n) + "#" * 20_000, 3, "long source") is None
    assert not compile_service.wait(0)
    assert len(service._waiting) == 39
    service._waiting = dict(list(service._waiting.items())[:3])
    os.kill(process, 18)
    assert compile_service.wait()


def test_an_idle_child_is_let_go_and_comes_again(service, monkeypatch):
    monkeypatch.setattr(shared_service, "IDLE", 0.05)
    with compile_service.mode("wait"):
        compile_service.compiled(adding(1), 3, "first")
    assert eventually(lambda: service._child is None and not service._speaks)
    with compile_service.mode("wait"):
        assert call(compile_service.compiled(adding(2), 3, "second")) == 3


def test_what_one_process_kept_the_next_finds_without_a_child(service, tmp_path):
    with compile_service.mode("wait"):
        compile_service.compiled(adding(1), 3, "a sum")
    program = """
shared_service.Child = None
native = compile_service.compiled(adding(1), 3, 'a sum')
assert native is not None and call(native) == 2
assert not compile_service._service._speaks and 'numba' not in sys.modules
"""
    done = python(program, tmp_path)
    assert done.returncode == 0, done.stderr


def kept_in(folder):
    """Names of the kernels in a folder."""
    names = [path.name for path in folder.iterdir()]
    return sorted(name for name in names if not name.startswith(object_cache.LOCK))


def test_processes_may_compile_the_same_at_once(tmp_path):
    program = """
with compile_service.mode('wait'):
    for n in range(3):
        assert call(compile_service.compiled(adding(n), 3, 'a sum')) == n + 1
"""
    done = []
    threads = [Thread(target=lambda: done.append(python(program, tmp_path))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(d.returncode, d.stderr) for d in done] == [(0, "")] * 3
    assert kept_in(tmp_path) == sorted(object_keys.key_of(adding(n)) for n in range(3))


def test_this_process_never_imports_numba(tmp_path):
    program = """
import dask_tapestry as dt, numpy as np
assert 'numba' not in sys.modules and 'llvmlite' not in sys.modules
x = np.ones(100_000)
with compile_service.mode('wait'):
    y = (dt.asarray(x) * 2 + 1).compute()
assert (y == 3).all() and compile_service._service._ready
assert 'llvmlite' in sys.modules and 'numba' not in sys.modules
"""
    done = python(program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_process_that_ends_in_the_middle_says_nothing_and_leaves_no_child(tmp_path):
    program = """
compile_service.compiled(adding(1), 3, 'a sum')
assert eventually(lambda: compile_service._service._child is not None)
for n in range(50):
    compile_service.compiled('import time\\ntime.sleep(1)\\n' + adding(n), 3, 'a slow sum')
print(pid(compile_service._service))
"""
    done = python(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert eventually(lambda: ended(int(done.stdout)))
    assert len(kept_in(tmp_path)) < 25


def test_a_process_that_is_killed_leaves_no_child(tmp_path):
    program = """
with compile_service.mode('wait'):
    compile_service.compiled(adding(1), 3, 'a sum')
print(pid(compile_service._service), flush=True)
os.kill(os.getpid(), 9)
"""
    done = python(program, tmp_path)
    assert done.returncode == -9
    assert eventually(lambda: ended(int(done.stdout)))


FORK = """
with compile_service.mode('wait'):
    before = compile_service.compiled(adding(1), 3, 'before')
compiler = pid(compile_service._service)
compile_service.compiled(adding(2), 3, 'during')
import warnings
warnings.simplefilter('ignore', DeprecationWarning)
with compile_service.mode('wait'):
    if (forked := os.fork()) == 0:
        assert compile_service._service.mode == 'wait' and compile_service._service._child is None
        assert compile_service.compiled(adding(1), 3, 'before') is before and call(before) == 2
        for n in (2, 3):
            assert call(compile_service.compiled(adding(n), 3, 'after')) == n + 1
        assert pid(compile_service._service) != compiler
        sys.stdout.flush()
        os._exit(0)
assert os.waitpid(forked, 0)[1] == 0
compile_service.wait()
assert call(compile_service.compiled(adding(2), 3, 'during')) == 3
assert pid(compile_service._service) == compiler
"""


def test_a_forked_process_has_its_own_child(tmp_path):
    done = python(FORK, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_forked_process_does_not_keep_the_child_of_its_parent(tmp_path, tmp_path_factory):
    gate = tmp_path_factory.mktemp("gate") / "opens"
    os.mkfifo(gate)
    program = f"""
with compile_service.mode('wait'):
    compile_service.compiled(adding(1), 3, 'before')
import warnings
warnings.simplefilter('ignore', DeprecationWarning)
if os.fork() == 0:
    os.close(1), os.close(2)
    open({str(gate)!r}).read()
    os._exit(0)
print(pid(compile_service._service), flush=True)
os._exit(0)
"""
    done = python(program, tmp_path)
    assert eventually(lambda: ended(int(done.stdout)))
    assert eventually(lambda: is_read(gate))  # so the forked process was there all the while


def is_read(pipe):
    """Whether a process reads a named pipe; it comes to the end of it."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def test_forks_while_threads_load_code_do_not_hang(tmp_path):
    program = """
import warnings
warnings.simplefilter('ignore', DeprecationWarning)
code = compiler.compile_source(adding(1))
for n in range(400):
    object_cache.write(object_keys.key_of(adding(1) + '#' * n), code)
def load(first):
    for n in range(first, 400, 2):
        compile_service.compiled(adding(1) + '#' * n, 3, 'a sum')
threads = [Thread(target=load, args=(k,)) for k in range(2)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    if (forked := os.fork()) == 0:
        with compile_service.mode('wait'):
            ok = call(compile_service.compiled(adding(1) + '#' * 399, 3, 'a sum')) == 2
        os._exit(0 if ok else 1)
    assert os.waitpid(forked, 0)[1] == 0
"""
    done = python(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def _in_a_daemon(queue):
    with compile_service.mode("wait"):
        queue.put(call(compile_service.compiled(adding(1), 3, "a sum")))


@pytest.mark.few(1)  # either way to start one
@pytest.mark.parametrize("way", ["spawn", "forkserver"])
def test_daemonic_processes_compile(tmp_path, way):
    program = f"""
import multiprocessing
from tests.kernels.cpu.jit import test_compile_service
context = multiprocessing.get_context({way!r})
queue = context.SimpleQueue()
process = context.Process(target=test_compile_service._in_a_daemon, args=(queue,), daemon=True)
process.start()
assert queue.get() == 2
process.join()
assert process.exitcode == 0
"""
    done = python(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_waited_for_goes_before_what_is_not(service, monkeypatch):
    """The child begins when five are asked for, the last of which somebody waits for."""
    compiled, begins = [], Event()

    class Child:
        def compile(self, key, source, arity, awaited):
            compiled.append((source, awaited))
            return "no code"

    speak = service._speak
    monkeypatch.setattr(shared_service, "Child", lambda compiler: Child())
    monkeypatch.setattr(service, "_speak", lambda: begins.wait() and speak())
    for n in range(4):
        service.get(f"text {n}", 3, "in the background", WORK)
    service.get("text 2", 3, "asked for again", WORK)
    asks = [Thread(target=lambda n=n: required_or_none(service, n)) for n in (1, 4)]
    for thread in asks:
        thread.start()
    assert eventually(lambda: sum(r.awaited for r in service._waiting.values()) == 2)
    begins.set()
    for thread in asks:
        thread.join()
    with pytest.warns(KernelWarning):
        service.wait()
    service._child = None
    assert sorted(compiled[:2]) == [("text 1", True), ("text 4", True)]
    assert compiled[2:] == [(f"text {n}", False) for n in (0, 2, 3)]


def required_or_none(service, n):
    """What has no code is an error of `compile_source`, in the thread that waits."""
    try:
        service.require(f"text {n}", 3, "awaited")
    except SyntaxError:
        return

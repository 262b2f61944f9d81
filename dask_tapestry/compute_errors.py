"""Errors of blocks: of the type that was raised, with what was computed and the user's own line."""

from __future__ import annotations

from functools import lru_cache
from linecache import getline
from traceback import walk_tb
from types import FrameType
from typing import Any, Final

from dask_tapestry.basic_errors import TapestryError
from dask_tapestry.device_errors import DeviceError, DeviceMemoryError
from dask_tapestry.errors import ComputeError
from dask_tapestry_kernels.device_error import KernelDeviceError

LIBRARIES: Final = frozenset(  # whose frames are not the user's
    "contextlib dask dask_tapestry dask_tapestry_kernels distributed flox functools numpy scipy "
    "xarray".split()
)

CUDA: Final = frozenset({"cupy", "cupy_backends"})  # whose own errors are a device's


def compute_error(error: Exception | SystemExit, where: str) -> Exception:
    """Return `error` as a `ComputeError` of its own type too, its text ending in `where`.

    Examples
    --------
    >>> raised = compute_error(ValueError("no"), "while computing add")
    >>> isinstance(raised, ValueError), isinstance(raised, ComputeError)
    (True, True)
    >>> print(raised)
    no
    while computing add
    """
    said = error.args[0] if len(error.args) == 1 else error
    kind: type[BaseException] = type(error)
    raised = raising_line(error)
    if kind is not ComputeError and _compute_error_type(kind) is ComputeError:  # type: ignore[arg-type]
        said = f"{kind.__name__}: {said}"
    return _compute_error(kind, f"{said}\n{where}{raised and f'{chr(10)}{raised}'}")


def raising_line(error: BaseException) -> str:
    """The line of a function of the user that raised an error; empty if it came from a library.

    Examples
    --------
    >>> raising_line(ValueError("that nobody raised"))
    ''
    """
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__) if is_users(frame)]
    if not frames:
        return ""
    frame, number = frames[-1]
    code = frame.f_code
    line = getline(code.co_filename, number, frame.f_globals).strip()
    return f"raised at {code.co_filename}:{number}, in {code.co_name}{line and f': {line}'}"


def of_user(error: BaseException) -> BaseException:
    """`error` with the traceback that begins in the user's code, if it came through that."""
    trace = error.__traceback__
    while trace is not None and not is_users(trace.tb_frame):
        trace = trace.tb_next
    return error if trace is None else error.with_traceback(trace)


def without_own_frames(error: BaseException) -> None:
    """Cut the traceback of an error of a block behind the frame in which it is handled.

    Its text says what was computed and where the user wrote it; how the block came to be computed
    is of no use to anyone. A user's function that raised it is in the traceback of its cause.
    """
    trace = error.__traceback__
    if isinstance(error, ComputeError) and trace is not None:
        trace.tb_next = None


def is_users(frame: FrameType) -> bool:
    """Whether the code of a frame is the user's, and not of a library that calls this one."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] not in LIBRARIES


def _compute_error(kind: type[BaseException], text: str) -> Exception:
    return _compute_error_type(kind)(text)  # type: ignore[arg-type]  # a type is hashable


@lru_cache(maxsize=128)
def _compute_error_type(kind: type[BaseException]) -> type[Exception]:
    """`ComputeError` and `kind` in one; `ComputeError` alone where `kind` is made otherwise."""
    if issubclass(kind, TapestryError):
        return kind
    if issubclass(kind, KernelDeviceError) or kind.__module__.partition(".")[0] in CUDA:
        return DeviceMemoryError if issubclass(kind, MemoryError) else DeviceError
    if issubclass(kind, StopIteration | StopAsyncIteration | SystemExit):
        return ComputeError  # to a coroutine or a worker those mean something else
    try:
        made = type("ComputeError", (ComputeError, kind), {"__reduce__": _reduce, "kind": kind})
        made("text")
    except TypeError:
        return ComputeError
    return made


def _reduce(self: Any) -> tuple[Any, ...]:
    return _compute_error, (self.kind, str(self))

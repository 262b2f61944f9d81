"""A user's script, run as ``python script.py`` would run it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType

from dask_tapestry.command.main import UsageError


def _ignore_error(_: Exception) -> int | None:
    """An error of which nobody tells in a way of its own."""
    return None


class Script:
    """A script and its arguments.

    Parameters
    ----------
    path
        Of the file.
    arguments
        What it finds in ``sys.argv`` behind its name.
    """

    def __init__(self, path: str, arguments: Sequence[str] = ()) -> None:
        self.path, self.arguments = Path(path), list(arguments)
        try:
            self._source = self.path.read_bytes()
        except OSError as error:
            raise UsageError(f"cannot read the script {path}: {error.strerror}") from None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    def run(self, failed: Callable[[Exception], int | None] = _ignore_error) -> int:
        """Run it as the main module; return its exit code, having printed what it raised.

        `failed` may tell of an error in its own way, and returns the exit code then.
        """
        try:
            code = compile(self._source, str(self.path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            self._print_error()
            return 1
        with self._as_main() as module:
            try:
                exec(code, vars(module))
            except SystemExit as stop:
                return self._code_of(stop)
            except Exception as error:
                told = failed(error)
                if told is None:
                    self._print_error()
                return 1 if told is None else told
        return 0

    @contextmanager
    def _as_main(self) -> Iterator[ModuleType]:
        """A module that processes which the script starts can import again, by its file."""
        module = ModuleType("__main__")
        module.__file__ = str(self.path)
        before = sys.argv, sys.modules["__main__"], list(sys.path)
        sys.argv = [str(self.path), *self.arguments]
        sys.modules["__main__"] = module
        sys.path.insert(0, str(self.path.resolve().parent))
        try:
            yield module
        finally:
            sys.argv, sys.modules["__main__"], sys.path[:] = before

    def _code_of(self, stop: SystemExit) -> int:
        if stop.code is None or isinstance(stop.code, int):
            return int(stop.code or 0)
        print(stop.code, file=sys.stderr)
        return 1

    def _print_error(self) -> None:
        """Print the traceback of the error that is handled, from the script on."""
        kind, error, trace = sys.exc_info()
        here = trace
        while here is not None and here.tb_frame.f_code.co_filename != str(self.path):
            here = here.tb_next
        traceback.print_exception(kind, error, here)

    def line_of(self, error: Exception) -> int:
        """The line of the script in which an error was raised."""
        frames = traceback.extract_tb(error.__traceback__)
        return max([f.lineno or 0 for f in frames if f.filename == str(self.path)][-1:], default=0)

    def line(self) -> int:
        """The line of the script that runs now: the innermost of its frames."""
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == str(self.path):
                return frame.f_lineno
            frame = frame.f_back
        return 0

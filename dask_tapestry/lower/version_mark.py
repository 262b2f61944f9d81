"""The version of this library that wrote something, told before anything of it is read.

Client, scheduler and workers may have different ones. What one version has pickled another may
read as something else, or fail on with an error that says nothing.
"""

from __future__ import annotations

import platform
from typing import Any, NoReturn

from dask_tapestry.errors import PlanError
from dask_tapestry.imports import lazy_import

END = b"\0"


def marked(payload: bytes) -> bytes:
    """The payload behind the version of this process."""
    return version().encode() + END + payload


def unmarked(payload: bytes) -> bytes | None:
    """The payload without its mark; None if another version has written it.

    Examples
    --------
    >>> unmarked(marked(b"cells"))
    b'cells'
    """
    mark = version().encode() + END
    return payload[len(mark) :] if payload.startswith(mark) else None


class OfAnotherVersion:
    """Stands for what another version has written: to use it is an error.

    Dask's messages must be readable: a worker that fails to read one never answers.
    """

    def __init__(self, payload: bytes) -> None:
        written = payload.partition(END)[0][:40].decode(errors="replace")
        self._text = (
            f"this job was made by dask_tapestry {written}; {platform.node()} has {version()}: "
            "install one version everywhere; dt.check_cluster(client) shows which process has which"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which pickle and copy ask for
            raise AttributeError(name)
        raise PlanError(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reread, (self._text,)


def version() -> str:
    """The version of this library in this process."""
    return str(lazy_import("dask_tapestry").__version__)


def _reread(text: str) -> OfAnotherVersion:
    other = OfAnotherVersion(b"")
    other._text = text
    return other

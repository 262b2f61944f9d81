"""The disk cache of compiled kernels, by names that tell all that their code depends on.

One file a kernel, in a directory of the user alone. A file begins with the digest of the rest, so
that a torn or foreign one is seen and made again; it is written beside its place and then renamed,
so that processes that write at once do not meet. Where nothing can be written nothing is kept.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from logging import getLogger
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from dask_tapestry_kernels.jit import private_folder

DIGEST: Final = 32  # bytes
LOCK: Final = "lock-"  # how names of files begin that are locked
DIRECTORY: Final = "DASK_TAPESTRY_CACHE"  # environment variable that names another directory


class Compiled(NamedTuple):
    """Code for a processor or a GPU, and the symbol of the kernel in it."""

    symbol: str
    code: bytes


def name_of(*parts: str) -> str:
    """A name in the directory: a digest of all that code depends on."""
    return blake2b("\n".join(parts).encode(), digest_size=20).hexdigest()


def read(key: str) -> Compiled | None:
    """Return a kept kernel, or None if there is none, or none that is whole."""
    folder = directory()
    return None if folder is None else read_from(folder, key)


def may_be_kept(key: str) -> bool:
    """Whether a file of a name is there, in a directory that may be trusted or not.

    That is known in a twentieth of the time in which the directory is looked at.
    """
    try:
        os.stat(os.path.expanduser(f"{_named()}/{key}"))
    except (OSError, ValueError):
        return False
    return True


def read_from(folder: Path, key: str) -> Compiled | None:
    """`read` in a folder that can be trusted."""
    try:
        content = (folder / key).read_bytes()
    except OSError:
        return None
    digest, rest = content[:DIGEST], content[DIGEST:]
    if blake2b(rest, digest_size=DIGEST).digest() != digest:
        return None
    symbol, _, code = rest.partition(b"\n")
    return Compiled(symbol.decode(), code)


def write(key: str, compiled: Compiled) -> bool:
    """Keep a kernel; return whether that was possible."""
    folder = directory()
    return False if folder is None else write_to(folder, key, compiled)


def write_to(folder: Path, key: str, compiled: Compiled) -> bool:
    """`write` in a folder that there is."""
    rest = compiled.symbol.encode() + b"\n" + compiled.code
    try:
        handle, beside = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(blake2b(rest, digest_size=DIGEST).digest() + rest)
            os.replace(beside, folder / key)
        except OSError:
            os.unlink(beside)
            return False
    except OSError:
        return False
    return True


def directory() -> Path | None:
    """The directory of kept kernels, which is made if it is missing; None if it cannot be trusted.

    Code is loaded from it, so it must belong to the user and be closed to others, and nobody else
    may put another in its place. Why one is not used is said once.
    """
    if not hasattr(os, "geteuid"):  # outside POSIX nobody says whose it is
        return None
    try:  # a user that the system does not know has no home
        folder = Path(_named()).expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()  # links may be changed after this
        why = private_folder.fault(folder)
    except (OSError, RuntimeError):
        return None
    if why:
        _say_once(f"no compiled kernels are kept in {folder}, and none are loaded from it: {why}")
        return None
    return folder


def _named() -> str:
    """The path of the directory, wherever it leads."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return os.environ.get(DIRECTORY) or f"{base}/dask_tapestry/kernels"


_said: Final = set[str]()
_saying: Final = Lock()  # of threads that ask at once, one says it


def _say_once(text: str) -> None:
    with _saying:
        if text not in _said:
            _said.add(text)
            getLogger(__name__).warning(text)


@contextmanager
def alone(key: str) -> Iterator[bool]:
    """Inside, no other process of this user is inside with a key that begins alike.

    Of many processes that want a kernel at once, as a cluster's workers do, one compiles it; the
    others wait, which they are told. Where files cannot be locked each compiles its own.
    """
    folder, waited = directory(), False
    with ExitStack() as opened:
        if folder is not None:
            with suppress(OSError):
                file = opened.enter_context((folder / f"{LOCK}{key[0]}").open("w"))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    waited = True
        yield waited

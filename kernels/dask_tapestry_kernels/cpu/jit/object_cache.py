"""The disk cache of compiled kernels: object code by the content of its source.

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
from functools import cache
from hashlib import blake2b
from logging import getLogger
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit import llvm, module_digest, private_folder
from dask_tapestry_kernels.cpu.jit.numba_version import numba_version

DIGEST: Final = 32  # bytes
LOCK: Final = "lock-"  # how names of files begin that are locked
DIRECTORY: Final = "DASK_TAPESTRY_CACHE"  # environment variable that names another directory


class Compiled(NamedTuple):
    """Object code for this machine, and the symbol of the kernel in it."""

    symbol: str
    code: bytes


def key_of(source: str) -> str:
    """Name of a kernel: a digest of its text and of all that its code depends on."""
    text = f"{_environment()} {module_digest.digest_of(source)}\n{source}"
    return blake2b(text.encode(), digest_size=20).hexdigest()


def read(key: str) -> Compiled | None:
    """Return a kept kernel, or None if there is none, or none that is whole."""
    folder = directory()
    return None if folder is None else read_from(folder, key)


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
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    named = os.environ.get(DIRECTORY)
    try:  # a user that the system does not know has no home
        folder = Path(named or f"{base}/dask_tapestry/kernels").expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()  # links may be changed after this
        why = private_folder.fault(folder)
    except (OSError, RuntimeError):
        return None
    if why:
        _say_once(f"no compiled kernels are kept in {folder}, and none are loaded from it: {why}")
        return None
    return folder


@cache
def _say_once(text: str) -> None:
    getLogger(__name__).warning(text)


@cache
def _environment() -> str:
    """What object code depends on besides its source and what it inlines: compiler, processor."""
    binding = llvm.llvm()
    versions = f"numba {numba_version()} llvmlite {llvm.version()} numpy {np.__version__}"
    features = binding.get_host_cpu_features().flatten()
    return f"{versions} {binding.get_host_cpu_name()} {features}"


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

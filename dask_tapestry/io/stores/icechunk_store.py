"""Icechunk's stores: told apart from others, read as they are, written by forks of a session.

A session is one transaction: what is written shows to nobody before its one commit. Tasks cannot
share it. Each gets a fork of it, as bytes, and returns its own, changed; two are merged by joining
what they changed, so that is done up a tree. Each task writes whole chunks, so no two forks have
one chunk: Icechunk would lose half of one without a word.

Source: https://icechunk.io/en/stable/parallel/.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import, unpickle

BY_SESSIONS: Final = (
    "is in an Icechunk repository, which is written by forks of a session, in one commit: use "
    "dt.to_icechunk(x, session, component); a job that was killed has left the branch as it was"
)
METADATA: Final = "dask_tapestry"  # key of what a commit says of the write


def is_icechunk(store: object) -> bool:
    """Whether something is a store of Icechunk's; what is not imported made none."""
    module = sys.modules.get("icechunk.store")
    return module is not None and isinstance(store, module.IcechunkStore)


def name_of(store: Any) -> str:
    """Words for the version that a store shows."""
    session = store.session
    changed = not session.read_only and session.has_uncommitted_changes
    return f"icechunk:{session.snapshot_id}" + (f"+{id(session)}" if changed else "")


def forked(session: Any) -> Any:
    """Return a fork of a session.

    Raises
    ------
    StoreError
        If it may not be written by, or has changes that are not committed.
    """
    icechunk = lazy_import("icechunk")
    if not isinstance(session, icechunk.Session) or isinstance(session, icechunk.ForkSession):
        kind = type(session).__name__
        raise StoreError(f"a session of Icechunk's is needed, as repo.writable_session, not {kind}")
    if session.read_only:
        raise StoreError(f"the Icechunk session of {session.snapshot_id} is read only")
    try:
        return session.fork()
    except Exception as error:
        raise StoreError(f"cannot write by an Icechunk session: {error}") from error


def packed(fork: Any) -> bytes:
    """A fork as bytes, which other processes can have.

    Raises
    ------
    StoreError
        If it cannot travel, as one in memory.
    """
    try:
        return pickle.dumps(fork)
    except Exception as error:
        raise StoreError(f"an Icechunk session cannot be sent to tasks: {error}") from error


def write_block(
    fork: bytes, component: str, region: Sequence[tuple[int, int]], block: Any
) -> bytes:
    """Write whole chunks by a fork of one's own, which is returned; `fork` stays as it is.

    Raises
    ------
    StoreError
        If they cannot be written.
    """
    own = unpickle(fork)
    try:
        array = lazy_import("zarr").open_array(own.store, path=component, mode="r+")
        array[tuple(slice(lo, hi) for lo, hi in region)] = np.asarray(block)
    except Exception as error:
        where = ", ".join(f"{lo}:{hi}" for lo, hi in region)
        raise StoreError(
            f"cannot write [{where}] to {component or 'an array'} of Icechunk: {error}; "
            "nothing is committed"
        ) from error
    return packed(own)


def merged(*forks: bytes) -> bytes:
    """Join what several forks have changed."""
    first, *others = map(unpickle, forks)
    if others:
        first.merge(*others)
    return packed(first)


def committed(session: Any, message: str, metadata: Mapping[str, Any]) -> str:
    """Commit a session once; return the name of the snapshot.

    Raises
    ------
    StoreError
        If another commit was made to the branch meanwhile; then the branch is as that left it.
    """
    icechunk = lazy_import("icechunk")
    try:
        return str(session.commit(message, metadata={METADATA: dict(metadata)}))
    except icechunk.ConflictError as error:
        raise StoreError(
            f"branch {session.branch!r} of the Icechunk repository has another commit since the "
            "session began, and this one is not made: look at what was written there, then write "
            "again by a new session, or session.rebase(icechunk.ConflictDetector()) and commit"
        ) from error
    except icechunk.IcechunkError as error:
        raise StoreError(f"cannot commit to Icechunk: {error}") from error

"""Names of what is within a store: checked before they become paths.

A name comes from a user, or from metadata that somebody else wrote. One that leads out of its store
would have other data read, or deleted.
"""

from __future__ import annotations

from dask_tapestry.errors import StoreError


def checked_component(name: str, of: object = "the store") -> str:
    """Return the name of an array or a group in a store; segments are joined by slashes.

    Raises
    ------
    StoreError
        If a segment is empty, ``.`` or ``..``, or holds a backslash or a NUL: those would lead to
        other places.

    Examples
    --------
    >>> checked_component("weights/first")
    'weights/first'
    >>> checked_component("")
    ''
    """
    for segment in name.split("/") if name else ():
        if segment in ("", ".", "..") or "\\" in segment or "\0" in segment:
            raise StoreError(
                f"{name!r} names nothing within {of}: names are joined by single slashes, as "
                "'a/b', and none is empty, '.' or '..', or has a backslash or a NUL in it"
            )
    return name

"""Places of one name told apart: by the server that has them, or the table that refers to them.

Two servers may have a bucket of one name. A file system of references has no bytes of its own: a
table says in which files of others, and where there, each chunk lies, as that which kerchunk makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

SERVERS: Final = ("endpoint_url", "endpoint", "base_url", "account_host", "account_name", "host")
NESTED: Final = ("client_kwargs", "config_kwargs")  # options that hold others
READ_ALONE: Final = (
    "is in a table of references to other files, which is read alone: write to a folder or to a "
    "store of objects"
)


def server_text(options: Mapping[str, Any]) -> str:
    """The server that the options of a file system or store name, or an empty text.

    Examples
    --------
    >>> server_text({"client_kwargs": {"endpoint_url": "http://here:9000"}, "secret": "s"})
    'http://here:9000/'
    >>> server_text({"host": "here", "port": 22}), server_text({})
    ('here:22/', '')
    """
    for name in SERVERS:
        if given := options.get(name):
            port = f":{options['port']}" if name == "host" and options.get("port") else ""
            return f"{str(given).rstrip('/')}{port}/"
    inner = (options.get(name) for name in NESTED)
    return next(
        (found for one in inner if isinstance(one, Mapping) and (found := server_text(one))), ""
    )


def has_references(files: Any) -> bool:
    """Whether a file system of fsspec's refers to bytes in other files."""
    return isinstance(getattr(files, "references", None), Mapping)


def references_text(files: Any, component: str) -> str:
    """Text that is another where an array's chunks lie elsewhere.

    A table in memory tells each chunk; that of one in files is known by these files.
    """
    table = files.references
    parts = _entries(table, component) if type(table) is dict else _stored(table, component)
    text = blake2b(digest_size=16)
    for part in parts:
        text.update(part.encode("utf-8", "surrogatepass"))
    return text.hexdigest()


def _entries(table: Mapping[str, Any], component: str) -> Iterator[str]:
    head = f"{component}/" if component else ""
    for name in sorted(one for one in table if one.startswith(head)):
        yield f"{name} {table[name]!r}\n"


def _stored(table: Any, component: str) -> Iterator[str]:
    """Names and states of the files that hold a table, of one that is read a part at a time."""
    yield f"{table.root} {table.zmetadata!r}\n"
    for path in sorted(table.fs.find(f"{table.root}/{component}".rstrip("/"))):
        yield f"{path} {table.fs.ukey(path)}\n"

"""Arrays by name on a cluster: put, taken by any client, overwritten in parts, listed, freed."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from html import escape
from typing import Any, Final
from uuid import uuid4

from dask.utils import format_bytes

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.arrays.datasets.overwritten_blocks import overwritten
from dask_tapestry.errors import ArgumentTypeError, PlanError
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.scheduler.plugin_registration import register

__all__ = ["Datasets", "datasets"]

HEADINGS: Final = ("name", "version", "shape", "dtype", "blocks", "bytes", "replicas")


class Datasets(MutableMapping[str, Any]):
    """The named datasets of a cluster, a mapping from names to arrays.

    They are Dask's published datasets (`Client.publish_dataset`): a name keeps the blocks of a
    persisted array on the workers, for all clients, until it is deleted. An array that was taken
    stays as it was when its name is given to another one, or when a part of it is overwritten.

    {Parameters} client: Dask's.
    {See Also} datasets, persist
    {Examples}
    >>> from distributed import Client
    >>> client = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0")
    >>> named = dt.datasets(client)
    >>> named["field"] = dt.zeros((4, 6), chunks=(2, 6))
    >>> before = named["field"]
    >>> named.overwrite("field", (slice(0, 1), slice(1, 4)), 5)
    >>> float(named["field"].sum().compute()), float(before.sum().compute())
    (15.0, 0.0)
    >>> named
    name   version  shape   dtype    blocks         bytes  replicas
    field  2        (4, 6)  float64  2 of (2, 6)    192 B  1
    >>> del named["field"]
    >>> client.close()
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise ArgumentTypeError(
                "named datasets need a client that is not asynchronous; "
                "await client.publish_dataset(...) publishes from asynchronous code"
            )
        self.client = client

    def __getitem__(self, name: str) -> Any:
        return self.client.get_dataset(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._put(name, value.persist() if isinstance(value, Array) else value)

    def __delitem__(self, name: str) -> None:
        self[name]  # KeyError for one that is not there, of which Dask says nothing
        self.client.unpublish_dataset(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.client.list_datasets())

    def __len__(self) -> int:
        return len(self.client.list_datasets())

    def overwrite(self, name: str, key: UserKey, values: Any) -> None:
        """Give the name to a new version, whose cells at a key are others: ``x[key] = values``.

        Blocks in which nothing changes are those of the version before, and take no more memory.
        Readers see the one version or the other. What was taken before stays as it was.

        {Parameters}
            name: Of a persisted array.
            key: Slices, integers, index arrays or a mask, as between the brackets of an assignment.
            values: That the cells get; they broadcast.
        {Returns} None: Once the new version is there for all clients; its blocks may still be
            computed.
        {Raises}
            KeyError: If there is no dataset of that name.
            PlanError: If another client replaced it meanwhile: nothing is changed then.
            TypeError: If it is no persisted array.
        """
        before = self[name]
        if not isinstance(before, Array):
            raise ArgumentTypeError(f"{name!r} is not an array but {type(before).__name__}")
        after = overwritten(before, key, values, self._replicas().get(name, 1))
        if self._put(name, after, _keys(before)) is None:
            raise PlanError(
                f"dataset {name!r} was replaced while a part of it was overwritten: "
                "nothing is changed; take it and overwrite again"
            )

    def _put(self, name: str, value: Any, read: list[Any] | None = None) -> int | None:
        """Publish; return the number of the version, None where it is not the one `read`."""
        if not isinstance(name, str):
            raise ArgumentTypeError(f"the name of a dataset must be a string, not {name!r}")
        number: int | None = self.client.sync(_replaced, self.client, name, value, read)
        return number

    def _replicas(self) -> dict[str, int]:
        found: dict[str, int] = self._known()[1]
        return found

    def _known(self) -> tuple[dict[str, int], dict[str, int]]:
        """For each name the number of its version, and how many workers shall hold a block."""
        known: tuple[dict[str, int], dict[str, int]] = self.client.sync(_versions, self.client)
        return known

    def _rows(self) -> list[tuple[str, ...]]:
        names = list(self)
        versions, replicas = self._known()
        values = zip(names, self.client.get_dataset(names, default=None), strict=True)
        told = ((name, versions.get(name, 1), replicas.get(name, 1), x) for name, x in values)
        return [_row(*each) for each in told if each[-1] is not None]

    def __repr__(self) -> str:
        rows = [HEADINGS, *self._rows()]
        if len(rows) == 1:
            return "no named datasets"
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{text}</th>" for text in HEADINGS)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
            for row in self._rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def datasets(client: Any = None) -> Datasets:
    """Return the named datasets of a cluster.

    {Parameters} client: Dask's; by default the one in use.
    {Returns} Datasets: A mapping from names to arrays, which prints as a table.
    {Raises} PlanError: If there is no client.
    {See Also} Datasets, persist
    {Examples}
    >>> from distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     dt.datasets()["ones"] = dt.ones((2, 3))
    ...     list(dt.datasets(client))
    ['ones']
    """
    client = live_client() if client is None else client
    if client is None:
        raise PlanError("named datasets are kept by a cluster: there is no Dask client")
    return Datasets(client)


def _row(name: str, version: int, replicas: int, value: Any) -> tuple[str, ...]:
    if not isinstance(value, Array):
        return (name, str(version), "", type(value).__name__, "", "", str(replicas))
    blocks = f"{value.npartitions} of {value.chunksize}"
    size = format_bytes(value.nbytes)
    return (name, str(version), str(value.shape), str(value.dtype), blocks, size, str(replicas))


def _keys(value: Any) -> list[Any]:
    from distributed import futures_of  # noqa: PLC0415  (there is a client then)

    return [future.key for future in futures_of(value)]


async def _plugin(client: Any) -> None:
    from dask_tapestry.scheduler.dataset_versions import DatasetVersions  # noqa: PLC0415

    await register(client, DatasetVersions())


async def _replaced(client: Any, name: str, value: Any, read: list[Any] | None) -> int | None:
    from distributed.protocol.serialize import to_serialize  # noqa: PLC0415  (there is a client then)

    await _plugin(client)
    uid = uuid4().hex
    client._send_to_scheduler({"op": "publish_flush_batched_send", "uid": uid})
    number: int | None = await client.scheduler.tapestry_replace_dataset(
        dataset=name,
        read=read,
        keys=_keys(value),
        data=to_serialize(value),
        client=client.id,
        uid=uid,
    )
    return number


async def _versions(client: Any) -> tuple[dict[str, int], dict[str, int]]:
    await _plugin(client)
    known = await client.scheduler.tapestry_dataset_versions()
    return dict(known["versions"]), dict(known["replicas"])

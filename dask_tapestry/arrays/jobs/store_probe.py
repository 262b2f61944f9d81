"""A probe of a store: each process writes a small object, and reads the others'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from uuid import uuid4

from dask_tapestry.imports import lazy_import

PREFIX: Final = ".tapestry-check-"


class Store(NamedTuple):
    """A place that workers are to reach.

    {Attributes}
        url: Path or URL of a folder.
        options: For its file system.
    """

    url: str
    options: Mapping[str, Any]

    def opened(self) -> tuple[Any, str]:
        """The file system, and the path of the folder on it."""
        found: tuple[Any, str] = lazy_import("fsspec").core.url_to_fs(self.url, **self.options)
        return found

    def write(self, name: str) -> None:
        """Write a small object, whose text is its name."""
        files, root = self.opened()
        files.pipe_file(f"{root}/{name}", name.encode())

    def reads(self, name: str) -> bool:
        """Whether a small object is there, and holds its name."""
        files, root = self.opened()
        files.invalidate_cache()
        try:
            return bool(files.cat_file(f"{root}/{name}") == name.encode())
        except FileNotFoundError:
            return False

    def names(self) -> list[str]:
        """Names of what the folder holds, but for our own objects."""
        files, root = self.opened()
        files.invalidate_cache()
        found = [str(path).rstrip("/").rpartition("/")[2] for path in files.ls(root, detail=False)]
        return sorted(name for name in found if not name.startswith(PREFIX))

    def remove(self, names: Sequence[str]) -> None:
        """Remove small objects."""
        files, root = self.opened()
        for name in names:
            with suppress(OSError):
                files.rm_file(f"{root}/{name}")


def seen_by(store: Store, name: str) -> dict[str, Any]:
    """What a worker finds: what the folder holds, whether it reads `name`, what it could write."""
    observed: dict[str, Any] = {}
    try:
        observed["names"] = store.names()
        observed["reads"] = not name or store.reads(name)
    except Exception as error:
        return observed | {"error": f"{type(error).__name__}: {error}"}
    own = f"{PREFIX}{uuid4().hex}"
    try:
        store.write(own)
        observed["wrote"] = own
    except Exception as error:
        observed["refused"] = f"{type(error).__name__}: {error}"
    return observed


def store_problems(
    store: Store, run: Callable[..., Mapping[str, Any]]
) -> tuple[list[str], list[str]]:
    """What is wrong with a store as workers see it, and what is worth knowing.

    {Parameters} run: Calls a function on all workers, as `distributed.Client.run`.
    """
    name, notes = f"{PREFIX}{uuid4().hex}", list[str]()
    try:
        own_names = store.names()
    except Exception as error:
        return [
            f"store: this process cannot list {store.url} ({type(error).__name__}: {error}); make "
            "the folder, or correct the URL or its credentials (storage_options=)"
        ], notes
    try:
        store.write(name)
    except Exception as error:
        notes.append(f"store: {store.url} is read-only for this process ({error})")
        name = ""
    answers = run(seen_by, store, name, on_error="return")
    wrote = [
        answer["wrote"]
        for answer in answers.values()
        if isinstance(answer, dict) and "wrote" in answer
    ]
    problems = [
        text
        for worker, answer in answers.items()
        for text in _wrong(store, worker, answer, own_names)
    ]
    if not problems:
        lost = [own for own in wrote if not store.reads(own)]
        if lost:
            problems.append(
                f"store: {len(lost)} workers wrote to {store.url} what this process does not see: "
                "it is another folder there; give a path on a file system that all machines share"
            )
        refused = {answer["refused"] for answer in answers.values() if "refused" in answer}
        notes += [f"store: workers cannot write to {store.url}: {text}" for text in refused]
    store.remove([name, *wrote] if name else wrote)
    return problems, notes


def _wrong(store: Store, worker: str, answer: Any, here: list[str]) -> list[str]:
    if isinstance(answer, BaseException):
        return [f"store: worker {worker} could not look at {store.url}: {answer!r}"]
    if "error" in answer:
        return [
            f"store: worker {worker} cannot reach {store.url} ({answer['error']}); give a place "
            "that all machines see, and credentials that workers have, too"
        ]
    if not answer["reads"] or not set(here) <= set(answer["names"]):
        return [
            f"store: worker {worker} sees other files in {store.url} than this process: it is "
            "another folder there; give a path on a file system that all machines share"
        ]
    return []

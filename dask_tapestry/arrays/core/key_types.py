"""Types of index keys: what a user writes between the brackets of ``x[...]``."""

from __future__ import annotations

from types import EllipsisType

from numpy.typing import ArrayLike

UserItem = ArrayLike | slice | EllipsisType | None
UserKey = UserItem | tuple[UserItem, ...]

"""What a user writes between the brackets of ``x[...]``, as types."""

from __future__ import annotations

from types import EllipsisType

from numpy.typing import ArrayLike

UserItem = ArrayLike | slice | EllipsisType | None
UserKey = UserItem | tuple[UserItem, ...]

"""Orders of rows beside factors of a matrix, in cells of its dtype."""

from __future__ import annotations

from typing import Final

ROWS_A_DIGIT: Final = 4096  # places of rows are two digits, which all floating dtypes hold exactly

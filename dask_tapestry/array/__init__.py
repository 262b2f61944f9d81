"""The user's side: Array, its functions and methods, and plans to look at."""

"""Plans and arrays as text, pages and pictures."""

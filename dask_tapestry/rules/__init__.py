"""The rules that rewrite expression graphs."""

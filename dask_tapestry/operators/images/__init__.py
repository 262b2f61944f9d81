"""Images: regions, distances and splines."""

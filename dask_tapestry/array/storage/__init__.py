"""Arrays in files and stores."""

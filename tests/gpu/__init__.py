"""What is run on a machine with a GPU."""

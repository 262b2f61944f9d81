"""The command ``dask-tapestry``: one file a subcommand, imported when it is asked for."""

"""One value for every sharding: all functions that fold, over shardings, schedulers and dtypes."""

"""Files and folders: locks, exchange, durable writes."""

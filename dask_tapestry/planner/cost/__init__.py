"""Cost: what a step takes of computing, stores, network, scheduler and memory."""

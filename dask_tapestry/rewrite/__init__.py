"""The driver that applies rules to a graph, and the record of what they did."""

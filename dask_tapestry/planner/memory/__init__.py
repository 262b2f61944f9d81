"""Memory and time of whole plans: the most that a worker holds, and a simulated run."""

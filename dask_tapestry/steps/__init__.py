"""Steps: programs of blocks and their schedules, which planner and workers share."""

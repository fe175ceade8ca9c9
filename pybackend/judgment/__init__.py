"""Goal, dimensions, statistics, verdict."""

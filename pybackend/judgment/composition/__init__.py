"""Judging a move by its notes: what they are, what they measure, and what a change amounts to."""
